import Effects
import ProxyConfiguration
import Testing

@Suite struct ConfigurationIssueTests {
  private func load(_ text: String) -> LoadedConfiguration {
    ConfigurationLoader.forTests.load(Array(text.utf8), file: "/etc/footfall/config.json")
  }

  @Test func issuesAreObjectsForTools() throws {
    let issue = try #require(load("{\n  \"rulez\": [], \"rules\": []}").issues.first)
    #expect(
      issue.json == [
        "file": "/etc/footfall/config.json", "line": 2, "column": 3, "pointer": "/rulez", "code": "unknown-key",
        "severity": "error", "message": "unknown key 'rulez'", "hint": "did you mean \"rules\"?",
      ])
    #expect(
      issue.description
        == "/etc/footfall/config.json:2:3: error /rulez: unknown key 'rulez': did you mean \"rules\"?")
  }

  private func issue(_ code: ConfigurationIssue.Code, _ steps: [JSONPointer.Step]) -> ConfigurationIssue {
    ConfigurationIssue(
      file: "f", position: .start, pointer: JSONPointer(steps), code: code, severity: .error, message: "m", hint: "")
  }

  @Test func anIssueDisablesWhatItConcerns() {
    #expect(issue(.wrongType, [.name("proxy"), .name("via")]).impact == .fatal)
    #expect(issue(.wrongType, []).impact == .fatal)
    #expect(issue(.missingKey, []).impact == .disablesVisitorID)
    #expect(issue(.unknownKey, [.name("visitorID"), .name("id")]).impact == .disablesVisitorID)
    #expect(issue(.wrongType, [.name("rules")]).impact == .disablesVisitorID)
    #expect(issue(.wrongType, [.name("rules"), .index(3), .name("name")]).impact == .dropsRule(3))
    #expect(issue(.duplicateKey, [.name("visitorID"), .name("header")]).impact == .disablesVisitorID)
    // What is broken there may hide anything.
    #expect(issue(.init(rawValue: "missing-comma"), [.name("visitorID")]).impact == .fatal)
  }

  @Test func aWarningHasNoImpact() {
    var warning = issue(.openToNetwork, [.name("proxy")])
    warning.severity = .warning
    #expect(warning.impact == .none)
  }

  @Test func linesHoldNoControlCharacters() {
    var issue = issue(.unknownKey, [.name("a\u{1b}[31m\n\u{202e}")])
    issue.message = "\u{7}\u{9b}"
    #expect(issue.description == #"f:1:1: error /a\u{1b}[31m\u{a}\u{202e}: \u{7}\u{9b}"#)
  }
}
