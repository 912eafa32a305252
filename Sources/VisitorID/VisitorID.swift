public import Effects
import Synchronization
public import URLRules

/// An anonymous id of this installation, sent in a request header to the URLs that rules name.
///
/// The id is a random UUID with a fixed validity from its creation. It is made when it is first asked for, survives
/// restarts, and is replaced when it is asked for after its end. It is neither a user id nor a credential.
///
/// Off without a configuration or with a wrong one; `state` says which. All methods may be called on any thread. The
/// first call, and one per validity, reads or writes the store and takes as long as that does.
public final class VisitorID: Sendable {
  /// Whether there is an id, and why not.
  public let state: VisitorIDState
  /// The header's name in lower case; empty while the feature is off.
  public let header: String

  private let store: any KeyValueStore
  private let clock: any WallClock
  private let rules: RuleSet?
  /// Nil while the feature is off. Never held while the store is asked.
  private let life: Mutex<VisitorLifeCycle?>
  /// Held while the store is asked, so that two first readers get one id. Taken before `life`, where both are.
  private let storeAccess = Mutex(())

  /// The visitor id of a configuration.
  ///
  /// - Parameters:
  ///   - configuration: Nil turns the feature off.
  ///   - store: Where the id survives a restart.
  ///   - clock: The time of day, for the validity.
  ///   - monotonicClock: Times the handlers.
  ///   - tokens: Where ids come from.
  ///   - patterns: Compiles the regular expressions.
  ///   - hostNames: Reads internationalized hosts in prefixes.
  public convenience init(
    configuration: VisitorIDConfiguration?, store: any KeyValueStore, clock: any WallClock,
    monotonicClock: any MonotonicClock, tokens: any TokenSource, patterns: any PatternEngine,
    hostNames: any HostNameEncoder
  ) {
    let validated = ValidatedConfiguration(
      configuration, patterns: patterns, hostNames: hostNames, clock: monotonicClock)
    self.init(validated, store: store, clock: clock, tokens: tokens, continuing: nil)
  }

  /// The visitor id of a program that has checked its rules itself, such as the proxy.
  ///
  /// - Parameter previous: The one that this one replaces; an id that it could not store goes on here.
  package convenience init(
    header: String, ttlHours: Double, store: any KeyValueStore, clock: any WallClock, tokens: any TokenSource,
    continuing previous: VisitorID? = nil
  ) {
    self.init(
      ValidatedConfiguration(header: header, ttlHours: ttlHours), store: store, clock: clock, tokens: tokens,
      continuing: previous)
  }

  private init(
    _ configuration: ValidatedConfiguration, store: any KeyValueStore, clock: any WallClock, tokens: any TokenSource,
    continuing previous: VisitorID?
  ) {
    state = configuration.state
    header = configuration.state.isOn ? configuration.header : ""
    rules = configuration.rules
    self.store = store
    self.clock = clock
    var life: VisitorLifeCycle?
    if configuration.state.isOn {
      life = VisitorLifeCycle(ttlMilliseconds: configuration.ttlMilliseconds, tokens: tokens)
      if let older = previous?.life.withLock({ $0 }) { life?.adopt(older) }
    }
    self.life = Mutex(life)
  }

  /// The id of this moment; nil while the feature is off.
  public func current() -> String? { currentSnapshot()?.id }

  /// The id, when a rule lets it travel to that URL; nil otherwise, also for a text that is no http or https URL.
  public func visitorID(for url: String) -> String? {
    guard let rules, case .success(let verdict) = rules.verdict(forURL: url), verdict.isMatch else { return nil }
    return current()
  }

  /// The header to set on a request to that URL, replacing any of its name; empty when no rule lets the id travel there.
  ///
  /// Ask once per request, and again for each redirect.
  public func headers(for url: String) -> [String: String] {
    visitorID(for: url).map { [header: $0] } ?? [:]
  }

  /// Replaces the id, or clears the stored one while the feature is off.
  ///
  /// Requests already sent keep the id they were sent with.
  @discardableResult
  public func resetVisitorID() -> VisitorIDResetOutcome {
    do throws(StoreError) {
      guard state.isOn else {
        try VisitorID.forget(in: store)
        return .cleared
      }
      return .renewed(id: try reset())
    } catch {
      return .failed(error)
    }
  }

  /// Whether the id of this moment would survive a restart; false while there is none.
  public var isPersisted: Bool { life.withLock { $0?.isPersisted ?? false } }

  /// Why the store could not be used at the last attempt; nil when it could.
  public var storeError: StoreError? { life.withLock { $0?.storeError } }
}

