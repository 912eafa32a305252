import CohorlyTracker
import Effects
import LoopRuntime
import ProxyCore
import Recording
import Storage
import Synchronization

/// The identity and the flags of the running proxy: decides with a ``FlagStore``, remembers and stores.
///
/// What snapshots ask is answered from memory. What changes is stored first, on the loop that owns the state.
final class CohorlyKeeper: Sendable {
  /// A rule that asks a flag.
  struct Question: Sendable {
    var rule: Int32
    var name: String
    var flag: String
    var wanted: FlagValue
    var fallback: FlagValue
  }

  /// What a snapshot holds of Cohorly.
  struct SnapshotPart: Sendable {
    /// For recorded events.
    var eventMembers: [UInt8] = []
    var gates: [GateDecision] = []
    /// When the part holds, milliseconds since the epoch.
    var validity = Int64.min..<Int64.max
  }

  struct State {
    var identity: CohorlyIdentity
    var flags: FlagStore
    /// The readings behind the decisions of the last snapshots, by their number.
    var readings: [Int: Readings] = [:]
    var lastReading = 0
    var evaluatedAt: Int64?
    var evaluations: UInt64 = 0
    var failures: UInt64 = 0
    var refusedOperations: UInt64 = 0
    var lastError: String?
    var lastErrorAt: Int64?
    var isStopped = false
  }

  struct Readings {
    var distinctID: String
    var flags: [String: FlagReading] = [:]
  }

  let state: Mutex<State>
  let store: any KeyValueStore
  let clock: any WallClock
  let tokens: any TokenSource
  private let mailbox: LoopMailbox
  let log: ServiceLog
  /// Told when decisions or members of events are others than before; on the owner's loop.
  let onChange: @Sendable () -> Void

  init(
    policy: FlagPersistence, ttlMilliseconds: Int64, store: any KeyValueStore, clock: any WallClock,
    tokens: any TokenSource, mailbox: LoopMailbox, log: ServiceLog, onChange: @escaping @Sendable () -> Void
  ) {
    self.store = store
    self.clock = clock
    self.tokens = tokens
    self.mailbox = mailbox
    self.log = log
    self.onChange = onChange
    let identity = CohorlyKeeper.identity(store, tokens, log)
    var flags = FlagStore(policy: policy, ttlMilliseconds: ttlMilliseconds, distinctID: identity.distinctID)
    if let warning = flags.warning { log.warning("the flags", ["issue": warning]) }
    let kept = CohorlyKeeper.read(FlagCache.storedKey, store, log)
    let actions = flags.load(kept, at: clock.millisecondsSinceEpoch())
    state = Mutex(State(identity: identity, flags: flags))
    perform(actions)
  }

  private static func read(_ key: String, _ store: any KeyValueStore, _ log: ServiceLog) -> [UInt8]? {
    do throws(StoreError) {
      return try store.value(forKey: key)
    } catch {
      log.error("the state of Cohorly cannot be read", ["key": key, "reason": error.description])
      return nil
    }
  }

  /// The stored identity, or a new one, which is stored at once.
  private static func identity(
    _ store: any KeyValueStore, _ tokens: any TokenSource, _ log: ServiceLog
  ) -> CohorlyIdentity {
    let kept = read(CohorlyIdentity.key, store, log)
    if let identity = kept.flatMap({ CohorlyIdentity(stored: $0) { tokens.uuidVersion4() } }) { return identity }
    let fresh = CohorlyIdentity(anonymous: tokens.uuidVersion4())
    do throws(StoreError) {
      try store.set(fresh.bytes, forKey: CohorlyIdentity.key)
    } catch {
      log.error("the identity cannot be stored: a restart begins a new one", ["reason": error.description])
    }
    return fresh
  }

  // MARK: What snapshots ask

  /// The decisions of the moment, from memory.
  func snapshotPart(_ questions: [Question]) -> SnapshotPart {
    let now = clock.millisecondsSinceEpoch()
    let (part, expired) = state.withLock { state -> (SnapshotPart, [FlagStore.Action]) in
      // Kept flags that are too old are forgotten, also on the disk, so that a clock that is set back brings none back.
      let expired = state.flags.dropExpired(at: now)
      return (self.part(questions, &state, at: now), expired)
    }
    // A worker does not wait for the disk.
    if !expired.isEmpty { mailbox.post { [self] in perform(expired) } }
    return part
  }

