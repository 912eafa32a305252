import Effects

/// Whether the flags that rules ask can be known, and can let the rule apply.
enum GateChecks {
  static func run(_ document: ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext) {
    for rule in document.rules {
      guard let gate = rule.gate else { continue }
      let pointer = JSONPointer([.name("rules"), .index(rule.index), .name("when")])
      if !source.holds("cohorly") {
        context.report(
          .featureNotConfigured, at: source.place(pointer), "Cohorly is not configured, so there are no flags to ask",
          hint: "add \"cohorly\", or leave it out here")
      }
      if case .text(let variant) = gate.is, gate.fallback == .bool(true) {
        context.report(
          .doubtfulFallback, at: source.place(pointer.appending("fallback")),
          "while the flag is unknown the rule does not apply: true is no variant",
          hint: "write \"\(variant)\" for a rule that applies meanwhile, or leave it out", severity: .warning)
      }
    }
  }
}
