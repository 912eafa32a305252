/// What a feature flag decides about a rule that asks it, at the time of a snapshot.
package struct GateDecision: Sendable, Hashable {
  /// The rule's place among the rules.
  package var rule: Int32
  /// The key of the flag.
  package var flag: String
  /// What the flag was, as JSON text.
  package var value: [UInt8]
  /// Whether the rule applies.
  package var isOpen: Bool
  /// Which reading of the flags it comes from.
  package var reading: Int

  package init(rule: Int32, flag: String, value: [UInt8], isOpen: Bool, reading: Int) {
    self.rule = rule
    self.flag = flag
    self.value = value
    self.isOpen = isOpen
    self.reading = reading
  }
}
