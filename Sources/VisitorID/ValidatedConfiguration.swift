import Effects
import URLRules

/// A configuration after all checks: what it says, or all that is wrong with it (contract section 1.2).
struct ValidatedConfiguration {
  var state = VisitorIDState.disabled
  var header = ""
  var ttlMilliseconds: Int64 = 0
  /// Nil while the feature is off, and for a program that asks its own rules.
  var rules: RuleSet?

  /// Checks header and validity of a program that has rules of its own.
  init(header: String, ttlHours: Double) {
    let reasons = check(header: header, ttlHours: ttlHours)
    state = reasons.isEmpty ? .active : .invalid(reasons)
  }

  /// Checks everything.
  init(
    _ configuration: VisitorIDConfiguration?, patterns: any PatternEngine, hostNames: any HostNameEncoder,
    clock: any MonotonicClock
  ) {
    guard let configuration else { return }
    var reasons = check(header: configuration.header, ttlHours: configuration.ttlHours)
    // One rule for each matcher, so that a wrong one is named by its own index.
    let definitions = configuration.matchers.map { RuleDefinition(name: "", matchers: [$0], effects: .visitorID) }
    let (rules, issues) = RuleSet.compile(definitions, patterns: patterns, hostNames: hostNames, clock: clock)
    let dropped = issues.filter { $0.severity == .error && $0.matcherIndex != nil }.map {
      VisitorIDReason(.ruleNotValid, "\($0.code.rawValue): \($0.message)", matchIndex: $0.ruleIndex)
    }
    if rules.usableRuleCount == 0 {
      reasons.append(VisitorIDReason(.noValidRule, "there is no valid rule: add at least one match"))
    }
    guard reasons.isEmpty else {
      state = .invalid(reasons + dropped)
      return
    }
    state = dropped.isEmpty ? .active : .degraded(dropped)
    self.rules = rules
  }

  /// Takes over what is right and tells what is not.
  private mutating func check(header: String?, ttlHours: Double) -> [VisitorIDReason] {
    var reasons: [VisitorIDReason] = []
    if let header {
      if let fault = HeaderNameFault.check(header) {
        reasons.append(VisitorIDReason(.headerNotAllowed, fault.message))
      }
      self.header = header
    } else {
      reasons.append(VisitorIDReason(.headerMissing, "the header is required, such as x-visitor-id"))
    }
    if let ttl = VisitorRecord.ttlMilliseconds(hours: ttlHours) {
      ttlMilliseconds = ttl
    } else {
      reasons.append(VisitorIDReason(.ttlNotPositive, "the validity must be a positive finite number of hours"))
    }
    return reasons
  }
}
