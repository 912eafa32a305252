import ClientFoundation
import Testing

@Suite struct ProgramDirectoryTests {
  @Test(
    arguments: [
      (["STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "HOME": "/h"], "/var/lib/a/x"),
      (["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/my-program/x"), (["HOME": "/h"], "/h/.local/state/my-program/x"),
      (["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/my-program/x"), ([:], nil),
    ] as [([String: String], String?)])
  func findsTheDirectory(_ environment: [String: String], _ path: String?) {
    #expect(ProgramDirectory.path(of: "x", environment: environment, program: "my/program") == path)
  }
}
