/// What a feature flag decides about a rule that asks it, at the time of a snapshot.
package struct GateDecision: Sendable, Hashable {
  /// The rule's place among the rules.
  package var rule: Int32
  package var ruleName: String
  /// The key of the flag.
  package var flag: String
  /// What the flag was, as JSON text.
  package var value: [UInt8]
  /// The same for counters: one of few words, whatever a server answers.
  package var label: String
  /// Whether the rule applies.
  package var isOpen: Bool
  /// Which reading of the flags it comes from.
  package var reading: Int

  package init(
    rule: Int32, ruleName: String, flag: String, value: [UInt8], label: String, isOpen: Bool, reading: Int
  ) {
    self.rule = rule
    self.ruleName = ruleName
    self.flag = flag
    self.value = value
    self.label = label
    self.isOpen = isOpen
    self.reading = reading
  }
}

/// Decisions about exchanges that followed each other.
package struct AskedGates: Sendable, Hashable {
  package var decisions: [GateDecision]
  /// When the first of them began, milliseconds since the epoch.
  package var firstMilliseconds: Int64
  package var exchanges: UInt64

  package init(decisions: [GateDecision], firstMilliseconds: Int64, exchanges: UInt64) {
    self.decisions = decisions
    self.firstMilliseconds = firstMilliseconds
    self.exchanges = exchanges
  }
}
