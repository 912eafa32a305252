import AdminAPI
import CohorlyTracker
import Effects
import ProxyConfiguration
import Synchronization

extension CohorlyService {
  func statusReport() -> StatusReport.Cohorly {
    let now = keeper.clock.millisecondsSinceEpoch()
    var report = StatusReport.Cohorly()
    report.apiHost = endpoint.apiHost
    report.hasToken = endpoint.token != nil
    keeper.state.withLock { state in
      report.distinctID = state.identity.distinctID
      report.deviceID = state.identity.deviceID
      report.isAnonymous = state.identity.isAnonymous
      report.flagPolicy = state.flags.policy.rawValue
      report.flagsAreLoaded = state.evaluatedAt != nil
      report.flagSource = FlagsReport.Source(state.flags.source(at: now))
      report.flagCount = state.flags.all(at: now).count
      report.flagsEvaluatedAt = state.evaluatedAt
      report.flagEvaluations = state.evaluations
      report.flagFailures = state.failures
      report.refusedOperations = state.refusedOperations
      report.lastError = state.lastError
      report.lastErrorAt = state.lastErrorAt
    }
    report.failedAliases = delivery.abandoned
    return report
  }

  /// The flags as rules see them now.
  ///
  /// - Parameter rules: Those of the configuration.
  func flagsReport(_ rules: [Configuration.Rule]) -> FlagsReport {
    let now = keeper.clock.millisecondsSinceEpoch()
    return keeper.state.withLock { state in
      var report = FlagsReport(
        policy: state.flags.policy.rawValue, distinctID: state.identity.distinctID,
        isLoaded: state.flags.isLoaded(at: now), evaluatedAt: state.evaluatedAt, lastError: state.flags.lastFailure)
      report.flags = state.flags.all(at: now).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        .map { key, flag in
          let reading = state.flags.peek(key, fallback: nil, at: now)
          return FlagsReport.Flag(
            key: key, value: FlagsReport.Word(flag.value), isEnabled: flag.isEnabled, variant: flag.variant,
            payload: flag.payload, source: FlagsReport.Source(reading.source), persistedAt: reading.persistedAt,
            ttlMilliseconds: reading.ttlMilliseconds)
        }
      report.gates = CohorlyService.questions(rules).map { question in
        let reading = state.flags.peek(question.flag, fallback: question.fallback, at: now)
        let place = Int(question.rule)
        return FlagsReport.Gate(
          rule: rules.indices.contains(place) ? rules[place].name : "", flag: question.flag,
          expected: FlagsReport.Word(question.wanted), fallback: FlagsReport.Word(question.fallback),
          value: FlagsReport.Word(reading.value ?? question.fallback), source: FlagsReport.Source(reading.source),
          applies: reading.matches(question.wanted))
      }
      return report
    }
  }
}

extension FlagsReport.Source {
  fileprivate init(_ source: FlagSource) {
    switch source {
    case .network: self = .network
    case .persistence: self = .persistence
    case .fallback: self = .fallback
    }
  }
}

extension FlagsReport.Word {
  fileprivate init(_ value: FlagValue) {
    switch value {
    case .bool(let truth): self = .bool(truth)
    case .text(let text): self = .text(text)
    }
  }
}
