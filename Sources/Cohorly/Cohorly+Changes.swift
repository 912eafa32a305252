import CohorlyTracker
import Effects
import EventPipeline
public import Foundation
import Synchronization

extension Cohorly {
  // MARK: Events

  /// Queues an event. It keeps the identity, the registered properties and the time of this moment, and its id at every
  /// attempt.
  ///
  /// Properties called `distinct_id`, `time`, `$insert_id`, `$lib` and `token` are the client's own. Values that are no
  /// JSON, such as NaN, are none: the event is dropped, and ``status`` and the log tell.
  public func track(_ name: String, properties: [String: any Encodable & Sendable] = [:]) {
    let members: [JSONMember]
    do { members = try PropertyValues.members(properties) } catch { return reject("the event '\(name)': \(error)") }
    // The server refuses a batch as a whole.
    guard !name.isEmpty else { return reject("an event without a name") }
    enqueue { moment in moment.event(name, members) }
  }

  /// Adds properties to every event from now on, in place of those of the same names. They survive the end of the program,
  /// until ``reset()``. What is said of an event itself counts more.
  public func register(_ properties: [String: any Encodable & Sendable]) {
    let members: [JSONMember]
    do { members = try PropertyValues.members(properties) } catch { return reject("registered properties: \(error)") }
    changeSuperProperties { all in for member in members { all[member.name] = member.value } }
  }

  /// Adds a property to no event any more.
  public func unregister(_ property: String) { changeSuperProperties { $0[property] = nil } }

  private func changeSuperProperties(_ change: (inout [String: JSONValue]) -> Void) {
    changes.withLock { _ in
      let text = state.withLock { state -> String? in
        guard !state.isClosed else { return nil }
        change(&state.superProperties)
        return KeptState.text(state.superProperties)
      }
      if let text { keep { try $0.set(text, forKey: KeptState.superPropertiesKey) } }
    }
  }

  // MARK: Identity

  /// The user's id once there is one, else a random UUID.
  public var currentDistinctId: String { state.withLock { $0.identity.distinctID } }

  /// Says who it is. From the return on, events, profile and flags are those of this id.
  ///
  /// At the step from unknown to known the server is told, once, that both ids are the same person. Flags of the identity
  /// before are forgotten at once, and those of the new one evaluated. The current id and an empty one change nothing.
  public func identify(_ id: String) {
    guard !id.isEmpty else { return log("identify: an empty id is ignored") }
    changeIdentity { identity in identity.identified(as: id).map { ($0.identity, $0.alias) } }
  }

  /// Forgets who it is, for a logout: another random id for user and device, no registered properties, and no events and
  /// changes of profiles that are not sent yet; ``flush()`` first, to send them. Flags are evaluated for the new identity.
  public func reset() {
    let uuid = seams.tokens.uuidVersion4()
    changeIdentity(discarding: true) { _ in (CohorlyIdentity(anonymous: uuid), nil) }
  }

  private func changeIdentity(
    discarding: Bool = false, _ step: (CohorlyIdentity) -> (CohorlyIdentity, CohorlyAlias?)?
  ) {
    var ticket: FlagTicket?
    var alias: Int64?
    changes.withLock { _ in
      var cache: CacheChange?
      let change = state.withLock { state -> (CohorlyIdentity, CohorlyAlias?)? in
        guard !state.isClosed, let change = step(state.identity) else { return nil }
        state.identity = change.0
        state.generation += 1
        if discarding { state.superProperties = [:] }
        cache = apply(state.flags.identityChanged(to: change.0.distinctID), &state, ofNewIdentity: true)
        if !isDisabled { ticket = state.flags.beginReload() }
        return change
      }
      guard let change else { return }
      keep { try $0.set(KeptState.text(change.0), forKey: CohorlyIdentity.key) }
      carryOut(cache)
      if discarding {
        _ = queue.clear()
        keep { try $0.removeValues(forKeys: [KeptState.superPropertiesKey]) }
      }
      guard let record = change.1?.record, !isDisabled else { return }
      alias = queue.append(
        record, id: seams.tokens.uuidVersion4(), timeMilliseconds: seams.clock.millisecondsSinceEpoch())
    }
    // The server learns of it soon, behind what happened before.
    if let alias { pipeline.hurry(upTo: alias) }
    if let ticket { Task { await evaluate(ticket) } }
  }

