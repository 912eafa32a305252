import Effects

extension DeliveryMachine {
  /// Takes the answer to a request, or the news that there will be none.
  mutating func answered(
    _ number: Int, _ outcome: Result<OutboundResponse, TransportError>, _ moment: Moment
  ) {
    guard let batch = window.takeAnswered(number) else { return }
    // Others may have waited for this answer.
    unpark(moment)
    let verdict = format.judge(outcome, attempt: batch.attempts, events: batch.events.count)
    if batch.isOnce, let reason = verdict.reason { return giveUp(batch, reason: reason, moment) }
    // What was discarded meanwhile does not come back, but what the answer says of the backend counts.
    defer { discardAgain(batch) }
    switch verdict {
    case .delivered:
      gate.deliver()
      if let group = batch.newGroup {
        // Recent ones do: a group is a matter of hours.
        if knownGroups.count >= 64 { knownGroups.removeFirst() }
        knownGroups.append(group)
      }
      status.sent &+= Int64(batch.events.count)
      settle(batch)
    case .retry(let milliseconds, let reason):
      retry(batch, outcome, after: milliseconds, reason: reason, moment)
    case .split(let reason):
      split(batch, reason: reason, moment)
    case .tooLarge(let reason):
      shrink(batch, reason: reason, moment)
    case .dead(let reason):
      kill(batch, reason: reason, moment)
    case .misconfigured(let reason):
      pauseForRepair(batch, reason: reason, moment)
    }
  }

  private mutating func retry(
    _ batch: DeliveryBatch, _ outcome: Result<OutboundResponse, TransportError>, after: Int?, reason: String,
    _ moment: Moment
  ) {
    var batch = batch
    var asked = after
    var isOverload = after != nil
    var isAnswered = false
    if case .success(let response) = outcome {
      asked = after ?? response.retryAfterMilliseconds(nowMilliseconds: moment.wallMilliseconds)
      isOverload = asked != nil || response.status == 408 || response.status == 429 || response.status == 503
      isAnswered = true
    }
    // An answer counts against the events only when the backend takes others meanwhile. Several events may be parted on
    // less: that harms none of them, and shows which one is at fault. Without an answer there is no telling.
    let isTheirs = gate.delivered > batch.deliveredBefore
    batch.deliveredBefore = gate.delivered
    batch.failures &+= 1
    if isAnswered, !isOverload, isTheirs || batch.events.count > 1 { batch.tries &+= 1 }
    note(reason, moment)
    guard batch.tries < max(1, options.maximumTries) else { return divide(batch, reason: reason, moment) }
    status.retried &+= Int64(batch.events.count)
    let now = moment.nanoseconds
    if let asked, asked > 0 {
      let pause = backoff.nanoseconds(
        retryAfter: asked, atMost: options.maximumRetryAfterMilliseconds, random: moment.random)
      _ = gate.fail(requestBegan: batch.sentAt, now: now)
      gate.pause(until: now &+ pause, isAskedFor: true)
      batch.isAskedToWait = true
      batch.notBefore = now &+ pause
    } else if asked == 0, options.honoursRetryAfterZero {
      // The own pause, lest it spins; but who comes meanwhile need not wait for it.
      let failures = gate.fail(requestBegan: batch.sentAt, now: now)
      let pause = backoff.nanoseconds(failures: failures, random: moment.random)
      batch.notBefore = now &+ min(pause, flushInterval)
    } else if isTheirs, !isOverload, !options.keepsOrder {
      batch.notBefore = now &+ backoff.nanoseconds(failures: batch.failures, random: moment.random)
    } else {
      let failures = gate.fail(requestBegan: batch.sentAt, now: now)
      let pause = backoff.nanoseconds(failures: failures, random: moment.random)
      gate.pause(until: now &+ pause, isAskedFor: false)
      batch.notBefore = now &+ pause
    }
    window.wait(batch)
  }

  private var backoff: Backoff {
    Backoff(
      firstMilliseconds: options.backoffMilliseconds, longestMilliseconds: options.maximumBackoffMilliseconds,
      jitter: options.jitter)
  }

  /// It was to be tried once, and it was.
  private mutating func giveUp(_ batch: DeliveryBatch, reason: String, _ moment: Moment) {
    note(reason, moment)
    status.givenUp &+= Int64(batch.events.count)
    settle(batch)
  }

  /// The backend refuses so many events at once. It never gets as many again: what is too large today is so tomorrow.
  private mutating func shrink(_ batch: DeliveryBatch, reason: String, _ moment: Moment) {
    guard batch.events.count > 1 else { return kill(batch, reason: reason, moment) }
    note(reason, moment)
    status.retried &+= Int64(batch.events.count)
    maximumPerRequest = min(maximumPerRequest, batch.events.count / 2)
    var batch = batch
    batch.notBefore = moment.nanoseconds
    window.wait(batch)
  }

  /// The backend refuses the events for good.
  private mutating func kill(_ batch: DeliveryBatch, reason: String, _ moment: Moment) {
    guard gate.refused < max(1, options.refusalsInARow) else {
      return pauseForRepair(batch, reason: "every request is refused: \(reason)", moment)
    }
    gate.noteRefusal()
    bury(batch, reason: reason, moment)
  }

  /// The backend refuses the events as they are.
  private mutating func split(_ batch: DeliveryBatch, reason: String, _ moment: Moment) {
    guard gate.refused < max(1, options.refusalsInARow) else {
      return pauseForRepair(batch, reason: "every event is refused: \(reason)", moment)
    }
    note(reason, moment)
    gate.refuse(singleEvent: batch.events.count == 1)
    divide(batch, reason: reason, moment)
  }

  private mutating func divide(_ batch: DeliveryBatch, reason: String, _ moment: Moment) {
    guard batch.events.count > 1 else { return bury(batch, reason: reason, moment) }
    status.retried &+= Int64(batch.events.count)
    var batch = batch
    batch.tries = 0
    batch.failures = 0
    batch.notBefore = moment.nanoseconds
    let (first, second) = batch.halves()
    window.wait(first)
    window.wait(second)
  }

  /// Keeps everything and tries slowly until someone has put it right.
  private mutating func pauseForRepair(_ batch: DeliveryBatch, reason: String, _ moment: Moment) {
    note(reason, moment)
    status.retried &+= Int64(batch.events.count)
    _ = gate.fail(requestBegan: batch.sentAt, now: moment.nanoseconds)
    let pause = backoff.nanoseconds(
      retryAfter: options.slowRetryMilliseconds, atMost: options.slowRetryMilliseconds, random: moment.random)
    gate.pause(until: moment.nanoseconds &+ pause, isAskedFor: false, isMisconfigured: true)
    var batch = batch
    batch.notBefore = moment.nanoseconds &+ pause
    window.wait(batch)
  }
}
