import AdminAPI
import Effects
import EventPipeline
import LoopRuntime
import OutboundHTTP
import ProxyConfiguration
import Storage
import Synchronization

/// The way of stored events to one backend: its client, its pipeline, and how that stands.
final class BackendDelivery: Sendable {
  /// What the deliveries to all backends share.
  struct Parts: Sendable {
    var events: EventDatabase
    var deliveries: DeliveryDatabase
    var positions: DeliveryPositions
    var committed: CommitRelay
    /// Events that the store keeps at most.
    var capacity: Int64
    var clock: any WallClock
    var tokens: any TokenSource
    var resolver: Resolver
    var log: ServiceLog
  }

  /// The name of the backend in the store, the status and the metrics.
  let name: String
  private let pipeline: DeliveryPipeline
  private let transport: OutboundHTTP
  private let parts: Parts
  private let last: LastStatus

  /// - Parameter options: how it is delivered to; what the configuration says of all backends is filled in.
  init(
    _ name: String, format: any DeliveryFormat, transport: OutboundHTTP,
    options: DeliveryOptions = DeliveryOptions(), _ pipeline: Configuration.Pipeline, _ parts: Parts
  ) {
    self.name = name
    self.transport = transport
    self.parts = parts
    let last = LastStatus(name, parts.log)
    self.last = last
    var options = options
    options.flushIntervalMilliseconds = pipeline.flushInterval.wholeMilliseconds
    options.flushAt = pipeline.flushAt
    // One that keeps the order has one request under way.
    if !options.keepsOrder { options.maximumInFlight = pipeline.maximumInFlight }
    options.queueCapacity = parts.capacity
    self.pipeline = DeliveryPipeline(
      backend: name, format: format, store: parts.deliveries, transport: transport, clock: SystemMonotonicClock(),
      wallClock: parts.clock, sleeper: SystemSleeper(), random: parts.tokens, options: options,
      observer: { last.take($0) })
  }

  /// A client for a backend.
  static func transport(_ certificateFiles: [String], _ parts: Parts) throws(CommandFailure) -> OutboundHTTP {
    do throws(SystemError) {
      var options = OutboundOptions()
      options.certificateFiles = certificateFiles
      return try OutboundHTTP(options, resolver: parts.resolver)
    } catch {
      throw CommandFailure(.internalError, "cannot start the client of the backends: \(error.reason)")
    }
  }

  /// Begins to deliver what is stored.
  func start() {
    parts.committed.connect(pipeline)
    let pipeline = pipeline
    Task { await pipeline.start() }
  }

  /// Begins what ``stop(milliseconds:)`` waits for.
  func beginToDrain(milliseconds: Int) {
    let pipeline = pipeline
    Task { await pipeline.drain(milliseconds: milliseconds) }
  }

  /// Gives what is stored a last chance, and ends. What is left the next run delivers.
  ///
  /// - Parameter sendsMore: Whether anything is sent that is not under way yet.
  func stop(milliseconds: Int, sendsMore: Bool = true) {
    parts.committed.disconnect(pipeline)
    let isDone = Gate()
    let pipeline = pipeline
    Task {
      await pipeline.drain(milliseconds: milliseconds, sendsMore: sendsMore)
      isDone.signal()
    }
    isDone.wait()
    transport.stop()
  }

  /// What the format waited for may have happened.
  func resume() { pipeline.resume() }

  /// Dead letters were queued again.
  func lettersQueued() { pipeline.lettersQueued() }

  /// Forgets what is committed up to a number and not delivered; returns how many events those were.
  func discard(upTo sequence: Int64) async -> Int64 { await pipeline.discard(upTo: sequence) }

  /// Sends what is committed now.
  func flush() async -> FlushOutcome {
    pipeline.committed(upTo: parts.events.status.lastSequence)
    let report = await pipeline.flush()
    return FlushOutcome(
      backend: name, sent: report.sent, dead: report.dead, remaining: report.remaining, isComplete: report.isComplete,
      obstacle: report.obstacle)
  }

  /// Records that are tried once, and failed.
  var abandoned: UInt64 { UInt64(clamping: last.status.givenUp) }

  /// How the delivery stands.
  func report() -> StatusReport.Delivery {
    let status = last.status
    var report = StatusReport.Delivery(backend: name)
    report.state = StatusReport.Delivery.State(rawValue: status.state.rawValue) ?? .loading
    report.depth = status.depth
    report.oldestAgeSeconds = status.oldestTimeMilliseconds.map {
      Double(max(0, parts.clock.millisecondsSinceEpoch() - $0)) / 1000
    }
    report.sent = UInt64(clamping: status.sent)
    report.retried = UInt64(clamping: status.retried)
    report.dropped = UInt64(clamping: status.damaged + parts.positions.droppedUndelivered(of: name))
    report.dead = UInt64(clamping: status.dead)
    report.requests = UInt64(clamping: status.requests)
    report.inFlight = status.inFlight
    report.lastError = status.storeError ?? status.lastError
    report.lastErrorAt = status.lastErrorMilliseconds
    report.nextTryAt = status.nextTryMilliseconds
    return report
  }
}

/// The last state of a delivery, for those who cannot wait for the actor.
private final class LastStatus: Sendable {
  private let backend: String
  private let log: ServiceLog
  private let box = Mutex(DeliveryStatus())

  init(_ backend: String, _ log: ServiceLog) {
    self.backend = backend
    self.log = log
  }

  var status: DeliveryStatus { box.withLock { $0 } }

  /// Takes the state, and logs where it turned bad or well.
  func take(_ status: DeliveryStatus) {
    let previous = box.withLock { previous in
      defer { previous = status }
      return previous
    }
    guard previous.state != status.state else { return }
    switch status.state {
    case .retrying:
      log.warning("events cannot be delivered for now", ["backend": backend, "reason": status.lastError ?? ""])
    case .misconfigured:
      log.error("events cannot be delivered", ["backend": backend, "reason": status.lastError ?? ""])
    case .delivering where previous.state == .retrying || previous.state == .misconfigured:
      log.info("events are delivered again", ["backend": backend])
    default: return
    }
  }
}

/// Tells pipelines of commits; the event store is opened before there are any.
final class CommitRelay: Sendable {
  private let pipelines = Mutex<[DeliveryPipeline]>([])

  func connect(_ pipeline: DeliveryPipeline) { pipelines.withLock { $0.append(pipeline) } }

  func disconnect(_ pipeline: DeliveryPipeline) { pipelines.withLock { $0.removeAll { $0 === pipeline } } }

  func committed(upTo sequence: Int64) {
    for pipeline in pipelines.withLock({ $0 }) { pipeline.committed(upTo: sequence) }
  }
}