  // MARK: Delivery

  /// Sends what waits now, also during a pause after a failure, and returns when that is done: when everything is
  /// delivered, or something is in the way, which ``status`` tells. A delivery that is on its way is waited for.
  public func flush() async {
    guard !isDisabled else { return }
    // The task that begins it may not have run yet.
    await pipeline.start()
    _ = await pipeline.flush()
  }

  /// Gives what waits a last chance, for so many seconds at most, and sends nothing any more. What remains is delivered by
  /// the next run.
  public func shutdown(timeout: TimeInterval = 5) async {
    guard !isDisabled else { return }
    let seconds = timeout.isFinite ? min(max(timeout, 0), 3_600) : 3_600
    await pipeline.start()
    await pipeline.drain(milliseconds: Int(seconds * 1000))
  }

  /// How the client stands.
  public var status: CohorlyStatus {
    let delivery = board.delivery
    let counts = queue.counts
    let (unsendable, flagError, storageError, isClosed) = state.withLock {
      ($0.unsendable, $0.flags.lastFailure, $0.storageError, $0.isClosed)
    }
    let shown: CohorlyStatus.Delivery =
      switch delivery.state {
      case _ where isDisabled || isClosed: .stopped
      case .stopped, .draining: .stopped
      case .misconfigured: .misconfigured
      case .retrying: .retrying
      case .loading, .delivering: .delivering
      }
    return CohorlyStatus(
      delivery: shown, waiting: counts.waiting, delivered: Int(clamping: delivery.sent),
      dropped: counts.dropped + unsendable, refused: counts.dead, refusedOperations: board.refused,
      lastError: delivery.lastError, flagError: flagError, storageError: counts.storageError ?? storageError,
      nextAttempt: delivery.nextTryMilliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) })
  }

  // MARK: Inside

  /// What a record is made of.
  struct Moment {
    let identity: CohorlyIdentity
    let superProperties: [JSONMember]
    let id: String
    let timeMilliseconds: Int64

    func event(_ name: String, _ properties: [JSONMember]) -> CohorlyRecord {
      CohorlyEvent(
        name: name, insertID: id, timeMilliseconds: timeMilliseconds, identity: identity,
        automatic: LibraryName.automatic, superProperties: superProperties, properties: properties
      ).record
    }
  }

  /// Queues a record of this moment.
  ///
  /// - Parameter generation: Of the identity that it must be about; nil for whichever there is.
  func enqueue(ofGeneration generation: Int? = nil, _ make: (Moment) -> CohorlyRecord) {
    guard !isDisabled else { return }
    let rejected = changes.withLock { _ -> Bool in
      let state = state.withLock { ($0.identity, $0.superProperties, $0.generation, $0.isClosed) }
      guard !state.3, generation == nil || generation == state.2 else { return false }
      let moment = Moment(
        identity: state.0, superProperties: state.1.map { JSONMember($0.key, $0.value) },
        id: seams.tokens.uuidVersion4(),
        timeMilliseconds: seams.clock.millisecondsSinceEpoch())
      let record = make(moment)
      // With the brackets around it.
      guard record.json(token: endpoint.token).count + 2 <= CohorlyLimits.bytes else { return true }
      let number = queue.append(record, id: moment.id, timeMilliseconds: moment.timeMilliseconds)
      pipeline.committed(upTo: number)
      return false
    }
    if rejected { reject("larger than the \(CohorlyLimits.bytes) bytes of a request") }
  }

  /// Counts something that cannot be sent, and tells of it. Not while a lock is held: a handler may call the client.
  func reject(_ what: String) {
    guard !isDisabled else { return }
    state.withLock { $0.unsendable += 1 }
    log("not sent: \(what)")
  }

  /// Changes what is kept. A failure shows in the status; what is in memory counts until the end of the program.
  func keep(_ change: (any CohorlyStorage) throws -> Void) {
    guard let storage else { return }
    do {
      try change(storage)
      state.withLock { $0.storageError = nil }
    } catch {
      state.withLock { $0.storageError = "\(error)" }
    }
  }

  /// Another client takes the place of this one.
  func retire() {
    changes.withLock { _ in
      state.withLock { $0.isClosed = true }
      queue.close()
    }
    Task { [pipeline] in await pipeline.drain(milliseconds: 0) }
  }
}
