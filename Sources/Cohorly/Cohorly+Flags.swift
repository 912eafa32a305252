import CohorlyTracker
public import Effects
import Synchronization

extension Cohorly {
  // MARK: Reading

  /// The variant of a flag, or whether it is enabled; for an unknown one the fallback.
  public func getFeatureFlag(_ key: String, fallback: FeatureFlagValue) -> FeatureFlagValue {
    read(key, fallback: fallback.flagValue).value.map(FeatureFlagValue.init) ?? fallback
  }

  /// The variant of a flag, or whether it is enabled; nil for an unknown one.
  public func getFeatureFlag(_ key: String) -> FeatureFlagValue? {
    read(key, fallback: nil).value.map(FeatureFlagValue.init)
  }

  /// Whether a flag is enabled; for an unknown one the fallback.
  public func isFeatureEnabled(_ key: String, fallback: Bool = false) -> Bool {
    read(key, fallback: .bool(fallback)).isEnabled
  }

  /// The value of a flag, and where it comes from.
  public func getFeatureFlagDetails(_ key: String, fallback: FeatureFlagValue? = nil) -> FeatureFlagDetails {
    FeatureFlagDetails(read(key, fallback: fallback?.flagValue))
  }

  /// What the project attaches to a flag; nil for an unknown one. Nobody is shown a flag by this.
  public func getFeatureFlagPayload(_ key: String) -> JSONValue? {
    let now = seams.clock.millisecondsSinceEpoch()
    return state.withLock { $0.flags.peek(key, fallback: nil, at: now).payload }
  }

  private func read(_ key: String, fallback: FlagValue?) -> FlagReading {
    let now = seams.clock.millisecondsSinceEpoch()
    let (reading, exposure, cache, generation) = state.withLock { state in
      let result = state.flags.read(key, fallback: fallback, at: now)
      return (result.reading, result.exposure, apply(result.actions, &state), state.generation)
    }
    if cache != nil { changes.withLock { _ in carryOut(cache) } }
    if let exposure {
      enqueue(ofGeneration: generation) { moment in moment.event(FlagExposure.event, exposure.properties) }
    }
    return reading
  }

  // MARK: Evaluating

  /// Evaluates the flags of the current identity. When that fails, those that there are stay.
  public func reloadFeatureFlags() async {
    guard !isDisabled else { return }
    let ticket = state.withLock { $0.isClosed ? nil : $0.flags.beginReload() }
    if let ticket { await evaluate(ticket) }
  }

  /// Tells of the flags: at once if there are any, after each evaluation, and with none when the identity changes. Calls
  /// come on a thread of the system, one after the other.
  ///
  /// - Returns: What ends it.
  @discardableResult
  public func onFeatureFlags(_ listener: @escaping @Sendable ([String: FeatureFlag]) -> Void) -> @Sendable () -> Void {
    let now = seams.clock.millisecondsSinceEpoch()
    return state.withLock { state in
      listeners.add(
        listener, toldAtOnce: state.flags.isLoaded(at: now) ? state.flags.all(at: now).mapValues(FeatureFlag.init) : nil
      )
    }
  }

  func beginReload() {
    let ticket = state.withLock { $0.flags.beginReload() }
    Task { await evaluate(ticket) }
  }

  /// Asks the server. What it answers counts only if nobody has asked since, and the identity is the same.
  func evaluate(_ ticket: FlagTicket) async {
    let request = endpoint.evaluation(FlagEvaluation.body(distinctID: ticket.distinctID, token: endpoint.token))
    let outcome: Result<OutboundResponse, TransportError>
    do throws(TransportError) {
      outcome = .success(try await transport.send(request))
    } catch {
      outcome = .failure(error)
    }
    let answer = FlagAnswer.parse(outcome)
    let now = seams.clock.millisecondsSinceEpoch()
    changes.withLock { _ in
      let cache = state.withLock { state -> CacheChange? in
        guard !state.isClosed else { return nil }
        return apply(state.flags.reloaded(ticket, answer, at: now), &state)
      }
      carryOut(cache)
    }
  }

  // MARK: What is kept

  /// What is to become of the kept flags.
  struct CacheChange {
    /// Nil removes them.
    let bytes: [UInt8]?
    /// The decision that it was.
    let number: Int
  }

  func loadKeptFlags() {
    guard let storage else { return }
    let now = seams.clock.millisecondsSinceEpoch()
    var stored: [UInt8]?
    do { stored = try storage.string(forKey: FlagCache.storedKey).map { Array($0.utf8) } } catch {
      state.withLock { $0.storageError = "\(error)" }
    }
    changes.withLock { _ in carryOut(state.withLock { state in apply(state.flags.load(stored, at: now), &state) }) }
  }

  /// Tells listeners what the flags decided, inside of the lock, so that all hear the same order; what is to be kept comes
  /// back, for the storage is slow.
  func apply(_ actions: [FlagStore.Action], _ state: inout State, ofNewIdentity: Bool = false) -> CacheChange? {
    var change: CacheChange?
    for action in actions {
      switch action {
      case .notify(let flags): listeners.tell(flags.mapValues(FeatureFlag.init), replacing: ofNewIdentity)
      case .store(let bytes):
        state.cacheDecision += 1
        change = CacheChange(bytes: bytes, number: state.cacheDecision)
      case .removeStored:
        state.cacheDecision += 1
        change = CacheChange(bytes: nil, number: state.cacheDecision)
      }
    }
    return change
  }

  /// Keeps or removes flags, unless something else was decided since. Only with ``changes`` held.
  func carryOut(_ change: CacheChange?) {
    guard let change, state.withLock({ $0.cacheDecision }) == change.number else { return }
    keep { storage in
      if let bytes = change.bytes {
        try storage.set(String(decoding: bytes, as: UTF8.self), forKey: FlagCache.storedKey)
      } else {
        try storage.removeValues(forKeys: [FlagCache.storedKey])
      }
    }
  }
}
