import HTTPWire
import RuleEngines
import URLRules

extension Property {
  /// Every line but the last is the text of a rule, a regular expression behind `~` and a prefix otherwise; the last is a
  /// URL. The rule set says of it what the rules say one by one: no index and no filter changes a verdict.
  static let rules = Property("rules") { bytes in
    var lines = NaiveGrammar.split(bytes, at: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    guard let url = lines.popLast(), lines.count <= 40 else { return }
    let engine = PCRE2PatternEngine()
    let hostNames = IDNA2008HostNameEncoder()
    let matchers = lines.map { $0.hasPrefix("~") ? RuleMatcher.regex(String($0.dropFirst())) : .prefix($0) }
    let definitions = matchers.enumerated().map {
      RuleDefinition(name: "\($0.offset)", matchers: [$0.element], effects: .visitorID)
    }
    let (rules, issues) = RuleSet.compile(definitions, patterns: engine, hostNames: hostNames)
    for issue in issues {
      try require(definitions.indices.contains(issue.ruleIndex), "an issue of no rule: \(issue)")
      guard let offset = issue.offset else { continue }
      try require(0...lines[issue.ruleIndex].utf8.count ~= offset, "an issue outside its text: \(issue)")
    }
    let invalid = Set(issues.filter { $0.severity == .error }.map(\.ruleIndex))
    try require(rules.usableRuleCount == lines.count - invalid.count, "\(rules.usableRuleCount) usable, \(invalid)")

    guard case .success(let canonical) = CanonicalText.read(Array(url.utf8), fragment: .cut) else {
      guard case .failure = rules.verdict(forURL: url) else { throw Violation("a verdict for no URL") }
      return
    }
    guard case .success(let verdict) = rules.verdict(forURL: url) else { throw Violation("no verdict for a URL") }
    let matched = Set(rules.matchedRules(verdict))
    let failed = Set(verdict.failedRules.map(Int.init))
    try require(matched.isDisjoint(with: failed), "matched and failed: \(verdict)")
    try require(verdict.isMatch == !matched.isEmpty, "\(verdict)")
    try require(rules.explain(url).isMatch == verdict.isMatch, "the explanation differs from \(verdict)")
    for (index, matcher) in matchers.enumerated() {
      switch try naive(matcher, isValid: !invalid.contains(index), canonical, engine) {
      case nil: break
      case .match: try require(matched.contains(index), "rule \(index) must match \(canonical.text)")
      case .noMatch:
        try require(
          !matched.contains(index) && !failed.contains(index), "rule \(index) must not match \(canonical.text)")
      case .limitReached: try require(!matched.contains(index), "rule \(index) is beyond its limits")
      }
    }
  }

  /// What one matcher says by itself; nil for a prefix that only the encoder of host names can read.
  private static func naive(
    _ matcher: RuleMatcher, isValid: Bool, _ canonical: CanonicalText, _ engine: PCRE2PatternEngine
  ) throws -> PatternOutcome? {
    guard isValid, !canonical.url.isAmbiguous else { return .noMatch }
    switch matcher {
    case .prefix(let text):
      guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
      switch CanonicalText.read(Array(text.utf8), fragment: .refuse) {
      case .success(let prefix): return canonical.bytes.starts(with: prefix.bytes) ? .match : .noMatch
      case .failure(let fault): throw Violation("a valid prefix that is none: \(fault)")
      }
    case .regex(let text):
      guard canonical.bytes.count <= RuleSet.subjectLimit else { return .limitReached }
      let pattern = try engine.compile(text)
      return canonical.bytes.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { pattern.search($0, buffer.count) } ?? .noMatch
      }
    case .handler: return .noMatch
    }
  }
}
