import Effects
import HTTPWire
import Synchronization
import TestKit
import Testing
import URLRules

@Suite struct RuleSetTests {
  @Test func addsUpTheEffectsOfAllMatchingRules() throws {
    let compiled = CompiledRules([
      RuleDefinition(name: "host", matchers: [.prefix("https://a.example/")], effects: .record),
      RuleDefinition(name: "path", matchers: [.prefix("https://a.example/v1/")], effects: .ahoy),
      RuleDefinition(name: "pattern", matchers: [.regex("/v1/x$")], effects: .visitorID),
      RuleDefinition(name: "other", matchers: [.prefix("https://b.example/")], effects: .visitorID),
    ])
    let all = try #require(compiled.verdict("https://a.example/v1/x"))
    #expect(all.effects == [.record, .ahoy, .visitorID])
    #expect(compiled.rules.matchedRules(all) == [0, 1, 2])
    #expect(compiled.rules.prefixRules(all) == [0, 1])
    #expect(all.patternRules == [2])
    let one = try #require(compiled.verdict("https://a.example/"))
    #expect(one.effects == .record)
    let none = try #require(compiled.verdict("https://c.example/v1/x/"))
    #expect(none == Verdict())
  }

  @Test func switchedOffRulesMatchAndRecordButAddNothing() throws {
    let both: RuleEffects = [.visitorID, .record]
    let compiled = CompiledRules([
      RuleDefinition(name: "host", matchers: [.prefix("https://a.example/")], effects: both),
      RuleDefinition(name: "path", matchers: [.prefix("https://a.example/v1/")], effects: [.ahoy, .record]),
      RuleDefinition(name: "pattern", matchers: [.regex("/v1/x$")], effects: [.ahoy]),
    ])
    func effects(_ closed: Set<Int>, _ url: String) throws -> RuleEffects {
      let rules = compiled.rules.without(closed)
      let verdict = try rules.verdict(forURL: url).get()
      #expect(rules.matchedRules(verdict) == compiled.rules.matchedRules(try #require(compiled.verdict(url))))
      return verdict.effects
    }
    let url = "https://a.example/v1/x"
    #expect(try effects([], url) == [.visitorID, .ahoy, .record])
    #expect(try effects([0], url) == [.ahoy, .record])
    #expect(try effects([1], url) == [.visitorID, .ahoy, .record])
    #expect(try effects([1, 2], url) == both)
    #expect(try effects([0, 1, 2], url) == .record)
    #expect(try effects([0], "https://a.example/") == .record)
    #expect(try effects([2], "https://a.example/v1/x/") == [.visitorID, .ahoy, .record])
    // What was switched off comes back.
    #expect(
      try compiled.rules.without([0, 1, 2]).without([]).verdict(forURL: url).get().effects == [
        .visitorID, .ahoy, .record,
      ])
  }

  @Test func searchesAPatternOnlyWhenTheRuleHasNotMatchedYet() throws {
    let compiled = CompiledRules([
      RuleDefinition(name: "both", matchers: [.regex("example"), .prefix("https://a.example/")], effects: .record)
    ])
    let verdict = try #require(compiled.verdict("https://a.example/"))
    #expect(verdict.patternRules.isEmpty)
    #expect(compiled.rules.matchedRules(verdict) == [0])
  }

  @Test func callsHandlersLastAndNotForRulesThatMatched() {
    let calls = Mutex<[String]>([])
    func handler(_ name: String, _ answer: Bool) -> RuleMatcher {
      .handler(name: name) { url in
        calls.withLock { $0.append("\(name) \(url.host)") }
        return answer
      }
    }
    let compiled = CompiledRules([
      RuleDefinition(name: "one", matchers: [handler("one", true), .regex("a\\.example")], effects: .record),
      RuleDefinition(name: "two", matchers: [handler("two", false)], effects: .record),
      RuleDefinition(name: "three", matchers: [handler("three", true)], effects: .record),
    ])
    #expect(compiled.matched("https://A.example/") == ["one", "three"])
    #expect(calls.withLock { $0 } == ["two a.example", "three a.example"])
  }

  @Test func reportsFailedRulesAndRunsTheOthers() {
    struct Refusal: Error {}
    let clock = ManualClock()
    let compiled = CompiledRules(
      [
        RuleDefinition(name: "throws", matchers: [.handler(name: "h") { _ in throw Refusal() }], effects: .record),
        RuleDefinition(
          name: "slow",
          matchers: [
            .handler(name: "h") { _ in
              clock.advance(milliseconds: 21)
              return true
            }
          ], effects: .record),
        RuleDefinition(
          name: "in time",
          matchers: [
            .handler(name: "h") { _ in
              clock.advance(milliseconds: 20)
              return true
            }
          ], effects: .record),
        RuleDefinition(
          name: "evil", matchers: [.regex("^https://(?:a+)+\\.example\\.com/$"), .prefix("https://other/")],
          effects: .record),
        RuleDefinition(name: "plain", matchers: [.prefix("https://\(evilHost)/")], effects: .visitorID),
      ], clock: clock)
    #expect(compiled.failed("https://\(evilHost)/") == ["evil", "throws", "slow"])
    #expect(compiled.matched("https://\(evilHost)/") == ["in time", "plain"])
    #expect(compiled.verdict("https://\(evilHost)/")?.effects == [.record, .visitorID])
  }

  private let evilHost = String(repeating: "a", count: 60) + "." + String(repeating: "a", count: 60) + ".example.org"

  @Test func failsPatternsAndHandlersOnALongSubjectAndNotPrefixes() {
    let compiled = CompiledRules(matchers: [
      .prefix("https://a.example/"), .regex("a\\.example"), .handler(name: "yes") { _ in true },
    ])
    let origin = "https://a.example"
    let longest = origin + "/" + String(repeating: "x", count: RuleSet.subjectLimit - origin.utf8.count - 1)
    #expect(compiled.matched(longest) == ["0", "1", "2"])
    #expect(compiled.failed(longest).isEmpty)
    #expect(compiled.matched(longest + "x") == ["0"])
    #expect(compiled.failed(longest + "x") == ["1", "2"])
  }

  @Test(arguments: ["/a/../b", "/a/%2e%2E/b", "/.", "/a\\b"])
  func matchesNothingWhenThePathIsAmbiguous(_ path: String) throws {
    let compiled = CompiledRules(matchers: [
      .prefix("https://a.example/"), .regex("."), .handler(name: "yes") { _ in true },
    ])
    #expect(try #require(compiled.verdict("https://a.example" + path)) == Verdict())
  }

  @Test func showsHandlersTheCanonicalURL() {
    let seen = Mutex<[RequestURL]>([])
    let compiled = CompiledRules(matchers: [
      .handler(name: "look") { url in
        seen.withLock { $0.append(url) }
        return false
      }
    ])
    _ = compiled.verdict("HTTP://[2001:DB8::1]:08080?q=é#f")
    _ = compiled.verdict("https://A.example:443/p/q?x=1?")
    let urls = seen.withLock { $0 }
    #expect(urls.map(\.absoluteString) == ["http://[2001:db8::1]:8080/?q=%C3%A9", "https://a.example/p/q?x=1?"])
    #expect(urls.map(\.scheme) == ["http", "https"])
    #expect(urls.map(\.host) == ["2001:db8::1", "a.example"])
    #expect(urls.map(\.port) == [8080, 443])
    #expect(urls.map(\.path) == ["/", "/p/q"])
    #expect(urls.map(\.query) == ["q=%C3%A9", "x=1?"])
  }

  @Test func countsTheRulesThatCanMatch() {
    let compiled = CompiledRules([
      RuleDefinition(name: "good", matchers: [.regex("("), .prefix("https://a.example/")], effects: .record),
      RuleDefinition(name: "bad", matchers: [.regex("(")], effects: .record),
      RuleDefinition(name: "empty", matchers: [], effects: .record),
    ])
    #expect(compiled.rules.usableRuleCount == 1)
    #expect(compiled.rules.names == ["good", "bad", "empty"])
    #expect(compiled.codes(.error) == [.regexSyntax, .regexSyntax, .ruleWithoutMatcher, .ruleWithoutMatcher])
    #expect(compiled.issues.filter { $0.severity == .error }.map(\.ruleIndex) == [0, 1, 1, 2])
    #expect(compiled.issues.filter { $0.severity == .error }.map(\.matcherIndex) == [0, 0, nil, nil])
  }

  /// Random rules and URLs over a small alphabet: the index and the filter must never change an answer.
  @Test func agreesWithAskingEachRule() {
    var random = SeededGenerator(seed: 7)
    let hosts = ["a.example", "b.example", "a.example:8443", "a.example.com"]
    let segments = ["v1", "v10", "v2", "api", "data.json", "x"]
    func path() -> String {
      "/"
        + (0..<Int.random(in: 0..<4, using: &random)).map { _ in
          segments[Int.random(in: 0..<segments.count, using: &random)]
        }.joined(separator: "/")
    }
    func pattern() -> String {
      let pieces = [
        "^https://a\\.example", "/v1", "/v[12]", "\\.json$", ".*", "(?:api|x)", "example", "0?", "1+/", "data",
      ]
      return (0...Int.random(in: 0..<3, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }.joined()
    }
    var matches = 0
    for _ in 0..<60 {
      let matchers: [RuleMatcher] = (0..<40).map { _ in
        Int.random(in: 0..<3, using: &random) == 0
          ? .regex(pattern())
          : .prefix(
            (Int.random(in: 0..<4, using: &random) == 0 ? "http://" : "https://")
              + hosts[Int.random(in: 0..<4, using: &random)] + path())
      }
      let compiled = CompiledRules(matchers: matchers)
      for _ in 0..<40 {
        let url = "https://" + hosts[Int.random(in: 0..<4, using: &random)] + path()
        let expected = compiled.rules.explain(url).rules.filter(\.isMatch).map(\.name)
        #expect(compiled.matched(url) == expected, "\(url)")
        matches += expected.count
      }
    }
    #expect(matches > 1000)
  }
}
