import Effects
import ProxyConfiguration
import Testing
import URLRules

@Suite struct GateSectionTests {
  private func load(_ when: String, section: String = #""cohorly": {"apiHost": "https://a.example"}, "#)
    -> LoadedConfiguration
  {
    let text = #"""
      {\#(section)"visitorID": {"header": "x-v"}, "rules": [
        {"name": "gated", "match": {"prefix": "http://a.example/"}, "when": \#(when)},
        {"name": "plain", "match": {"prefix": "http://b.example/"}}]}
      """#
    return ConfigurationLoader.forTests.load(Array(text.utf8), file: "f")
  }

  @Test(arguments: [
    (#"{"flag": "x"}"#, Configuration.GateValue.bool(true), Configuration.GateValue.bool(false)),
    (#"{"flag": "x", "is": false}"#, .bool(false), .bool(false)),
    (#"{"flag": "x", "is": true, "fallback": true}"#, .bool(true), .bool(true)),
    (#"{"flag": "x", "is": "blue", "fallback": "blue"}"#, .text("blue"), .text("blue")),
    (#"{"flag": "x", "is": "blue", "fallback": false}"#, .text("blue"), .bool(false)),
    (#"{"fallback": "red", "is": "blue", "flag": "x"}"#, .text("blue"), .text("red")),
    (#"{"flag": "x", "is": false, "fallback": "red"}"#, .bool(false), .text("red")),
  ])
  func theGateIsReadWithItsDefaults(
    when: String, expected: Configuration.GateValue, fallback: Configuration.GateValue
  ) throws {
    let loaded = load(when)
    #expect(loaded.issues.isEmpty)
    let rules = try #require(loaded.configuration).rules
    #expect(rules.map(\.name) == ["gated", "plain"])
    let gate = try #require(rules.first?.gate)
    #expect(gate.flag == "x")
    #expect(gate.is == expected)
    #expect(gate.fallback == fallback)
    #expect(gate.text == "x is \(expected.text)")
    #expect(rules[1].gate == nil)
  }

  /// Whatever is wrong with a gate, nobody knows when the rule was meant to apply: it never does, the others work on.
  @Test(arguments: [
    "{}", "null", "true", #""x""#, "[]", #"{"flag": null}"#, #"{"flag": ""}"#, #"{"flag": "a\u0000"}"#,
    #"{"flag": "x", "is": null}"#, #"{"flag": "x", "is": 1}"#, #"{"flag": "x", "is": "true"}"#,
    #"{"flag": "x", "is": ""}"#, #"{"flag": "x", "fallback": "false"}"#, #"{"flag": "x", "fallback": []}"#,
    #"{"flag": "x", "value": true}"#, #"{"flag": "x", "flag": "y"}"#, #"{"is": true}"#,
  ])
  func aMistakeTurnsOffItsRuleOnly(when: String) throws {
    let loaded = load(when)
    #expect(loaded.hasErrors)
    #expect(loaded.issues.allSatisfy { $0.impact == .dropsRule(0) })
    #expect(loaded.issues.allSatisfy { $0.pointer.description.hasPrefix("/rules/0/when") })
    let configuration = try #require(loaded.configuration)
    #expect(configuration.rules.map(\.name) == ["plain"])
    #expect(loaded.ruleSet.names == ["plain"])
    #expect(configuration.droppedRules.map(\.name) == ["gated"])
    guard case .enabled(_, let degraded) = configuration.visitorID else {
      Issue.record("not enabled")
      return
    }
    #expect(!degraded.isEmpty)
  }

  @Test(arguments: ["", #""cohorly": null, "#])
  func aGateWithoutTheSectionTurnsOffItsRuleOnly(section: String) throws {
    let loaded = load(#"{"flag": "x", "fallback": true}"#, section: section)
    #expect(loaded.issues.map(\.code.rawValue) == ["feature-not-configured"])
    #expect(loaded.issues.map(\.pointer.description) == ["/rules/0/when"])
    #expect(loaded.issues.first?.hint.contains("\"cohorly\"") == true)
    let configuration = try #require(loaded.configuration)
    #expect(configuration.rules.map(\.name) == ["plain"])
    #expect(configuration.droppedRules.first?.reasons.first?.message.contains("Cohorly") == true)
  }

  @Test func aFallbackThatNeverAppliesIsDoubted() throws {
    let loaded = load(#"{"flag": "x", "is": "blue", "fallback": true}"#)
    #expect(loaded.issues.map(\.code.rawValue) == ["doubtful-fallback"])
    #expect(loaded.issues.map(\.severity) == [.warning])
    #expect(try #require(loaded.configuration).rules.count == 2)
  }
}
