import CohorlyTracker
import Effects
import ProxyConfiguration
import Recording

// From the configuration to the parts.
extension CohorlyService {
  static func endpoint(_ cohorly: Configuration.Cohorly) -> CohorlyEndpoint {
    CohorlyEndpoint(apiHost: cohorly.apiHost.description, token: cohorly.token?.field, fields: cohorly.headers)
  }

  static func shape(_ cohorly: Configuration.Cohorly, version: String) -> CohorlyEventShape {
    CohorlyEventShape(
      name: cohorly.events.name, properties: cohorly.events.properties.map(\.rawValue),
      automatic: [
        JSONMember("$lib", "footfall"), JSONMember("$lib_version", .string(version)), JSONMember("$os", "Linux"),
        JSONMember("$os_version", .string(ProcessFacts.systemVersion)),
      ], superProperties: cohorly.superProperties)
  }

  /// The rules that ask a flag, by their places in the rule set.
  static func questions(_ rules: [Configuration.Rule]) -> [CohorlyKeeper.Question] {
    rules.enumerated().compactMap { index, rule in
      rule.gate.map { gate in
        CohorlyKeeper.Question(
          rule: Int32(clamping: index), name: rule.name, flag: gate.flag, wanted: FlagValue(gate.is),
          fallback: FlagValue(gate.fallback))
      }
    }
  }
}

extension FlagValue {
  init(_ value: Configuration.GateValue) {
    switch value {
    case .bool(let truth): self = .bool(truth)
    case .text(let text): self = .text(text)
    }
  }
}
