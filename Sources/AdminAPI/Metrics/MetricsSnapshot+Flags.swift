extension MetricsSnapshot {
  /// How often a rule's flag was asked, by what it counted as.
  package struct GateCount: Sendable, Hashable {
    package var rule: String
    package var flag: String
    /// `true`, `false`, a variant that the rule names, or `other`: a server cannot grow the number of time series.
    package var value: String
    package var count: UInt64

    package init(rule: String, flag: String, value: String, count: UInt64) {
      self.rule = rule
      self.flag = flag
      self.value = value
      self.count = count
    }
  }

  /// The flags of Cohorly, and the rules that ask them.
  var flagFamilies: [MetricFamily] {
    guard let cohorly else { return [] }
    let sources = FlagsReport.Source.allCases.filter { $0 != .fallback }
    return [
      MetricFamily(
        "footfall_flags", .gauge, help: "Flags whose values are known, by where they come from.",
        samples: sources.map { source in
          .init(
            labels: [.init("source", source.rawValue)],
            .count(source == cohorly.flagSource ? UInt64(clamping: cohorly.flagCount) : 0))
        }),
      MetricFamily(
        "footfall_flags_loaded", .gauge,
        help: "Whether the flags were evaluated for the identity since the start (1) or not (0).",
        samples: [.init(.count(cohorly.flagsAreLoaded ? 1 : 0))]),
      MetricFamily(
        "footfall_flag_evaluations_total", .counter, help: "Evaluations of the flags by their outcome.",
        samples: [
          .init(labels: [.init("outcome", "success")], .count(cohorly.flagEvaluations)),
          .init(labels: [.init("outcome", "failure")], .count(cohorly.flagFailures)),
        ]),
      MetricFamily(
        "footfall_gates_total", .counter,
        help: "Requests for which a rule asked its flag, by what the flag counted as.",
        samples: gates.map { gate in
          .init(
            labels: [.init("rule", gate.rule), .init("flag", gate.flag), .init("value", gate.value)], .count(gate.count)
          )
        }),
      MetricFamily(
        "footfall_cohorly_refused_operations_total", .counter,
        help: "Changes of profiles that the server took without carrying them out.",
        samples: [.init(.count(cohorly.refusedOperations))]),
      MetricFamily(
        "footfall_cohorly_failed_aliases_total", .counter,
        help: "Identities whose tie to the anonymous one before did not get to the server.",
        samples: [.init(.count(cohorly.failedAliases))]),
    ]
  }
}
