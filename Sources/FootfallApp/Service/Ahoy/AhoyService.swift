import AdminAPI
import AhoyTracker
import Effects
import EventPipeline
import LoopRuntime
import ProxyConfiguration
import Recording
import Storage
import Synchronization

/// Ahoy in the running proxy: the visit, and the delivery of stored events to the application.
final class AhoyService: Sendable {
  /// The name of the backend in the store, the status and the metrics.
  static let backend = "ahoy"

  let visits: VisitKeeper
  let delivery: BackendDelivery
  private let limits: EventLimits
  private let shape: AhoyEventShape
  private let endpoint: AhoyEndpoint

  /// - Parameters:
  ///   - mailbox: of the loop that may wait for the disk.
  ///   - onChange: told when snapshots are to be made anew; on that loop.
  init(
    _ ahoy: Configuration.Ahoy, _ pipeline: Configuration.Pipeline, version: String, state: any KeyValueStore,
    mailbox: LoopMailbox, _ parts: BackendDelivery.Parts, onChange: @escaping @Sendable () -> Void
  ) throws(CommandFailure) {
    endpoint = AhoyService.endpoint(ahoy)
    limits = EventLimits(maximumEvents: ahoy.events.maxPerRequest, maximumBytes: ahoy.events.maxBytes)
    shape = AhoyEventShape(name: ahoy.events.name, properties: ahoy.events.properties.map(\.rawValue))
    let transport = try BackendDelivery.transport(ahoy.certificateFiles, parts)
    let relay = ResumeRelay()
    let visits = VisitKeeper(
      AhoyService.visitSettings(ahoy, endpoint, version: version), store: state, transport: transport,
      clock: parts.clock, tokens: parts.tokens, mailbox: mailbox, log: parts.log, onChange: onChange,
      onRegistered: { relay.resume() })
    self.visits = visits
    delivery = BackendDelivery(
      AhoyService.backend,
      format: AhoyDelivery(endpoint: endpoint, shape: shape, limits: limits) { visits.standing($0) },
      transport: transport, pipeline, parts)
    relay.connect(delivery)
  }

  /// Begins to deliver what is stored, and registers the visit in the background.
  func start() {
    delivery.start()
    visits.ensure()
  }

  /// Gives what is stored a last chance, and ends.
  func stop(milliseconds: Int, sendsMore: Bool = true) {
    visits.stop()
    delivery.stop(milliseconds: milliseconds, sendsMore: sendsMore)
  }

  /// Why an event can never be sent; nil when it can.
  func obstacle(to event: QueuedEvent) -> String? {
    guard case .event(let tokens, let prepared) = shape.read(event) else {
      return "there is no visit: start one with POST /visit"
    }
    let fit = EventsRequest.fit([prepared], tokens: tokens, limits: limits)
    return fit.count > 0 ? nil : "the event is larger than a request, \(limits.maximumBytes) bytes"
  }

  /// Registers the visit for an operator.
  func trackVisit(_ params: [JSONMember], _ reply: @escaping BackendOrders.Reply<VisitReport>) {
    visits.trackVisit(params) { [self] result in
      switch result {
      case .success(let record): reply(.success(visits.report(record)))
      case .failure(let failure): reply(.failure(AhoyService.refusal(failure)))
      }
    }
  }

  private static func refusal(_ failure: VisitMachine.Failure) -> OrderRefusal {
    switch failure {
    case .reset: .backend(reason: "another visit has begun meanwhile, or the proxy is ending")
    case .answer(let verdict):
      switch verdict {
      case .registered: .backend(reason: "the visit is registered")
      case .mismatch(let reason), .retry(_, let reason), .misconfigured(let reason), .tooLarge(let reason),
        .refused(let reason):
        .backend(reason: reason)
      }
    }
  }

  func visitReport() -> StatusReport.Ahoy {
    var report = visits.statusReport()
    report.baseURL = endpoint.visitsURL
    report.userAgent = endpoint.userAgent
    return report
  }
}

/// Wakes a delivery that is made after those that wake it.
private final class ResumeRelay: Sendable {
  private let delivery = Mutex<BackendDelivery?>(nil)

  func connect(_ delivery: BackendDelivery) { self.delivery.withLock { $0 = delivery } }

  func resume() { delivery.withLock { $0 }?.resume() }
}
