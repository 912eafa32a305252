import AdminAPI
import AhoyTracker
import Effects
import EventPipeline
import ProxyConfiguration
import ProxyCore
import Synchronization
import URLRules

// From the configuration to the parts, and small things that stand between them.
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

/// Tells a pipeline of commits; the event store is opened before there is one.
final class CommitRelay: Sendable {
  private let pipeline = Mutex<DeliveryPipeline?>(nil)

  func connect(_ pipeline: DeliveryPipeline) { self.pipeline.withLock { $0 = pipeline } }

  func committed(upTo sequence: Int64) { pipeline.withLock { $0 }?.committed(upTo: sequence) }
}

/// Knows the pipeline that is made after those that wake it.
final class PipelineRelay: Sendable {
  private let box = Mutex<DeliveryPipeline?>(nil)

  func connect(_ pipeline: DeliveryPipeline) { box.withLock { $0 = pipeline } }

  var pipeline: DeliveryPipeline? { box.withLock { $0 } }
}

/// The last state of a delivery, for those who cannot wait for the actor.
final class StatusBox: Sendable {
  private let box = Mutex(DeliveryStatus())

  var status: DeliveryStatus { box.withLock { $0 } }

  /// Takes the state, and logs where it turned bad or well.
  func take(_ status: DeliveryStatus, _ log: ServiceLog) {
    let previous = box.withLock { previous in
      defer { previous = status }
      return previous
    }
    guard previous.state != status.state else { return }
    switch status.state {
    case .retrying: log.warning("events cannot be delivered to Ahoy for now", ["reason": status.lastError ?? ""])
    case .misconfigured: log.error("events cannot be delivered to Ahoy", ["reason": status.lastError ?? ""])
    case .delivering where previous.state == .retrying || previous.state == .misconfigured:
      log.info("events are delivered to Ahoy again")
    default: return
    }
  }
}
