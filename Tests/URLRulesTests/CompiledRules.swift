import Effects
import HTTPWire
import RuleEngines
import URLRules

/// Rules compiled with the real engines, and questions about URL texts.
struct CompiledRules {
  let rules: RuleSet
  let issues: [RuleIssue]

  init(_ definitions: [RuleDefinition], clock: (any MonotonicClock)? = nil) {
    (rules, issues) = RuleSet.compile(
      definitions, patterns: PCRE2PatternEngine(), hostNames: IDNA2008HostNameEncoder(), clock: clock)
  }

  /// One rule per matcher, named by its index.
  init(matchers: [RuleMatcher], clock: (any MonotonicClock)? = nil) {
    self.init(
      matchers.enumerated().map { RuleDefinition(name: "\($0.offset)", matchers: [$0.element], effects: .visitorID) },
      clock: clock)
  }

  /// The codes of the issues of that severity.
  func codes(_ severity: RuleIssue.Severity) -> [RuleIssue.Code] {
    issues.filter { $0.severity == severity }.map(\.code)
  }

  /// The verdict, by the way the proxy takes: a pointer to the canonical text.
  func verdict(_ url: String) -> Verdict? {
    switch rules.verdict(forURL: url) {
    case .success(let verdict): verdict
    case .failure: nil
    }
  }

  func matches(_ url: String) -> Bool { verdict(url)?.isMatch ?? false }

  /// The names of the rules that matched.
  func matched(_ url: String) -> [String] {
    verdict(url).map { rules.matchedRules($0).map { rules.names[$0] } } ?? []
  }

  /// The names of the rules that failed.
  func failed(_ url: String) -> [String] {
    (verdict(url)?.failedRules ?? []).map { rules.names[Int($0)] }
  }
}

extension CompiledRules {
  /// The engine of the product.
  static let engine = PCRE2PatternEngine()
}
