package import AdminAPI
import ProxyConfiguration
package import URLRules

extension RuleTestReport {
  /// The report of what the rules say about a URL.
  package init(_ explanation: Explanation) {
    self.init(
      url: explanation.input, canonical: explanation.canonical, refusal: explanation.refusal?.message,
      effects: explanation.effects.names,
      rules: explanation.rules.map { rule in
        Rule(name: rule.name, matches: rule.isMatch, reasons: rule.reasons, effects: rule.effects.names)
      },
      note: explanation.canonical.flatMap { HTTPSRuleChecks.isHTTPS(url: $0) ? HTTPSRuleChecks.urlNote : nil })
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
