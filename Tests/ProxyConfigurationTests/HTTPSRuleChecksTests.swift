import Effects
import ProxyConfiguration
import Testing

@Suite struct HTTPSRuleChecksTests {
  private func warnings(_ match: String) -> [ConfigurationIssue] {
    let text = "{\"rules\": [{\"match\": \(match)}]}"
    let loaded = ConfigurationLoader.forTests.load(Array(text.utf8), file: "f")
    #expect(!loaded.hasErrors)
    return loaded.issues.filter { $0.code == .httpsNotOpened }
  }

  @Test(arguments: [
    #"{"prefix": "https://a.example/"}"#, #"{"prefix": "HTTPS://a.example/"}"#,
    #"{"regex": "^https://a\\.example/"}"#, #"{"regex": "^https:\\/\\/a\\.example/"}"#,
  ])
  func aRuleForHTTPSOnlyIsWarnedOf(_ match: String) throws {
    let issue = try #require(warnings(match).first)
    #expect(issue.severity == .warning)
    #expect(
      issue.message
        == "https URLs travel in tunnels that this version does not open: this rule injects nothing")
  }

  @Test(arguments: [
    #"{"prefix": "http://a.example/https://"}"#, #"{"regex": "^https?://a\\.example/"}"#,
    #"{"regex": "^http://a\\.example/"}"#,
  ])
  func whatAlsoMatchesHTTPIsFine(_ match: String) { #expect(warnings(match).isEmpty) }

  @Test func oneConditionOfSeveralIsNotTheRule() {
    let found = warnings(#"[{"prefix": "http://a.example/"}, {"prefix": "https://a.example/"}]"#)
    #expect(found.map(\.pointer.description) == ["/rules/0/match/1/prefix"])
    #expect(found.allSatisfy { $0.message.hasSuffix("this condition injects nothing") })
  }
}
