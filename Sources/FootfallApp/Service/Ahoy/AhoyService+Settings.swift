import AhoyTracker
import Effects
import ProxyConfiguration
import ProxyCore
import URLRules

// From the configuration to the parts.
extension AhoyService {
  static func endpoint(_ ahoy: Configuration.Ahoy) -> AhoyEndpoint {
    var fields = ahoy.headers
    if let authorization = ahoy.authorization { fields.append(OutboundField("Authorization", authorization.field)) }
    return AhoyEndpoint(
      baseURL: ahoy.baseURL?.description ?? "", path: ahoy.ahoyPath, visits: ahoy.visitsPath, events: ahoy.eventsPath,
      userAgent: ahoy.userAgent, fields: fields)
  }

  static func visitSettings(
    _ ahoy: Configuration.Ahoy, _ endpoint: AhoyEndpoint, version: String
  ) -> VisitKeeper.Settings {
    VisitKeeper.Settings(
      endpoint: endpoint,
      windowMilliseconds: VisitRecord.windowMilliseconds(seconds: ahoy.visitDurationHours * 3600) ?? 14_400_000,
      renewsAutomatically: ahoy.automaticVisitRenewal,
      environment: VisitKeeper.VisitEnvironment(
        platform: ahoy.environment.platform, appVersion: ahoy.environment.appVersion ?? version,
        osVersion: ahoy.environment.osVersion ?? ProcessFacts.systemVersion),
      parameters: ahoy.visitParams)
  }

  /// The part of the application where nothing is injected: its own Ahoy endpoint, whose requests bring their tokens.
  static func reservedPath(_ ahoy: Configuration.Ahoy) -> ReservedPath? {
    ahoy.baseURL.map { base in
      let origin = base.description.dropLast(base.path.utf8.count)
      return ReservedPath(effect: .ahoy, origin: String(origin), path: "\(base.path)/\(ahoy.ahoyPath)")
    }
  }
}
