import Effects

extension DeliveryMachine {
  /// Sends what is due while the backend may be tried.
  mutating func pump(_ moment: Moment) {
    guard !sendsNothingMore else { return }
    noteFlushDue(moment)
    while gate.pausedUntil <= moment.nanoseconds,
      window.inFlight.count < gate.slots(of: options.maximumInFlight),
      let source = nextSource(moment)
    {
      switch source {
      case .ready: cutReady(moment)
      case .waiting(let index): cutWaiting(index, moment)
      }
    }
  }

  /// When the next request is due as far as time alone decides; nil while an answer must come first.
  var sendDeadline: UInt64? {
    guard !sendsNothingMore, window.inFlight.count < gate.slots(of: options.maximumInFlight) else { return nil }
    if options.keepsOrder, let head = window.head { return max(window.waiting[head].notBefore, gate.pausedUntil) }
    var due = window.waiting.map(\.notBefore).min()
    if let first = window.ready.first {
      let readyDue = first.sequence <= flushGoal ? readyParkedUntil ?? 0 : flushDue ?? 0
      due = min(due ?? readyDue, readyDue)
    }
    return due.map { max($0, gate.pausedUntil) }
  }

  private enum Source { case ready, waiting(Int) }

  private func nextSource(_ moment: Moment) -> Source? {
    let isReadyDue =
      window.ready.first.map { $0.sequence <= flushGoal } ?? false
      && readyParkedUntil.map { moment.nanoseconds >= $0 } ?? true
    if options.keepsOrder, let head = window.head {
      return window.waiting[head].notBefore <= moment.nanoseconds ? .waiting(head) : nil
    }
    let due = window.waiting.indices.filter { window.waiting[$0].notBefore <= moment.nanoseconds }
    guard !due.isEmpty else { return isReadyDue ? .ready : nil }
    if gate.failures > 0 {
      // One request tells whether the backend is back. If it were always the same one, events that a backend stumbles
      // over would look like an outage: all take turns, and those never sent take one together.
      let longestAgo = due.min { window.waiting[$0].sentAt < window.waiting[$1].sentAt }
      if isReadyDue, longestAgo.map({ lastReadyAt <= window.waiting[$0].sentAt }) ?? true { return .ready }
      return longestAgo.map { .waiting($0) }
    }
    return due.min { first($0) < first($1) }.map { .waiting($0) }
  }

  private func first(_ index: Int) -> Int64 { window.waiting[index].events.first?.sequence ?? .max }

  private mutating func cutReady(_ moment: Moment) {
    switch format.cut(window.ready.prefix(maximumPerRequest)) {
    case .once(let request, let indices):
      var batch = window.takeReady(indices)
      batch.isOnce = true
      guard !batch.events.isEmpty else { return parkReady(moment) }
      lastReadyAt = moment.nanoseconds
      send(batch, request, moment)
    case .request(let request, let indices):
      let group = newGroup(in: window.ready, indices)
      if let group, window.isFirst(ofGroup: group) { return parkReady(moment) }
      var batch = window.takeReady(indices)
      batch.newGroup = group
      guard !batch.events.isEmpty else { return parkReady(moment) }
      batch.deliveredBefore = gate.delivered
      lastReadyAt = moment.nanoseconds
      send(batch, request, moment)
    case .skip(let indices):
      let batch = window.takeReady(indices)
      guard !batch.events.isEmpty else { return parkReady(moment) }
      skip(batch)
    case .undeliverable(let index, let reason):
      let batch = window.takeReady([index])
      guard !batch.events.isEmpty else { return parkReady(moment) }
      bury(batch, reason: reason, moment)
    case .wait: parkReady(moment)
    }
  }

  /// The format is asked again later in any case, should the word that it may go on be lost.
  private mutating func parkReady(_ moment: Moment) { readyParkedUntil = parkedUntil(moment) }

