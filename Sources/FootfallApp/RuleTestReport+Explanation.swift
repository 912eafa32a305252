package import AdminAPI
package import ProxyConfiguration
package import URLRules

extension RuleTestReport {
  /// The report of what the rules say about a URL.
  ///
  /// - Parameter configured: The rules as they are configured, for the flags that some of them ask.
  package init(_ explanation: Explanation, configured: [Configuration.Rule]) {
    let gates = Dictionary(configured.map { ($0.name, $0.gate?.text) }) { first, _ in first }.compactMapValues(\.self)
    self.init(
      url: explanation.input, canonical: explanation.canonical, refusal: explanation.refusal?.message,
      effects: explanation.effects.names,
      rules: explanation.rules.map { rule in
        Rule(
          name: rule.name, matches: rule.isMatch,
          reasons: rule.reasons + (gates[rule.name].map { ["applies only while the flag \($0)"] } ?? []),
          effects: rule.effects.names)
      },
      note: explanation.canonical.flatMap { HTTPSRuleChecks.isHTTPS(url: $0) ? HTTPSRuleChecks.urlNote : nil })
    guard note == nil else { return }
    let gated = rules.filter(\.matches).compactMap { rule in
      gates[rule.name].map { "\(rule.name) applies only while the flag \($0)" }
    }
    if !gated.isEmpty { note = gated.joined(separator: "; ") }
  }
}

extension RuleEffects {
  /// The effects under their names in the configuration.
  package var names: [String] {
    var names: [String] = []
    if contains(.visitorID) { names.append("visitorID") }
    if contains(.ahoy) { names.append("ahoy") }
    if contains(.record) { names.append("record") }
    return names
  }
}
