import FootfallApp
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
