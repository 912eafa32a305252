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
    var section: Configuration.Ahoy?
    var pipeline: Configuration.Pipeline?
    var deliveries: DeliveryDatabase?
    var isStarted = false
  }

  private let state = Mutex(State())
  let parts: ServiceParts
  private let version: String
  private let capacity: Int64
  private let mailbox: LoopMailbox
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

  /// The deliveries that run.
  var all: [BackendDelivery] { [ahoy?.delivery].compactMap { $0 } }

  /// Nil before the first backend.
  var deliveries: DeliveryDatabase? { state.withLock { $0.deliveries } }

  /// Where Ahoy's headers are not injected.
  var reserved: ReservedPath? { state.withLock { $0.section }.flatMap(AhoyService.reservedPath) }

  /// Takes what a configuration says of the backends. What is under way to those of before is sent again by the new
  /// ones, under the same ids.
  ///
  /// - Throws: when they cannot be had; those of before go on then.
  func use(_ configuration: Configuration) throws(CommandFailure) {
    let old = state.withLock { $0 }
    guard configuration.ahoy != old.section || configuration.pipeline != old.pipeline else { return }
    // The new one reads what the old one knows.
    old.ahoy?.visits.storeLedger()
    var ahoy: AhoyService?
    if let section = configuration.ahoy { ahoy = try make(section, configuration.pipeline) }
    old.ahoy?.stop(milliseconds: 0)
    state.withLock { state in
      state.ahoy = ahoy
      state.section = configuration.ahoy
      state.pipeline = configuration.pipeline
    }
    if old.isStarted { ahoy?.start() }
  }

  private func make(
    _ section: Configuration.Ahoy, _ pipeline: Configuration.Pipeline
  ) throws(CommandFailure) -> AhoyService? {
    guard let store = parts.state, let events = parts.events else { return nil }
    return try AhoyService(
      section, pipeline, version: version, state: store, mailbox: mailbox,
      .init(
        events: events, deliveries: try openDeliveries(events), positions: parts.positions, committed: parts.committed,
        capacity: capacity, clock: parts.clock, tokens: parts.tokens, resolver: resolver, log: log),
      onChange: onChange)
  }

  /// Opened for the first backend: one that is new starts behind what is stored then.
  private func openDeliveries(_ events: EventDatabase) throws(CommandFailure) -> DeliveryDatabase {
    if let open = deliveries { return open }
    let log = log
    do throws(StoreError) {
      var options = DeliveryDatabaseOptions()
      options.onIncident = { log.error("the database of deliveries", ["incident": "\($0)"]) }
      let deliveries = try DeliveryDatabase(
        in: parts.directory, events: events, backends: [AhoyService.backend], positions: parts.positions,
        options: options)
      state.withLock { $0.deliveries = deliveries }
      return deliveries
    } catch {
      throw ServiceParts.failure(error, parts.stateDirectory)
    }
  }

  /// Begins to deliver, and to register the visit.
  func start() {
    let ahoy = state.withLock { state in
      state.isStarted = true
      return state.ahoy
    }
    ahoy?.start()
  }

  /// Gives what is stored a last chance, and ends. What is left the next run delivers.
  func stop(milliseconds: Int) {
    let (ahoy, deliveries) = state.withLock { ($0.ahoy, $0.deliveries) }
    ahoy?.stop(milliseconds: milliseconds)
    deliveries?.close()
  }
}
