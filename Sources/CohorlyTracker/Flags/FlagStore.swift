/// The flags of one identity: what the last evaluation brought, before that what an earlier run has kept (contract
/// cohorly.md, section 3).
///
/// The store decides and remembers; its owner asks the server, keeps the cache, tells the time in milliseconds since the
/// epoch, and calls its listeners, outside of whatever guards the store. Methods return what the owner is to do, in this
/// order.
///
/// No value of another identity is ever served: a change of identity forgets everything at once, an answer counts only
/// for the identity and the reload that it was asked for, a cache only for the identity that is named in it.
package struct FlagStore: Sendable {
  package enum Action: Sendable, Hashable {
    /// Keep these bytes under ``FlagCache/storedKey``.
    case store([UInt8])
    /// Remove what is kept under ``FlagCache/storedKey``.
    case removeStored
    /// Tell listeners of the flags that there are now.
    case notify([String: Flag])
  }

  /// The policy, after a time to live that is not positive has turned persistence off.
  package let policy: FlagPersistence
  package let ttlMilliseconds: Int64
  /// What the owner should tell the operator about the options; nil when there is nothing to say.
  package let warning: String?
  /// Whether reads are exposures.
  package let reportsExposures: Bool
  /// Whose flags these are.
  package private(set) var distinctID: String
  /// The reload whose answer is awaited.
  package private(set) var inFlight: FlagTicket?
  /// Why the last reload for this identity failed; nil after a success.
  package private(set) var lastFailure: String?

  private let servingLimit: Int64
  private var origin = Origin.nothing
  /// Empty unless `origin` says where they come from.
  private var flags: [String: Flag] = [:]
  private var exposed: Set<Exposed> = []
  private var reloads: UInt64 = 0

  private enum Origin {
    case nothing
    case network
    case persistence(at: Int64?)
  }

  private struct Exposed: Hashable {
    let key: String
    let value: FlagValue
  }

  /// A store that knows no flag yet.
  ///
  /// - Parameter ttlMilliseconds: how long kept flags are fresh; with 0 or less nothing is kept.
  package init(
    policy: FlagPersistence = .persistenceUntilNetworkSuccess,
    ttlMilliseconds: Int64 = FlagPersistence.defaultTTLMilliseconds, distinctID: String, reportsExposures: Bool = true
  ) {
    let effective = policy.effective(ttlMilliseconds: ttlMilliseconds)
    self.policy = effective
    self.ttlMilliseconds = ttlMilliseconds
    self.distinctID = distinctID
    self.reportsExposures = reportsExposures
    servingLimit = policy.servingLimit(ttlMilliseconds: ttlMilliseconds)
    warning =
      effective == policy
      ? nil
      : "flags are not kept: their time to live of \(ttlMilliseconds) ms is not positive, so \(policy.rawValue) counts "
        + "as \(effective.rawValue)"
  }

  // MARK: What was kept

  /// Takes what the key-value store holds; once, before or after the first reload has begun.
  ///
  /// What is unreadable, of another identity or too old is to be removed. Nothing is taken when an evaluation has
  /// succeeded already, which is newer.
  package mutating func load(_ stored: [UInt8]?, at now: Int64) -> [Action] {
    guard policy.isPersisting, case .nothing = origin, let stored else { return [] }
    guard let cache = FlagCache(stored: stored), cache.belongs(to: distinctID) else { return [.removeStored] }
    origin = .persistence(at: cache.storedAt)
    flags = cache.evaluated.flags
    let dropped = dropExpired(at: now)
    return dropped.isEmpty ? [.notify(flags)] : dropped
  }

  /// Forgets kept flags that are too old to be served. Reads do so too; an owner that only peeks calls it when
  /// ``nextChange(after:)`` has come.
  package mutating func dropExpired(at now: Int64) -> [Action] {
    guard let expiry, now >= expiry else { return [] }
    origin = .nothing
    flags = [:]
    return [.removeStored]
  }

  /// When kept flags are no longer served; nil when age does not end what is served. Flags from a time that has not come
  /// yet, because the clock was set back, are new.
  private var expiry: Int64? {
    guard case .persistence(let storedAt?) = origin else { return nil }
    let (sum, isOver) = storedAt.addingReportingOverflow(servingLimit)
    return isOver ? nil : sum
  }

  // MARK: Evaluations

  /// Someone wants the flags evaluated. The answer to an earlier reload no longer counts.
  package mutating func beginReload() -> FlagTicket {
    reloads &+= 1
    let ticket = FlagTicket(number: reloads, distinctID: distinctID)
    inFlight = ticket
    return ticket
  }

  /// The answer to a reload: flags that replace all others, or a failure, which changes none.
  package mutating func reloaded(_ ticket: FlagTicket, _ answer: FlagAnswer, at now: Int64) -> [Action] {
    guard ticket == inFlight else { return [] }
    inFlight = nil
    switch answer {
    case .failed(let reason):
      lastFailure = reason
      return []
    case .evaluated(let evaluated):
      lastFailure = nil
      origin = .network
      flags = evaluated.flags
      guard policy.isPersisting else { return [.notify(flags)] }
      let cache = FlagCache(distinctID: distinctID, evaluated: evaluated, storedAt: now)
      return [.store(cache.bytes), .notify(flags)]
    }
  }

  /// The identity is another one now, by `identify` or `reset`: to be called before anything is sent for it.
  package mutating func identityChanged(to distinctID: String) -> [Action] {
    self.distinctID = distinctID
    inFlight = nil
    lastFailure = nil
    origin = .nothing
    flags = [:]
    exposed = []
    return [.removeStored, .notify([:])]
  }

  // MARK: Reading

  /// Where values of known flags come from at that time; `fallback` while none is known.
  package func source(at now: Int64) -> FlagSource {
    switch origin {
    case .nothing: .fallback
    case .network: .network
    case .persistence: expiry.map { now < $0 } ?? true ? .persistence : .fallback
    }
  }

  /// Whether there are flags, be they kept ones.
  package func isLoaded(at now: Int64) -> Bool { source(at: now) != .fallback }

  /// All flags that reads find at that time.
  package func all(at now: Int64) -> [String: Flag] { isLoaded(at: now) ? flags : [:] }

  /// When what reads give next changes by age alone; nil when it does not. It can be as far away as a damaged clock says.
  package func nextChange(after now: Int64) -> Int64? {
    guard let expiry, expiry > now else { return nil }
    return expiry
  }

  /// The value of a flag, without anybody being shown it: for its payload, for reports, for snapshots.
  package func peek(_ key: String, fallback: FlagValue?, at now: Int64) -> FlagReading {
    let source = source(at: now)
    guard source != .fallback, let flag = flags[key] else { return FlagReading(fallback: fallback) }
    guard case .persistence(let storedAt) = origin else {
      return FlagReading(flag, source: source, persistedAt: nil, ttlMilliseconds: nil)
    }
    return FlagReading(flag, source: source, persistedAt: storedAt, ttlMilliseconds: ttlMilliseconds)
  }

  /// The value of a flag for someone who acts on it.
  ///
  /// - Returns: The reading; the exposure that is to be reported, if it is the first of its kind; and what is to be done
  ///   because the kept flags have become too old.
  package mutating func read(
    _ key: String, fallback: FlagValue?, at now: Int64
  ) -> (reading: FlagReading, exposure: FlagExposure?, actions: [Action]) {
    let actions = dropExpired(at: now)
    let reading = peek(key, fallback: fallback, at: now)
    return (reading, firstExposure(key, reading), actions)
  }

  // MARK: Exposures

  /// The exposure of a flag's present value; nil when that was exposed already, or the flag is unknown.
  package mutating func expose(_ key: String, at now: Int64) -> FlagExposure? {
    firstExposure(key, peek(key, fallback: nil, at: now))
  }

  /// The exposure of a reading that was made earlier, from a snapshot; nil when that value was exposed already, the flag
  /// was unknown, or the reading was made for another identity than the present one.
  package mutating func expose(_ key: String, _ reading: FlagReading, of distinctID: String) -> FlagExposure? {
    guard distinctID.utf8.elementsEqual(self.distinctID.utf8) else { return nil }
    return firstExposure(key, reading)
  }

  /// Once per key and value, whatever the source, until the identity changes.
  private mutating func firstExposure(_ key: String, _ reading: FlagReading) -> FlagExposure? {
    guard reportsExposures, reading.source != .fallback, let value = reading.value,
      exposed.insert(Exposed(key: key, value: value)).inserted
    else { return nil }
    return FlagExposure(key, reading)
  }
}

/// A reload that was begun; its answer comes back with it.
package struct FlagTicket: Sendable, Hashable {
  /// Counts the reloads of a run.
  package let number: UInt64
  /// The identity whose flags are asked for.
  package let distinctID: String
}
