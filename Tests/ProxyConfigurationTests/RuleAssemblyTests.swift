import Effects
import ProxyConfiguration
import Testing
import URLRules

@Suite struct RuleAssemblyTests {
  private func load(_ text: String) -> LoadedConfiguration {
    ConfigurationLoader.forTests.load(Array(text.utf8), file: "/etc/footfall/config.json")
  }

  @Test func oneBadRuleIsDroppedAndTheFeatureIsDegraded() throws {
    let loaded = load(
      #"""
      {"visitorID": {"header": "x-v"}, "rules": [
        {"name": "bad", "match": {"regex": "("}},
        {"name": "half", "match": [{"prefix": "http://a.example/"}, {"prefix": "nonsense"}]},
        {"name": "flag", "match": {"prefix": "http://b.example/"}, "when": {"flag": "x"}},
        {"name": "good", "match": {"prefix": "http://c.example/"}}]}
      """#)
    let configuration = try #require(loaded.configuration)
    guard case .enabled(_, let degraded) = configuration.visitorID else {
      Issue.record("not enabled")
      return
    }
    #expect(
      degraded.map(\.pointer.description) == ["/rules/0/match/regex", "/rules/1/match/1/prefix", "/rules/2/when"])
    #expect(configuration.rules.map(\.name) == ["half", "good"])
    #expect(loaded.ruleSet.names == ["half", "good"])
    #expect(configuration.rules.map(\.matchers.count) == [1, 1])
  }

  @Test(arguments: [
    #""rules": []"#, #""rules": 7"#, #""rules": [{"match": {"regex": "("}}]"#,
    #""rules": [{"match": {"prefix": "http://a.example/"}, "inject": []}]"#, #""log": {}"#,
  ])
  func withoutValidRuleTheVisitorIDIsInvalid(_ rules: String) throws {
    let loaded = load(#"{"visitorID": {"header": "x-v"}, \#(rules)}"#)
    guard case .invalid(let reasons) = try #require(loaded.configuration).visitorID else {
      Issue.record("not invalid")
      return
    }
    #expect(!reasons.isEmpty)
  }

  @Test func theOffsetOfARegexIsAColumnOfTheFile() throws {
    //                       column 35 is the bracket that the engine objects to
    let text = #"{"rules": [{"match": {"regex": "\u00e9[z-a]"}}]}"#
    let issue = try #require(load(text).issues.first { $0.severity == .error })
    #expect(issue.code.rawValue == "regex-syntax")
    let column = issue.position.column
    let marked = text.dropFirst(column - 1)
    #expect(marked.hasPrefix("]") || marked.hasPrefix("a]") || marked.hasPrefix("-a]"), "at '\(marked)'")
  }

  @Test func thousandsOfRulesAreRead() throws {
    let list = (0..<2_000).map { #"{"name": "r\#($0)", "match": {"prefix": "http://h\#($0).example/"}}"# }
    let loaded = load("{\"rules\": [\(list.joined(separator: ","))]}")
    #expect(loaded.issues.isEmpty)
    #expect(try #require(loaded.configuration).rules.count == 2_000)
  }

  @Test func effectsAreThoseOfTheRules() throws {
    let loaded = load(
      #"""
      {"visitorID": {"header": "x-v"}, "rules": [
        {"name": "both", "match": {"prefix": "http://a.example/"}},
        {"name": "silent", "match": {"prefix": "http://b.example/"}, "record": false},
        {"name": "record", "match": {"prefix": "http://c.example/"}, "inject": []}]}
      """#)
    let configuration = try #require(loaded.configuration)
    #expect(configuration.rules.map(\.inject) == [[.visitorID], [.visitorID], []])
    #expect(configuration.rules.map(\.record) == [true, false, true])
    let matched = ["http://a.example/x", "http://b.example/", "http://c.example/", "http://d.example/"].map { url in
      loaded.ruleSet.explain(url).effects
    }
    #expect(matched == [[.visitorID, .record], [.visitorID], [.record], []])
  }

  @Test func allMistakesOfARuleAreReportedInOneRun() {
    let loaded = load(
      #"{"rules": [{"name": "a b", "match": [{"prefix": "nonsense"}, {"regex": "("}], "inject": ["x"]}]}"#)
    #expect(
      loaded.issues.filter { $0.severity == .error }.map(\.pointer.description)
        == ["/rules/0/name", "/rules/0/match/0/prefix", "/rules/0/match/1/regex", "/rules/0/inject/0"])
  }

  @Test func rulesThatLostSomethingAreListedWithTheirReasons() throws {
    let loaded = load(
      #"""
      {"visitorID": {"header": "x-v"}, "rules": [
        {"name": "half", "match": [{"prefix": "http://a.example/"}, {"prefix": "nonsense"}]},
        {"match": {"regex": "("}, "what": 1}, 7,
        {"name": "good", "match": {"prefix": "http://c.example/"}}]}
      """#)
    let configuration = try #require(loaded.configuration)
    #expect(configuration.droppedRules.map(\.name) == ["half", "rule-2", "rule-3"])
    #expect(configuration.droppedRules.map(\.rest) == [0, nil, nil])
    #expect(configuration.droppedRules.map(\.reasons.count) == [1, 2, 1])
    #expect(load(#"{"rules": []}"#).configuration?.droppedRules.isEmpty == true)
  }

  @Test func mistakesOfRulesAreNoReasonsOfTheVisitorID() throws {
    let loaded = load(
      #"{"visitorID": {"header": "x-v", "ttlHours": 0}, "rules": [{"match": {"regex": "("}}]}"#)
    guard case .invalid(let reasons) = try #require(loaded.configuration).visitorID else {
      Issue.record("not invalid")
      return
    }
    #expect(reasons.map(\.pointer.description) == ["/visitorID/ttlHours"])
  }

  @Test func aRuleWithAMistakeDoesNothing() throws {
    // Whatever the mistake, the header of the rule goes nowhere.
    for mistake in [#""recrod": false"#, #""inject": ["visitorid"]"#, #""when": {}"#, #""name": "a b""#] {
      let loaded = load(
        #"{"visitorID": {"header": "x-v"}, "rules": [{"match": {"prefix": "http://a.example/"}, \#(mistake)}]}"#)
      #expect(loaded.hasErrors)
      #expect(loaded.ruleSet.names.isEmpty)
    }
  }
}
