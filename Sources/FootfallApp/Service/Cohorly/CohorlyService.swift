import AdminAPI
import CohorlyTracker
import Effects
import EventPipeline
import LoopRuntime
import OutboundHTTP
import ProxyConfiguration
import ProxyCore
import Recording
import Storage
import Synchronization

/// Cohorly in the running proxy: the identity, the flags that rules ask, and the delivery of events, profiles and ids.
final class CohorlyService: Sendable {
  /// The name of the backend in the store, the status and the metrics.
  static let backend = "cohorly"

  let keeper: CohorlyKeeper
  let delivery: BackendDelivery
  let section: Configuration.Cohorly
  let endpoint: CohorlyEndpoint
  private let shape: CohorlyEventShape
  private let transport: OutboundHTTP
  private let mailbox: LoopMailbox
  private let events: EventDatabase
  private let clock: any WallClock
  private let tokens: any TokenSource
  private let reloads = Mutex<Task<Void, Never>?>(nil)

  /// - Parameters:
  ///   - mailbox: of the loop that may wait for the disk.
  ///   - onChange: told when snapshots are to be made anew; on that loop.
  init(
    _ cohorly: Configuration.Cohorly, _ pipeline: Configuration.Pipeline, version: String, state: any KeyValueStore,
    mailbox: LoopMailbox, _ parts: BackendDelivery.Parts,
    onChange: @escaping @Sendable () -> Void
  ) throws(CommandFailure) {
    section = cohorly
    endpoint = CohorlyService.endpoint(cohorly)
    let shape = CohorlyService.shape(cohorly, version: version)
    self.shape = shape
    self.mailbox = mailbox
    events = parts.events
    clock = parts.clock
    tokens = parts.tokens
    transport = try BackendDelivery.transport(cohorly.certificateFiles, parts)
    let keeper = CohorlyKeeper(
      policy: FlagPersistence(rawValue: cohorly.flagPersistence.rawValue) ?? .networkOnly,
      ttlMilliseconds: Int64(clamping: Duration.seconds(cohorly.flagCacheTTLHours * 3600).wholeMilliseconds),
      store: state, clock: parts.clock, tokens: parts.tokens, mailbox: mailbox, log: parts.log, onChange: onChange)
    self.keeper = keeper
    delivery = BackendDelivery(
      CohorlyService.backend,
      format: CohorlyDelivery(
        endpoint: endpoint,
        read: { shape.read($0) },
        refused: { keeper.noteRefused($0) }),
      transport: transport, options: .cohorly, pipeline, parts)
  }

  /// Begins to deliver what is stored, and evaluates the flags now and from time to time.
  func start() {
    delivery.start()
    let seconds = section.flagReloadSeconds
    let task = Task { [self] in
      repeat {
        await reloadFlags()
        guard seconds > 0 else { return }
        // Nothing but the end of the service cancels this sleep, and then the loop ends.
        do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
      } while true
    }
    reloads.withLock { $0 = task }
  }

  /// Gives what is stored a last chance, and ends.
  func stop(milliseconds: Int, sendsMore: Bool = true) {
    reloads.withLock { $0 }?.cancel()
    keeper.stop()
    delivery.stop(milliseconds: milliseconds, sendsMore: sendsMore)
  }

  // MARK: Flags

  /// Evaluates the flags of the present identity; returns why that failed, nil when it did not. An answer that a later
  /// reload has overtaken counts as none.
  @discardableResult
  func reloadFlags() async -> String? {
    guard let ticket = keeper.beginReload() else { return "the proxy is ending" }
    let body = FlagEvaluation.body(distinctID: ticket.distinctID, token: endpoint.token)
    let outcome: Result<OutboundResponse, TransportError>
    do throws(TransportError) {
      outcome = .success(try await transport.send(endpoint.evaluation(body)))
    } catch {
      outcome = .failure(error)
    }
    let answer = FlagAnswer.parse(outcome)
    return await onLoop { [keeper] in keeper.reloaded(ticket, answer) }
  }

  /// Flags have decided about recorded exchanges: what of that is new becomes an event each.
  func asked(_ gates: AskedGates) {
    let (exposures, identity) = keeper.expose(gates.decisions)
    for exposure in exposures {
      record(at: gates.firstMilliseconds) { [shape] event in
        shape.record(FlagExposure.event, event, identity, exposure.properties)
      }
    }
  }

  // MARK: Records

  /// Stores a record; it is sent with the events.
  private func record(at moment: Int64, _ make: (QueuedEvent) -> CohorlyRecord) {
    let id = tokens.uuidVersion7(millisecondsSinceEpoch: moment)
    let record = make(QueuedEvent(sequence: 0, id: id, timeMilliseconds: moment, payload: []))
    events.append(
      EventRow(id: id, timeMilliseconds: moment, payload: record.stored(id: id, timeMilliseconds: moment)))
  }

  /// Why an event can never be sent; nil when it can.
  func obstacle(to event: QueuedEvent) -> String? {
    guard case .record(let record) = shape.read(event) else { return "it is no event that Cohorly takes" }
    return record.json(token: endpoint.token).count <= CohorlyLimits.bytes
      ? nil : "the event is larger than the \(CohorlyLimits.bytes) bytes of a request"
  }

  private func onLoop<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      mailbox.post { continuation.resume(returning: body()) }
    }
  }

  // MARK: Orders

  /// Says who it is; the flags are evaluated for the new identity in the background. On the owner's loop.
  func identify(_ distinctID: String) throws(StoreError) -> IdentityReport {
    let change = try keeper.identify(distinctID)
    if let change {
      if let alias = change.alias { record(at: clock.millisecondsSinceEpoch()) { _ in alias.record } }
      changed()
    }
    let identity = change?.identity ?? keeper.identity
    return IdentityReport(
      distinctID: identity.distinctID, deviceID: identity.deviceID, isAnonymous: identity.isAnonymous,
      isChanged: change != nil)
  }

  /// Stores changes of the profile of the present identity; returns how many.
  func people(_ changes: [PeopleChange]) -> Int {
    let identity = keeper.identity
    let operations = changes.map(PeopleOperation.init).filter { !$0.isEmpty }
    let now = clock.millisecondsSinceEpoch()
    for operation in operations {
      record(at: now) { _ in operation.record(distinctID: identity.distinctID) }
    }
    return operations.count
  }

  /// Begins anew with somebody unknown: what waits up to a number is discarded.
  func reset(discardingUpTo last: Int64) async throws(StoreError) -> IdentityReset {
    let outcome = await onLoop { [keeper] () -> Result<CohorlyIdentity, StoreError> in
      do throws(StoreError) { return .success(try keeper.reset()) } catch { return .failure(error) }
    }
    let fresh = try outcome.get()
    let discarded = await delivery.discard(upTo: last)
    changed()
    return IdentityReset(distinctID: fresh.distinctID, discarded: UInt64(clamping: discarded))
  }

  /// The identity is another one: the server hears of it soon, and is asked for its flags.
  private func changed() {
    Task { [self] in
      async let flushed = delivery.flush()
      await reloadFlags()
      _ = await flushed
    }
  }
}

extension PeopleOperation {
  fileprivate init(_ change: PeopleChange) {
    switch change {
    case .set(let members): self = .set(members)
    case .setOnce(let members): self = .setOnce(members)
    case .increment(let members): self = .increment(members)
    case .unset(let names): self = .unset(names)
    case .delete: self = .delete
    }
  }
}
