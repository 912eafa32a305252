import FootfallApp
import LoopRuntime
import ProxyConfiguration
import Testing

@Suite struct UsersCommandTests {
  private func run(_ name: String, _ secrets: [String], isTerminal: Bool = false, _ more: String...) -> CommandRun {
    var world = CommandRun.World()
    world.secrets = secrets
    world.inputIsTerminal = isTerminal
    return CommandRun(["users", "hash", name] + more, world)
  }

  @Test func printsALineThatTheFileTakesAndThePasswordMatches() throws {
    let run = run("b\u{f6}b", ["p:q \u{e4}"])
    #expect(run.code == .ok)
    #expect(run.error.isEmpty)
    let (users, issues) = UsersFile.read(Array(run.output.utf8), file: "f")
    #expect(issues.isEmpty)
    let user = try #require(users.first)
    #expect(user.name == "b\u{f6}b")
    #expect(PasswordHash.matches(Array("p:q \u{e4}".utf8), user.hash))
    #expect(!PasswordHash.matches(Array("p:q".utf8), user.hash))
  }

  @Test func asksTwiceWhereSomebodyTypes() {
    #expect(run("ada", ["a", "a"], isTerminal: true).code == .ok)
    let different = run("ada", ["a", "b"], isTerminal: true)
    #expect(different.code == .dataError)
    #expect(different.error.contains("not the same"))
    #expect(run("ada", ["a"], isTerminal: true, "--once").code == .ok)
  }

  @Test(
    arguments: [
      ("ada", []), ("ada", [""]), ("ada", [String(repeating: "x", count: 73)]), ("ada", ["a\u{1}b"]),
      ("a:b", ["x"]), ("", ["x"]), ("#a", ["x"]), (" a", ["x"]), ("a\n", ["x"]),
      (String(repeating: "a", count: 256), ["x"]),
    ] as [(String, [String])])
  func refusesWhatNoClientCouldSendOrNoLineHold(name: String, secrets: [String]) {
    let run = run(name, secrets)
    #expect(run.code == .dataError)
    #expect(run.output.isEmpty)
    #expect(!run.error.isEmpty)
  }
}
