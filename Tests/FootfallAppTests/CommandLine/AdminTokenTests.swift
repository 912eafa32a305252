import FootfallApp
import Foundation
import Testing

@Suite struct AdminTokenTests {
  private func read(_ content: String) -> Result<String?, CommandFailure> {
    do throws(CommandFailure) {
      return .success(try AdminToken.read("token", { _ in .content(Array(content.utf8)) }))
    } catch {
      return .failure(error)
    }
  }

  @Test(arguments: ["secret", "secret\n", "secret\r\n", "secret  \n\n"])
  func readsOneLine(content: String) throws { #expect(try read(content).get() == "secret") }

  @Test(arguments: ["", "\n", "two words", "two\nlines", "ünicode", "a\u{0}b", String(repeating: "x", count: 1025)])
  func refusesWhatIsNoToken(content: String) {
    guard case .failure(let failure) = read(content) else {
      Issue.record("accepted")
      return
    }
    #expect(failure.code == .configuration)
    #expect(failure.message?.contains("secret") == false)
  }

  @Test(arguments: [(0o600, false), (0o400, false), (0o644, true), (0o660, true), (0o602, true)])
  func warnsOfAFileThatOthersMayUse(mode: Int, warns: Bool) throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("token-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try #require(
      FileManager.default.createFile(atPath: path, contents: Data("t".utf8), attributes: [.posixPermissions: mode]))
    let warning = AdminToken.exposure(path)
    #expect((warning != nil) == warns)
    #expect(warning?.contains("0\(String(mode, radix: 8))") != false)
    var world = CommandRun.World()
    world.files[path] = "t\n"
    let configuration = #"{"admin": {"listen": "unix:/nowhere", "tokenFile": "\#(path)"}, "rules": []}"#
    #expect(CommandRun(["status"], configuration: configuration, world).error.contains("warning: ") == warns)
  }

  @Test func tellsApartWhyAFileCannotBeRead() {
    #expect(throws: Never.self) { try AdminToken.read(nil, { _ in .missing }) }
    let cases: [(FileReading, ExitCode)] = [
      (.missing, .configuration), (.denied(reason: "r"), .permission), (.failed(reason: "r"), .noInput),
    ]
    for (reading, code) in cases {
      let failure = #expect(throws: CommandFailure.self) { try AdminToken.read("token", { _ in reading }) }
      #expect(failure?.code == code)
    }
  }
}
