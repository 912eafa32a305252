import AdminAPI
import AhoyTracker
import Effects
import EventPipeline
import LoopRuntime
import OutboundHTTP
import ProxyConfiguration
import Recording
import Storage
import Synchronization

/// Ahoy in the running proxy: the visit, and the delivery of stored events to the application.
final class AhoyService: Sendable {
  /// The name of the backend in the store, the status and the metrics.
  static let backend = "ahoy"

  let visits: VisitKeeper
  private let pipeline: DeliveryPipeline
  private let transport: OutboundHTTP
  private let deliveries: DeliveryDatabase
  private let events: EventDatabase
  private let positions: DeliveryPositions
  private let clock: any WallClock
  private let tokens: any TokenSource
  private let limits: EventLimits
  private let shape: AhoyEventShape
  private let endpoint: AhoyEndpoint
  private let lastStatus = StatusBox()

  /// What outlives a reload and is there before.
  struct Parts {
    var state: any KeyValueStore
    var events: EventDatabase
    var deliveries: DeliveryDatabase
    var positions: DeliveryPositions
    var committed: CommitRelay
    var clock: any WallClock
    var tokens: any TokenSource
    var resolver: Resolver
    var mailbox: LoopMailbox
    var log: ServiceLog
  }

  /// - Parameter onChange: told when snapshots are to be made anew; on the loop of the mailbox.
  init(
    _ ahoy: Configuration.Ahoy, _ pipeline: Configuration.Pipeline, version: String, _ parts: Parts,
    onChange: @escaping @Sendable () -> Void
  ) throws(CommandFailure) {
    clock = parts.clock
    tokens = parts.tokens
    events = parts.events
    deliveries = parts.deliveries
    positions = parts.positions
    endpoint = AhoyService.endpoint(ahoy)
    limits = EventLimits(maximumEvents: ahoy.events.maxPerRequest, maximumBytes: ahoy.events.maxBytes)
    shape = AhoyEventShape(name: ahoy.events.name, properties: ahoy.events.properties.map(\.rawValue))
    let log = parts.log
    do throws(SystemError) {
      var options = OutboundOptions()
      options.certificateFiles = ahoy.certificateFiles
      transport = try OutboundHTTP(options, resolver: parts.resolver)
    } catch {
      throw CommandFailure(.internalError, "cannot start the client of the backends: \(error.reason)")
    }
    let relay = PipelineRelay()
    visits = VisitKeeper(
      AhoyService.visitSettings(ahoy, endpoint, version: version), store: parts.state, transport: transport,
      clock: parts.clock, tokens: parts.tokens, mailbox: parts.mailbox, log: log, onChange: onChange,
      onRegistered: { relay.pipeline?.resume() })
    let visits = visits
    let lastStatus = lastStatus
    var options = DeliveryOptions()
    options.flushIntervalMilliseconds = pipeline.flushInterval.wholeMilliseconds
    options.flushAt = pipeline.flushAt
    options.maximumInFlight = pipeline.maximumInFlight
    self.pipeline = DeliveryPipeline(
      backend: AhoyService.backend,
      format: AhoyDelivery(endpoint: endpoint, shape: shape, limits: limits) { visits.standing($0) },
      store: parts.deliveries, transport: transport, clock: SystemMonotonicClock(), wallClock: parts.clock,
      sleeper: SystemSleeper(), random: parts.tokens, options: options, observer: { lastStatus.take($0, log) })
    relay.connect(self.pipeline)
    parts.committed.connect(self.pipeline)
  }

  /// Begins to deliver what is stored, and registers the visit in the background.
  func start() {
    let pipeline = pipeline
    Task { await pipeline.start() }
    visits.ensure()
  }

  /// Gives what is stored a last chance, and ends. What is left the next run delivers.
  func stop(milliseconds: Int) {
    visits.stop()
    let isDone = Gate()
    let pipeline = pipeline
    Task {
      await pipeline.drain(milliseconds: milliseconds)
      isDone.signal()
    }
    isDone.wait()
    transport.stop()
  }

  // MARK: Orders

  /// What the admin endpoint can ask.
  ///
  /// - Parameter settle: hands over to the store what the workers have recorded until now; may block.
  func orders(settle: @escaping @Sendable () -> Void) -> BackendOrders {
    BackendOrders(
      trackVisit: { [self] params, reply in
        visits.trackVisit(params) { [self] result in
          switch result {
          case .success(let record): reply(.success(visits.report(record)))
          case .failure(let failure): reply(.failure(AhoyService.refusal(failure)))
          }
        }
      },
      track: { [self] name, properties, reply in
        Task { reply(await track(name, properties)) }
      },
      attach: { [self] userID, reply in
        do throws(StoreError) {
          try visits.attach(userID)
          reply(.success(()))
        } catch {
          reply(.failure(.store(reason: error.description)))
        }
      },
      flush: { [self] reply in
        Task { reply(.success([await flush(settle)])) }
      },
      deadLetters: { [self] query, reply in
        Task { reply(await letters(query)) }
      },
      requeue: { [self] ids, backend, reply in
        Task { reply(await requeue(ids, backend)) }
      })
  }

