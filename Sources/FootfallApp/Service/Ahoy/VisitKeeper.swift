import AhoyTracker
import Effects
import LoopRuntime
import ProxyCore
import Recording
import Storage
import Synchronization

/// The visits of the running proxy: decides with a ``VisitMachine``, remembers, stores and registers.
///
/// What a worker asks is answered from memory. Storing happens on the loop that owns the state, and sending in tasks; a
/// record is stored before it is sent, so that a restart goes on with the same tokens.
final class VisitKeeper: Sendable {
  /// What the configuration says of visits.
  struct Settings: Sendable {
    var endpoint: AhoyEndpoint
    var windowMilliseconds: Int64
    /// Another visit follows one that has ended.
    var renewsAutomatically: Bool
    /// What every visit tells beside its tokens.
    var environment: VisitEnvironment
    /// What is told besides of visits that the proxy starts by itself.
    var parameters: [JSONMember]
  }

  /// The program as a visit names it.
  struct VisitEnvironment: Sendable {
    var platform: String
    var appVersion: String
    var osVersion: String
  }

  /// What a snapshot holds of the visit.
  struct SnapshotPart: Sendable {
    /// For recorded events; empty while there is no visit.
    var eventMembers: [UInt8] = []
    /// The tokens whose headers travel; nil while none are confirmed.
    var confirmed: VisitTokens?
    /// When the part holds, milliseconds since the epoch.
    var validity = Int64.min..<Int64.max
    /// Headers will be there once the backend has answered.
    var isAwaited = false
  }

  typealias Reply = @Sendable (Result<VisitRecord, VisitMachine.Failure>) -> Void

  struct State {
    var machine: VisitMachine
    /// The visits that events in the queue may mention, the newest last, the current one among them.
    var ledger: VisitLedger
    /// Visits that events mention and the ledger has lost, once they are confirmed.
    var strangers: [String: VisitRecord] = [:]
    /// Attached to events to come.
    var userID: String?
    var lastError: String?
    var replies: [VisitMachine.Ticket: Reply] = [:]
    /// Registrations of earlier visits that are under way.
    var registering: Set<String> = []
    /// Visits that the server will never take, and why.
    var refused: [String: String] = [:]
    /// Pauses between registrations that fail.
    var pause = RegistrationPause()
    var isStopped = false
  }

  let state: Mutex<State>
  let settings: Settings
  let store: any KeyValueStore
  let transport: any Transport
  let clock: any WallClock
  let tokens: any TokenSource
  let mailbox: LoopMailbox
  let log: ServiceLog
  /// Told when the headers or the members of events are others than before; on the owner's loop.
  let onChange: @Sendable () -> Void
  /// Told when events of a visit may be sent that could not be before.
  let onRegistered: @Sendable () -> Void

  /// - Parameter mailbox: of the loop that may wait for the disk.
  init(
    _ settings: Settings, store: any KeyValueStore, transport: any Transport, clock: any WallClock,
    tokens: any TokenSource, mailbox: LoopMailbox, log: ServiceLog, onChange: @escaping @Sendable () -> Void,
    onRegistered: @escaping @Sendable () -> Void
  ) {
    self.settings = settings
    self.store = store
    self.transport = transport
    self.clock = clock
    self.tokens = tokens
    self.mailbox = mailbox
    self.log = log
    self.onChange = onChange
    self.onRegistered = onRegistered
    let kept = VisitMemory(store, log).load()
    state = Mutex(
      State(
        machine: VisitMachine(
          backend: settings.endpoint.visitsURL, windowMilliseconds: settings.windowMilliseconds,
          record: kept.ledger.latest), ledger: kept.ledger, userID: kept.userID))
  }

  // MARK: What workers ask

  /// The visit of the moment, from memory. One that has ended is followed by another where that is automatic; it is
  /// stored soon after, and registered when something needs it.
  func snapshotPart() -> SnapshotPart {
    let now = clock.millisecondsSinceEpoch()
    let (part, actions) = state.withLock { state -> (SnapshotPart, [VisitMachine.Action]) in
      let isOver = settings.renewsAutomatically && !hasCurrent(state, now)
      let actions = isOver ? begin(&state, visitor: state.machine.record?.tokens.visitor, now) : []
      return (self.part(state, now), actions)
    }
    if !actions.isEmpty { mailbox.post { [self] in perform(actions) } }
    return part
  }

  private func hasCurrent(_ state: State, _ now: Int64) -> Bool {
    state.machine.record?.isCurrent(at: now, windowMilliseconds: settings.windowMilliseconds) ?? false
  }

  /// Replaces the visit in memory; returns what that leaves to be done.
  func begin(_ state: inout State, visitor: String?, _ now: Int64) -> [VisitMachine.Action] {
    let fresh = VisitTokens(visit: tokens.uuidVersion4(), visitor: visitor ?? tokens.uuidVersion4())
    let actions = state.machine.reset(to: fresh, fields: fields(settings.parameters), at: now)
    if let record = state.machine.record { state.ledger.keep(record) }
    state.pause = RegistrationPause()
    return actions
  }

  private func part(_ state: State, _ now: Int64) -> SnapshotPart {
    var part = SnapshotPart()
    guard let record = state.machine.record, hasCurrent(state, now) else { return part }
    part.eventMembers = record.tokens.eventMember(userID: state.userID)
    part.confirmed = state.machine.confirmed(at: now)?.tokens
    part.isAwaited = part.confirmed == nil
    let (earliest, isUnder) = record.createdAtMilliseconds.subtractingReportingOverflow(VisitRecord.clockTolerance)
    let start = isUnder ? Int64.min : earliest
    part.validity = start..<max(start, record.expiry(windowMilliseconds: settings.windowMilliseconds))
    return part
  }

  func fields(_ parameters: [JSONMember]) -> [JSONMember] {
    let environment = settings.environment
    return VisitFields.merged(
      platform: environment.platform, appVersion: environment.appVersion, osVersion: environment.osVersion,
      parameters: parameters)
  }

  // MARK: Storing

  /// Stores the visits as they are now. On the owner's loop.
  func storeLedger() {
    let ledger = state.withLock { $0.ledger }
    VisitMemory(store, log).save(ledger)
  }

  // MARK: Orders

  /// The user that events to come are attached to; nil detaches.
  ///
  /// - Throws: when it could not be stored; nothing has changed then.
  func attach(_ userID: String?) throws(StoreError) {
    try VisitMemory(store, log).save(userID: userID)
    state.withLock { $0.userID = userID }
    onChange()
  }

  /// Starts another visit of the same visitor, and returns its token. It is registered when a match or an event needs it,
  /// so that its parameters can still be told. On the owner's loop.
  func reset() -> String {
    let now = clock.millisecondsSinceEpoch()
    let (token, actions) = state.withLock { state in
      let actions = begin(&state, visitor: state.machine.record?.tokens.visitor, now)
      return (state.machine.record?.tokens.visit ?? "", actions)
    }
    perform(actions)
    onChange()
    return token
  }

  /// Ends: no registration begins any more, and an answer that is still to come changes nothing. On the owner's loop, or
  /// once that has ended: what it was to store is stored here.
  func stop() {
    storeLedger()
    let replies = state.withLock { state in
      state.isStopped = true
      defer { state.replies = [:] }
      return state.replies
    }
    for reply in replies.values { reply(.failure(.reset)) }
  }
}
