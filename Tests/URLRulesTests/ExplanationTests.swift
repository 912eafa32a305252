import HTTPWire
import Testing
import URLRules

@Suite struct ExplanationTests {
  struct Refusal: Error, CustomStringConvertible { var description: String { "no luck" } }

  private let compiled = CompiledRules([
    RuleDefinition(name: "api", matchers: [.prefix("HTTPS://API.example:443/v1/")], effects: .visitorID),
    RuleDefinition(name: "json", matchers: [.regex("\\.json$"), .prefix("http://api.example/")], effects: .record),
    RuleDefinition(
      name: "broken", matchers: [.regex("("), .handler(name: "h") { _ in throw Refusal() }], effects: .ahoy),
  ])

  @Test func saysWhichMatcherMatchedAndWhyOthersDidNot() {
    let explanation = compiled.rules.explain("https://api.example/v1/a.json#top")
    #expect(explanation.canonical == "https://api.example/v1/a.json")
    #expect(explanation.isMatch)
    #expect(explanation.effects == [.visitorID, .record])
    #expect(explanation.rules.map(\.name) == ["api", "json", "broken"])
    #expect(explanation.rules.map(\.isMatch) == [true, true, false])
    #expect(
      explanation.rules.map(\.reasons) == [
        ["prefix https://api.example/v1/"], ["regex \\.json$"],
        ["regex (: invalid", "handler h: failed, it threw no luck"],
      ])
  }

  @Test(arguments: [
    ("http://api.example/v1/", "the scheme is http"), ("https://api.example.org/v1/", "the host is api.example.org"),
    ("https://api.example:8443/v1/", "the port is 8443"),
    ("https://api.example/v1", "the path does not start with /v1/"),
  ])
  func namesThePartOfAPrefixThatDiffers(_ url: String, _ reason: String) {
    let explanation = compiled.rules.explain(url)
    #expect(explanation.rules.first?.reasons == ["prefix https://api.example/v1/: \(reason)"])
  }

  @Test(
    arguments: [
      ("https://u@api.example/", .target(.userinfo)), ("wss://api.example/", .target(.notHTTP)),
      ("/v1", .target(.malformed)), ("", .target(.malformed)), ("https://api.example/a/../b", .ambiguous),
    ] as [(String, Explanation.Refusal)])
  func saysWhyNoRuleLookedAtTheURL(_ url: String, _ refusal: Explanation.Refusal) {
    let explanation = compiled.rules.explain(url)
    #expect(explanation.refusal == refusal)
    #expect(explanation.rules.isEmpty)
    #expect(!explanation.isMatch)
    #expect(!refusal.message.isEmpty)
  }

  @Test func saysThatASubjectIsTooLong() {
    let explanation = compiled.rules.explain("https://b.example/" + String(repeating: "x", count: 8192))
    #expect(explanation.rules[1].reasons.first == "regex \\.json$: failed, the URL is longer than 8192 bytes")
  }
}