  private mutating func cutWaiting(_ index: Int, _ moment: Moment) {
    var rest = window.takeWaiting(at: index)
    let taken: DeliveryBatch
    switch format.cut(rest.events.prefix(maximumPerRequest)) {
    case .once(let request, let indices):
      var batch = rest.take(indices)
      batch.isOnce = true
      if !batch.events.isEmpty { send(batch, request, moment) }
      taken = batch
    case .request(let request, let indices):
      let group = newGroup(in: rest.events, indices)
      let mustWait = group.map(window.isFirst(ofGroup:)) ?? false
      rest.newGroup = group
      taken = rest.take(mustWait ? [] : indices)
      if !taken.events.isEmpty { send(taken, request, moment) }
    case .skip(let indices):
      taken = rest.take(indices)
      if !taken.events.isEmpty { skip(taken) }
    case .undeliverable(let index, let reason):
      taken = rest.take([index])
      if !taken.events.isEmpty { bury(taken, reason: reason, moment) }
    case .wait:
      taken = rest.take([])
    }
    if taken.events.isEmpty {
      rest.notBefore = parkedUntil(moment)
      rest.isParked = true
    }
    window.wait(rest)
  }

  /// The group of the first event, if the backend has taken nothing of it yet.
  private func newGroup(in events: [QueuedEvent], _ indices: [Int]) -> String? {
    guard let first = indices.min(), events.indices.contains(first) else { return nil }
    return format.group(of: events[first]).flatMap { knownGroups.contains($0) ? nil : $0 }
  }

  private func parkedUntil(_ moment: Moment) -> UInt64 {
    moment.nanoseconds
      &+ Backoff.nanoseconds(milliseconds: UInt64(clamping: max(10, options.flushIntervalMilliseconds)))
  }

  private mutating func send(_ batch: DeliveryBatch, _ request: OutboundRequest, _ moment: Moment) {
    var batch = batch
    batch.attempts &+= 1
    batch.sentAt = moment.nanoseconds
    batch.isAskedToWait = false
    batch.isParked = false
    let number = nextRequest
    nextRequest &+= 1
    status.requests &+= 1
    window.send(batch, number: number)
    actions.append(.send(request, number: number))
  }

  private mutating func skip(_ batch: DeliveryBatch) {
    status.skipped &+= Int64(batch.events.count)
    settle(batch)
  }

  /// The events are done with.
  mutating func settle(_ batch: DeliveryBatch) {
    window.settle(batch)
    if batch.letters.isEmpty { saving.noteProgress() } else { saving.noteSettled(batch.letters) }
  }

  /// The events become dead letters.
  mutating func bury(_ batch: DeliveryBatch, reason: String, _ moment: Moment) {
    window.settle(batch)
    status.dead &+= Int64(batch.events.count)
    note(reason, moment)
    for (index, event) in batch.events.enumerated() {
      saving.noteDead(
        DeadLetter(
          number: index < batch.letters.count ? batch.letters[index] : 0, backend: backend, event: event,
          reason: reason, diedAtMilliseconds: moment.wallMilliseconds))
    }
  }

  /// Shows an error.
  mutating func note(_ reason: String, _ moment: Moment) {
    status.lastError = reason
    status.lastErrorMilliseconds = moment.wallMilliseconds
  }

  /// Decides whether the events that were never sent have waited long enough for company.
  private mutating func noteFlushDue(_ moment: Moment) {
    guard let last = window.ready.last, last.sequence > flushGoal else {
      flushDue = nil
      return
    }
    // The goal may lie in the midst of them: those beyond it are counted apart.
    let beyond = window.ready.count &- (window.ready.firstIndex { $0.sequence > flushGoal } ?? 0)
    let isDue = flushDue.map { moment.nanoseconds >= $0 } ?? false
    if beyond >= max(1, options.flushAt) || isDue || phase == .draining {
      flushGoal = last.sequence
      flushDue = nil
      // Those before them must not hold them up while the backend may be tried.
      if options.keepsOrder { window.hasten(to: moment.nanoseconds) }
    } else if flushDue == nil {
      flushDue = moment.nanoseconds &+ flushInterval
    }
  }

  var flushInterval: UInt64 {
    Backoff.nanoseconds(milliseconds: UInt64(clamping: max(0, options.flushIntervalMilliseconds)))
  }

  /// What a format waited for may have happened.
  mutating func unpark(_ moment: Moment) {
    readyParkedUntil = nil
    window.unpark(at: moment.nanoseconds)
  }
}
