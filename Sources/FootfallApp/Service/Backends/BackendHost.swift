import AhoyTracker
import Effects
import LoopRuntime
import ProxyConfiguration
import ProxyCore
import Storage
import Synchronization

/// The backends of the running proxy: those of the configuration now in force, and the database of deliveries, which
/// outlives them.
///
/// Changed on the loop that owns it; workers ask for the present ones.
final class BackendHost: Sendable {
  private struct State {
    var ahoy: AhoyService?
    var cohorly: CohorlyService?
    /// What they were made of.
    var configuration = Configuration()
    var deliveries: DeliveryDatabase?
    /// The backends that the database was opened for.
    var names: Set<String> = []
    var isStarted = false
  }

  private let state = Mutex(State())
  let parts: ServiceParts
  private let version: String
  private let capacity: Int64
  let mailbox: LoopMailbox
  private let log: ServiceLog
  /// Never stopped: a look-up can take longer than anyone waits for.
  private let resolver = Resolver(threads: 1)
  private let onChange: @Sendable () -> Void

  /// - Parameters:
  ///   - capacity: Events that the store keeps at most.
  ///   - mailbox: of the owner's loop, which may wait for the disk.
  ///   - onChange: told when snapshots are to be made anew; on that loop.
  init(
    _ parts: ServiceParts, version: String, capacity: Int64, mailbox: LoopMailbox, log: ServiceLog,
    onChange: @escaping @Sendable () -> Void
  ) {
    self.parts = parts
    self.version = version
    self.capacity = capacity
    self.mailbox = mailbox
    self.log = log
    self.onChange = onChange
  }

  /// Nil without the section `ahoy`.
  var ahoy: AhoyService? { state.withLock { $0.ahoy } }

  /// Nil without the section `cohorly`.
  var cohorly: CohorlyService? { state.withLock { $0.cohorly } }

  /// The deliveries that run.
  var all: [BackendDelivery] { state.withLock { [$0.ahoy?.delivery, $0.cohorly?.delivery].compactMap { $0 } } }

  /// Nil before the first backend.
  var deliveries: DeliveryDatabase? { state.withLock { $0.deliveries } }

  /// Where Ahoy's headers are not injected.
  var reserved: ReservedPath? { state.withLock { $0.configuration.ahoy }.flatMap(AhoyService.reservedPath) }

  /// How long a backend that is replaced waits for answers, milliseconds; the loop waits with it. What has none by then is
  /// sent again.
  private static let handover = 5_000

  /// Takes what a configuration says of the backends. Those of before end what is under way; the new ones go on behind it.
  ///
  /// - Throws: when they cannot be had; those of before go on then, unless it was the database that could not be had.
  func use(_ configuration: Configuration) throws(CommandFailure) {
    let old = state.withLock { $0 }
    let isOtherPipeline = configuration.pipeline != old.configuration.pipeline
    let changesAhoy = configuration.ahoy != old.configuration.ahoy || isOtherPipeline
    let changesCohorly = configuration.cohorly != old.configuration.cohorly || isOtherPipeline
    guard changesAhoy || changesCohorly else { return }
    // The new one reads what the old one knows.
    old.ahoy?.visits.storeLedger()
    let delivery = try parts(for: configuration, old)
    let ahoy = changesAhoy || delivery.isNew ? try makeAhoy(configuration, delivery.parts) : old.ahoy
    let cohorly = changesCohorly || delivery.isNew ? try makeCohorly(configuration, delivery.parts) : old.cohorly
    if ahoy !== old.ahoy { old.ahoy?.stop(milliseconds: Self.handover, sendsMore: false) }
    if cohorly !== old.cohorly { old.cohorly?.stop(milliseconds: Self.handover, sendsMore: false) }
    state.withLock { state in
      state.ahoy = ahoy
      state.cohorly = cohorly
      state.configuration = configuration
    }
    parts.asked.connect(cohorly)
    guard old.isStarted else { return }
    if ahoy !== old.ahoy { ahoy?.start() }
    if cohorly !== old.cohorly { cohorly?.start() }
  }

  private func makeAhoy(
    _ configuration: Configuration, _ delivery: BackendDelivery.Parts?
  ) throws(CommandFailure) -> AhoyService? {
    guard let section = configuration.ahoy, let store = parts.state, let delivery else { return nil }
    return try AhoyService(
      section, configuration.pipeline, version: version, state: store, mailbox: mailbox, delivery, onChange: onChange)
  }

  private func makeCohorly(
    _ configuration: Configuration, _ delivery: BackendDelivery.Parts?
  ) throws(CommandFailure) -> CohorlyService? {
    guard let section = configuration.cohorly, let store = parts.state, let delivery else { return nil }
    return try CohorlyService(
      section, configuration.pipeline, version: version, state: store, mailbox: mailbox, delivery, onChange: onChange)
  }

  /// What deliveries share. The database is opened for the backends that there are, so that one which is new starts behind
  /// what is stored then; for a further one it is opened anew.
  private func parts(
    for configuration: Configuration, _ old: State
  ) throws(CommandFailure) -> (parts: BackendDelivery.Parts?, isNew: Bool) {
    var names = old.names
    if configuration.ahoy != nil { names.insert(AhoyService.backend) }
    if configuration.cohorly != nil { names.insert(CohorlyService.backend) }
    guard let events = parts.events, !names.isEmpty else { return (nil, false) }
    var isNew = false
    let deliveries: DeliveryDatabase
    if let open = old.deliveries, names == old.names {
      deliveries = open
    } else {
      isNew = true
      old.ahoy?.stop(milliseconds: Self.handover, sendsMore: false)
      old.cohorly?.stop(milliseconds: Self.handover, sendsMore: false)
      old.deliveries?.close()
      state.withLock { state in
        state.ahoy = nil
        state.cohorly = nil
        state.deliveries = nil
      }
      deliveries = try open(for: names, events)
    }
    return (
      BackendDelivery.Parts(
        events: events, deliveries: deliveries, positions: parts.positions, committed: parts.committed,
        capacity: capacity, clock: parts.clock, tokens: parts.tokens, resolver: resolver, log: log), isNew
    )
  }

  private func open(for names: Set<String>, _ events: EventDatabase) throws(CommandFailure) -> DeliveryDatabase {
    let log = log
    do throws(StoreError) {
      var options = DeliveryDatabaseOptions()
      options.onIncident = { log.error("the database of deliveries", ["incident": "\($0)"]) }
      let deliveries = try DeliveryDatabase(
        in: parts.directory, events: events, backends: names.sorted(), positions: parts.positions, options: options)
      state.withLock { state in
        state.deliveries = deliveries
        state.names = names
      }
      return deliveries
    } catch {
      throw ServiceParts.failure(error, parts.stateDirectory)
    }
  }

  /// Begins to deliver, to register the visit and to evaluate the flags.
  func start() {
    let (ahoy, cohorly) = state.withLock { state in
      state.isStarted = true
      return (state.ahoy, state.cohorly)
    }
    ahoy?.start()
    cohorly?.start()
  }

  /// Gives what is stored a last chance, and ends. What is left the next run delivers.
  func stop(milliseconds: Int) {
    let (ahoy, cohorly, deliveries) = state.withLock { ($0.ahoy, $0.cohorly, $0.deliveries) }
    // All at once: the time is for them together.
    for delivery in all { delivery.beginToDrain(milliseconds: milliseconds) }
    ahoy?.stop(milliseconds: milliseconds)
    cohorly?.stop(milliseconds: milliseconds)
    deliveries?.close()
  }
}
