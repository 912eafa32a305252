/// What the rules say about one URL.
package struct Verdict: Sendable, Equatable {
  /// The effects of all rules that matched.
  package var effects: RuleEffects = []
  /// The longest prefix that matched, for `RuleSet.prefixRules`; -1 when none did.
  package var prefixNode: Int32 = -1
  /// The indices of the rules that matched by a regular expression or a handler.
  package var patternRules: [Int32] = []
  /// The indices of the rules of which a matcher failed: a limit was reached, it threw, it took too long, or the URL
  /// was longer than `RuleSet.subjectLimit`. Failed is not matched; the rule's other matchers count as ever.
  package var failedRules: [Int32] = []

  package init() {}

  /// Whether any rule matched.
  package var isMatch: Bool { prefixNode >= 0 || !patternRules.isEmpty }
}