  private func part(_ questions: [Question], _ state: inout State, at now: Int64) -> SnapshotPart {
    var part = SnapshotPart(eventMembers: CohorlyEventShape.eventMember(state.identity))
    guard !questions.isEmpty else { return part }
    state.lastReading += 1
    var readings = Readings(distinctID: state.identity.distinctID)
    for question in questions {
      let reading = state.flags.peek(question.flag, fallback: question.fallback, at: now)
      readings.flags[question.flag] = reading
      var writer = JSONWriter()
      writer.write(reading.value?.json ?? .null)
      part.gates.append(
        GateDecision(
          rule: question.rule, ruleName: question.name, flag: question.flag, value: writer.bytes,
          label: label(reading, question), isOpen: reading.matches(question.wanted), reading: state.lastReading))
    }
    // Batches of events refer to snapshots that were replaced a moment ago.
    state.readings[state.lastReading] = readings
    state.readings[state.lastReading - 256] = nil
    if let change = state.flags.nextChange(after: now) { part.validity = .min..<max(change, now &+ 1) }
    return part
  }

  /// A truth, the variant that the rule wants, or `other`.
  private func label(_ reading: FlagReading, _ question: Question) -> String {
    switch (reading.value, question.wanted) {
    case (.bool(let truth), _): "\(truth)"
    case (.text(let text), .text(let wanted)) where text == wanted: text
    case (.text, .bool): "\(reading.isEnabled)"
    case (.text, .text): "other"
    case (nil, _): "\(reading.isEnabled)"
    }
  }

  /// The exposures that decisions of a snapshot are, those that are the first of their kind, and whose they are.
  func expose(_ gates: [GateDecision]) -> (exposures: [FlagExposure], identity: CohorlyIdentity) {
    state.withLock { state in
      let exposures = gates.compactMap { gate -> FlagExposure? in
        guard let readings = state.readings[gate.reading], let reading = readings.flags[gate.flag] else { return nil }
        return state.flags.expose(gate.flag, reading, of: readings.distinctID)
      }
      return (exposures, state.identity)
    }
  }

  // MARK: Identity

  /// Says who it is. On the owner's loop.
  ///
  /// - Returns: the identity now, and what the server is to be told; nil when nothing changed.
  /// - Throws: when it could not be stored; nothing has changed then.
  func identify(_ distinctID: String) throws(StoreError) -> CohorlyIdentity.Identification? {
    guard let change = state.withLock({ $0.identity.identified(as: distinctID) }) else { return nil }
    try become(change.identity)
    return change
  }

  /// Begins anew with somebody unknown. On the owner's loop.
  func reset() throws(StoreError) -> CohorlyIdentity {
    let fresh = CohorlyIdentity(anonymous: tokens.uuidVersion4())
    try become(fresh)
    return fresh
  }

  private func become(_ identity: CohorlyIdentity) throws(StoreError) {
    try store.set(identity.bytes, forKey: CohorlyIdentity.key)
    let actions = state.withLock { state in
      state.identity = identity
      state.evaluatedAt = nil
      return state.flags.identityChanged(to: identity.distinctID)
    }
    perform(actions)
  }

  var identity: CohorlyIdentity { state.withLock { $0.identity } }

  // MARK: Flags

  /// Begins to evaluate the flags anew; nil after the end.
  func beginReload() -> FlagTicket? {
    state.withLock { state in state.isStopped ? nil : state.flags.beginReload() }
  }

  /// The answer to a reload; returns why it failed, nil when it did not. On the owner's loop.
  func reloaded(_ ticket: FlagTicket, _ answer: FlagAnswer) -> String? {
    let now = clock.millisecondsSinceEpoch()
    let (actions, failure) = state.withLock { state -> ([FlagStore.Action], String?) in
      guard !state.isStopped, state.flags.inFlight == ticket else {
        return ([], "another evaluation has begun meanwhile")
      }
      let actions = state.flags.reloaded(ticket, answer, at: now)
      if let reason = state.flags.lastFailure {
        state.failures += 1
        note("the flags: \(reason)", at: now, &state)
        return (actions, reason)
      }
      state.evaluations += 1
      state.evaluatedAt = now
      return (actions, nil)
    }
    if let failure { log.warning("the flags could not be evaluated", ["reason": failure]) }
    perform(actions)
    return failure
  }

  /// What the server took without carrying it out.
  func noteRefused(_ operations: [String]) {
    let now = clock.millisecondsSinceEpoch()
    state.withLock { state in
      state.refusedOperations += UInt64(operations.count)
      note("refused by the server: \(operations.joined(separator: ", "))", at: now, &state)
    }
    log.warning("the server refused changes of a profile", ["operations": operations.joined(separator: ", ")])
  }

  private func note(_ error: String, at now: Int64, _ state: inout State) {
    state.lastError = error
    state.lastErrorAt = now
  }

  func stop() { state.withLock { $0.isStopped = true } }

  private func perform(_ actions: [FlagStore.Action]) {
    for action in actions {
      do throws(StoreError) {
        switch action {
        case .store(let bytes): try store.set(bytes, forKey: FlagCache.storedKey)
        case .removeStored: try store.removeValue(forKey: FlagCache.storedKey)
        case .notify: onChange()
        }
      } catch {
        log.error("the flags cannot be stored", ["reason": error.description])
      }
    }
  }
}