  /// Stores an event of the visit of the moment.
  private func track(_ name: String, _ properties: [JSONMember]) async -> Result<String, OrderRefusal> {
    let part = visits.snapshotPart()
    guard !part.eventMembers.isEmpty else {
      return .failure(.unacceptable(reason: "there is no visit: start one with POST /visit"))
    }
    let now = clock.millisecondsSinceEpoch()
    let id = tokens.uuidVersion7(millisecondsSinceEpoch: now)
    let payload = TrackedEvent.json(
      name: name, id: id, timeMilliseconds: now, properties: properties, members: part.eventMembers)
    let event = QueuedEvent(sequence: 0, id: id, timeMilliseconds: now, payload: payload)
    if case .event(let tokens, let prepared) = shape.read(event),
      EventsRequest.fit([prepared], tokens: tokens, limits: limits).count == 0
    {
      return .failure(.unacceptable(reason: "the event is larger than a request, \(limits.maximumBytes) bytes"))
    }
    events.append(EventRow(id: id, timeMilliseconds: now, payload: payload))
    guard await commits({}) else {
      return .failure(.store(reason: "the store does not take events now; this one waits in memory, as \(id)"))
    }
    return .success(id)
  }

  /// Commits what was handed in before, on a thread that may block.
  private func commits(_ settle: @escaping @Sendable () -> Void) async -> Bool {
    let events = events
    return await withCheckedContinuation { continuation in
      do throws(SystemError) {
        _ = try NativeThread(name: "commit") {
          settle()
          continuation.resume(returning: events.flush(timeoutMilliseconds: 2_000))
        }
      } catch {
        continuation.resume(returning: false)
      }
    }
  }

  private func flush(_ settle: @escaping @Sendable () -> Void) async -> FlushOutcome {
    // What was recorded a moment ago goes, too. What the store cannot take shows in the state of the events.
    _ = await commits(settle)
    pipeline.committed(upTo: events.status.lastSequence)
    let report = await pipeline.flush()
    return FlushOutcome(
      backend: AhoyService.backend, sent: report.sent, dead: report.dead, remaining: report.remaining,
      isComplete: report.isComplete, obstacle: report.obstacle)
  }

  private func letters(_ query: DeadLetterQuery) async -> Result<DeadLetterPage, OrderRefusal> {
    do throws(StoreError) {
      let letters = try await deliveries.deadLetters(of: query.backend, after: query.after, limit: query.limit)
      let total = try await deliveries.deadLetterCount(of: query.backend)
      return .success(
        DeadLetterPage(letters: letters.map { DeadLetterPage.Letter($0) }, total: UInt64(clamping: total)))
    } catch {
      return .failure(.store(reason: error.description))
    }
  }

  private func requeue(_ ids: [String]?, _ backend: String?) async -> Result<UInt64, OrderRefusal> {
    do throws(StoreError) {
      let count = try await deliveries.requeue(ids: ids, of: backend)
      pipeline.lettersQueued()
      return .success(UInt64(clamping: count))
    } catch {
      return .failure(.store(reason: error.description))
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

  // MARK: Reports

  func visitReport() -> StatusReport.Ahoy {
    var report = visits.statusReport()
    report.baseURL = endpoint.visitsURL
    report.userAgent = endpoint.userAgent
    return report
  }

  func deliveryReport() -> StatusReport.Delivery {
    let status = lastStatus.status
    var report = StatusReport.Delivery(backend: AhoyService.backend)
    report.state = StatusReport.Delivery.State(rawValue: status.state.rawValue) ?? .loading
    report.depth = status.depth
    report.oldestAgeSeconds = status.oldestTimeMilliseconds.map {
      Double(max(0, clock.millisecondsSinceEpoch() - $0)) / 1000
    }
    report.sent = UInt64(clamping: status.sent)
    report.retried = UInt64(clamping: status.retried)
    report.dropped = UInt64(clamping: status.damaged + positions.droppedUndelivered(of: AhoyService.backend))
    report.dead = UInt64(clamping: status.dead)
    report.requests = UInt64(clamping: status.requests)
    report.inFlight = status.inFlight
    report.lastError = status.storeError ?? status.lastError
    report.lastErrorAt = status.lastErrorMilliseconds
    report.nextTryAt = status.nextTryMilliseconds
    return report
  }
}

extension DeadLetterPage.Letter {
  fileprivate init(_ letter: DeadLetter) {
    self.init(
      number: letter.number, backend: letter.backend, id: letter.event.id, time: letter.event.timeMilliseconds,
      diedAt: letter.diedAtMilliseconds, reason: letter.reason, isQueued: letter.isQueued,
      payload: String(decoding: letter.event.payload, as: UTF8.self))
  }
}
