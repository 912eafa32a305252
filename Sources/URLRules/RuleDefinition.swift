/// What a matching rule makes happen; the effects of all matching rules add up.
package struct RuleEffects: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The visitor id travels in its header field.
  package static let visitorID = RuleEffects(rawValue: 1)
  /// The visit's tokens travel in their header fields.
  package static let ahoy = RuleEffects(rawValue: 2)
  /// The exchange becomes a request event.
  package static let record = RuleEffects(rawValue: 4)

  /// The effects that add a header field. Computed from a number, because a set from a list of members is built anew,
  /// with an array, wherever it is used.
  @inlinable package static var injecting: RuleEffects { RuleEffects(rawValue: 3) }
}

/// A decision in Swift about one URL; must be fast, safe on any thread, and must not wait.
public typealias RuleHandler = @Sendable (RequestURL) throws -> Bool

/// One way to recognise a URL.
package enum RuleMatcher: Sendable {
  /// The canonical URL starts with this text, and scheme, host and effective port are equal.
  case prefix(String)
  /// The pattern is found somewhere in the canonical URL.
  case regex(String)
  /// The handler says yes. No handler: nobody registered one of that name, which is an issue.
  case handler(name: String, RuleHandler?)
}

/// A rule as the configuration states it.
package struct RuleDefinition: Sendable {
  /// What status, events and tests call the rule.
  package var name: String
  /// Any of them is enough.
  package var matchers: [RuleMatcher]
  package var effects: RuleEffects

  package init(name: String, matchers: [RuleMatcher], effects: RuleEffects) {
    self.name = name
    self.matchers = matchers
    self.effects = effects
  }
}
