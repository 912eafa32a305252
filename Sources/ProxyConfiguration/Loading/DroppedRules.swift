import Effects

/// Which rules were left out, or lost a condition, and why.
enum DroppedRules {
  /// - Parameters:
  ///   - texts: The rules that could be read.
  ///   - kept: Those without mistakes, or what is left of them.
  ///   - issues: All issues, in the order of the file.
  static func list(
    _ texts: [Configuration.RuleText], kept: [Configuration.Rule], _ issues: [ConfigurationIssue]
  ) -> [Configuration.DroppedRule] {
    var reasons: [Int: [ConfigurationIssue]] = [:]
    for issue in issues {
      if case .dropsRule(let index) = issue.impact { reasons[index, default: []].append(issue) }
    }
    // Tables, because every rule of a long list may be wrong.
    let names = Dictionary(texts.map { ($0.index, $0.effectiveName) }) { first, _ in first }
    let rests = Dictionary(kept.enumerated().map { ($1.index, $0) }) { first, _ in first }
    return reasons.sorted { $0.key < $1.key }.map { index, reasons in
      Configuration.DroppedRule(
        name: names[index] ?? Configuration.RuleText.usualName(index), rest: rests[index], reasons: reasons)
    }
  }
}

extension Configuration.RuleText {
  /// The name that was given or, without one, the usual one.
  var effectiveName: String { name?.text ?? Self.usualName(index) }

  /// What a rule without a name is called.
  static func usualName(_ index: Int) -> String { "rule-\(index &+ 1)" }
}
