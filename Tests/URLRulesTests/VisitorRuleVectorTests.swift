import Effects
import Foundation
import TestKit
import Testing
import URLRules

/// One row of `visitor-rules.json`.
struct RuleVector: Decodable, Sendable, CustomTestStringConvertible {
  struct Rule: Decodable, Sendable {
    var type: String
    var text: String
    var members: [Rule]

    private enum Key: CodingKey { case type, value }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      type = try container.decode(String.self, forKey: .type)
      if type == "any" {
        members = try container.decode([Rule].self, forKey: .value)
        text = ""
      } else {
        members = []
        text = try container.decode(String.self, forKey: .value)
      }
    }
  }

  var id: String
  var rule: Rule
  var url: String
  var match: Bool
  var why: String
  var ruleValid: Bool?

  private enum CodingKeys: String, CodingKey {
    case id, rule, url, match, why
    case ruleValid = "rule_valid"
  }

  var testDescription: String { "\(id): \(why)" }

  static let all: [RuleVector] = {
    guard let file = Bundle.module.url(forResource: "visitor-rules", withExtension: "json", subdirectory: "Vectors"),
      let data = try? Data(contentsOf: file)
    else { return [] }
    return (try? JSONDecoder().decode([RuleVector].self, from: data)) ?? []
  }()
}

@Suite("Vectors of the contract")
struct VisitorRuleVectorTests {
  struct Refusal: Error {}

  /// The handlers that the vectors name; the one that takes too long moves the clock instead of waiting.
  private func handler(_ text: String, _ clock: ManualClock) -> RuleMatcher {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    let handler: RuleHandler? =
      switch parts.first {
      case "host_equals": { url in url.host == parts.last }
      case "always_true": { _ in true }
      case "always_false": { _ in false }
      case "throws": { _ in throw Refusal() }
      case "timeout":
        { _ in
          clock.advance(milliseconds: 21)
          return true
        }
      default: nil
      }
    return .handler(name: text, handler)
  }

  private func matchers(_ rule: RuleVector.Rule, _ clock: ManualClock) throws -> [RuleMatcher] {
    switch rule.type {
    case "prefix": return [.prefix(rule.text)]
    case "regex": return [.regex(rule.text)]
    case "handler": return [handler(rule.text, clock)]
    default:
      try #require(rule.type == "any")
      return try rule.members.flatMap { try matchers($0, clock) }
    }
  }

  @Test func areAllThere() {
    #expect(RuleVector.all.count == 158)
    #expect(RuleVector.all.count { $0.match } == 59)
    #expect(RuleVector.all.count { $0.ruleValid == false } == 19)
  }

  @Test(arguments: RuleVector.all)
  func agreesWithTheContract(_ vector: RuleVector) throws {
    let clock = ManualClock()
    let definition = RuleDefinition(name: vector.id, matchers: try matchers(vector.rule, clock), effects: .visitorID)
    let compiled = CompiledRules([definition], clock: clock)
    let errors = compiled.issues.filter { $0.severity == .error }
    #expect(errors.isEmpty == (vector.ruleValid ?? true))
    #expect(compiled.matches(vector.url) == vector.match)
    #expect(compiled.rules.explain(vector.url).isMatch == vector.match)
  }
}
