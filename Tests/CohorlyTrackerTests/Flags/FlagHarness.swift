import Effects

@testable import CohorlyTracker

/// A flag store with its clock, its key-value store and one listener, as an owner drives it.
struct FlagHarness {
  var store: FlagStore
  var now = FlagVectors.start
  /// What lies under the key of the cache.
  var kept: [UInt8]?
  /// What listeners were told, in order.
  var notified: [[String: Flag]] = []
  /// What was reported, in order.
  var exposures: [FlagExposure] = []

  init(
    _ policy: FlagPersistence = .persistenceUntilNetworkSuccess, ttl: Int64 = FlagVectors.ttl, id: String = "anon",
    kept: [UInt8]? = nil, at now: Int64 = FlagVectors.start, reportsExposures: Bool = true
  ) {
    store = FlagStore(policy: policy, ttlMilliseconds: ttl, distinctID: id, reportsExposures: reportsExposures)
    self.kept = kept
    self.now = now
    perform(store.load(kept, at: now))
  }

  mutating func perform(_ actions: [FlagStore.Action]) {
    for action in actions {
      switch action {
      case .store(let bytes): kept = bytes
      case .removeStored: kept = nil
      case .notify(let flags): notified.append(flags)
      }
    }
  }

  mutating func answer(_ ticket: FlagTicket, _ answer: FlagAnswer) {
    perform(store.reloaded(ticket, answer, at: now))
  }

  /// One reload from the question to its answer.
  mutating func reload(_ answer: FlagAnswer = FlagVectors.answer()) {
    self.answer(store.beginReload(), answer)
  }

  mutating func identify(_ distinctID: String) { perform(store.identityChanged(to: distinctID)) }

  /// `getFeatureFlagDetails`: the read that all others are made of.
  mutating func details(_ key: String, _ fallback: FlagValue? = nil) -> FlagReading {
    let (reading, exposure, actions) = store.read(key, fallback: fallback, at: now)
    perform(actions)
    if let exposure { exposures.append(exposure) }
    return reading
  }

  /// `getFeatureFlag`.
  mutating func get(_ key: String, _ fallback: FlagValue? = nil) -> FlagValue? { details(key, fallback).value }

  /// `isFeatureEnabled`.
  mutating func isEnabled(_ key: String, _ fallback: Bool = false) -> Bool { details(key, .bool(fallback)).isEnabled }

  /// A read of a flag's payload.
  func payload(_ key: String) -> JSONValue? { store.peek(key, fallback: nil, at: now).payload }

  /// What was reported, as keys and values.
  var exposed: [String] { exposures.map { "\($0.key)=\(JSONWriter.text($0.value.json))" } }

  /// The next run of the same program, on the same key-value store.
  func restarted(id: String? = nil, policy: FlagPersistence? = nil) -> FlagHarness {
    FlagHarness(
      policy ?? store.policy, ttl: store.ttlMilliseconds, id: id ?? store.distinctID, kept: kept, at: now)
  }
}