/// What a reset did.
public enum VisitorIDResetOutcome: Sendable, Equatable {
  /// There is a new id, and it is stored.
  case renewed(id: String)
  /// The feature is off; the stored id is gone.
  case cleared
  /// The store failed: nothing has changed.
  case failed(StoreError)
}

extension VisitorID {
  /// The id of a moment and its limits, to be kept until `validity` ends.
  package struct Snapshot: Sendable, Hashable {
    package let id: String
    package let createdAtMilliseconds: Int64
    /// `Int64.max` for an id that never ends.
    package let expiresAtMilliseconds: Int64
    /// False while the id could not be stored: asking again, a second later or more, tries again.
    package let isPersisted: Bool

    fileprivate init(_ record: VisitorRecord, _ life: VisitorLifeCycle) {
      id = record.id
      createdAtMilliseconds = record.createdAtMilliseconds
      expiresAtMilliseconds = record.expiry(ttlMilliseconds: life.ttlMilliseconds)
      isPersisted = life.isPersisted
    }

    /// When the id may be used, milliseconds since the epoch: until it expires, and not on a clock set back behind it.
    package var validity: Range<Int64> {
      let start = createdAtMilliseconds.subtractingReportingOverflow(VisitorRecord.clockTolerance)
      let first = start.overflow ? Int64.min : start.partialValue
      return first..<max(expiresAtMilliseconds, first)
    }
  }

  /// The id of this moment with its limits; nil while the feature is off. Reads and writes the store where that is due.
  package func currentSnapshot() -> Snapshot? {
    if let snapshot = settledSnapshot() { return snapshot }
    return storeAccess.withLock { _ in
      askStore()
      let snapshot = snapshotFromMemory()
      if snapshot?.isPersisted ?? true { return snapshot }
      askStore()
      return snapshotFromMemory()
    }
  }

  /// The same without the store, for who must not wait for a disk. A new id is not persisted then; `currentSnapshot()`
  /// stores it.
  package func snapshotFromMemory() -> Snapshot? {
    withLife { life, now in
      let record = life.current(at: now)
      return Snapshot(record, life)
    }
  }

  /// The id, if it is current and stored: the usual case, in which nothing has to be asked.
  private func settledSnapshot() -> Snapshot? {
    withLife { life, now in
      guard life.isPersisted, let record = life.record, record.isCurrent(at: now, ttlMilliseconds: life.ttlMilliseconds)
      else { return nil }
      return Snapshot(record, life)
    }
  }

  /// Asks the store for what is due.
  private func askStore() {
    switch withLife({ $0.errand(at: $1) }) {
    case nil: return
    case .load:
      let answer = answer { () throws(StoreError) in try store.value(forKey: VisitorRecord.key) }
      withLife { $0.loaded(answer, at: $1) }
    case .store(let record):
      let answer = answer { () throws(StoreError) in try store.set(record.bytes, forKey: VisitorRecord.key) }
      withLife { $0.stored(record, answer, at: $1) }
    }
  }

  /// The life, if the feature is on, and the time. The clock is read under the lock: a moment taken before a wait, for
  /// the lock or the store, could be one in which an id that another thread has made since is not current yet.
  @discardableResult
  private func withLife<Value>(_ body: (inout VisitorLifeCycle, Int64) -> Value?) -> Value? {
    life.withLock { life in
      guard var own = life else { return nil }
      defer { life = own }
      return body(&own, clock.millisecondsSinceEpoch())
    }
  }

  private func answer<Value>(_ question: () throws(StoreError) -> Value) -> Result<Value, StoreError> {
    do throws(StoreError) { return .success(try question()) } catch { return .failure(error) }
  }

  /// Replaces the id and stores the new one before returning. When it cannot be stored, the old one stays: it would come
  /// back after a restart.
  ///
  /// - Throws: When it cannot be stored, or the feature is off (`closed`); nothing has changed then.
  package func reset() throws(StoreError) -> String {
    let now = clock.millisecondsSinceEpoch()
    let result: Result<String, StoreError> = storeAccess.withLock { _ in
      guard let fresh = life.withLock({ $0?.makeRecord(at: now) }) else {
        return .failure(StoreError(.closed, "the visitor id is off"))
      }
      let answer = answer { () throws(StoreError) in try store.set(fresh.bytes, forKey: VisitorRecord.key) }
      if case .failure(let error) = answer { return .failure(error) }
      life.withLock { $0?.replace(by: fresh) }
      return .success(fresh.id)
    }
    return try result.get()
  }

  /// Removes a stored id, for a program in which the feature is off.
  package static func forget(in store: any KeyValueStore) throws(StoreError) {
    try store.removeValue(forKey: VisitorRecord.key)
  }
}
