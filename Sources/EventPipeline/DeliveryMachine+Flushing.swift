import Effects

/// A flush that was asked for and is not reported yet.
struct PendingFlush: Sendable {
  let ticket: Int
  /// The last number that it is about.
  let goal: Int64
  let deadline: UInt64
  /// The counters at its beginning.
  let sent: Int64
  let dead: Int64
}

extension DeliveryMachine {
  mutating func beginFlush(_ ticket: Int, _ moment: Moment) {
    let goal = max(reading.committedUpTo, reading.readUpTo)
    let timeout = Backoff.nanoseconds(milliseconds: UInt64(clamping: max(0, options.flushTimeoutMilliseconds)))
    flushes.append(
      PendingFlush(
        ticket: ticket, goal: goal, deadline: moment.nanoseconds &+ timeout, sent: status.sent, dead: status.dead))
    hasten(upTo: goal, moment)
  }

  mutating func beginDrain(_ milliseconds: Int, _ moment: Moment) {
    let deadline = moment.nanoseconds &+ Backoff.nanoseconds(milliseconds: UInt64(clamping: max(0, milliseconds)))
    drainDeadline = min(drainDeadline ?? .max, deadline)
    switch phase {
    case .idle:
      phase = .stopped
      actions.append(.drained)
    case .running:
      phase = .draining
      flushGoal = max(flushGoal, drainGoal)
    case .loading, .draining, .stopped: break
    }
  }

  /// What is committed when it is read last: a drain deals with no more.
  var drainGoal: Int64 { max(reading.committedUpTo, reading.readUpTo) }

  private mutating func hasten(upTo goal: Int64, _ moment: Moment) {
    flushGoal = max(flushGoal, goal)
    readyParkedUntil = nil
    guard !isDrainOver else { return }
    gate.hasten(evenIfAsked: !options.flushWaitsForRetryAfter)
    window.hasten(to: moment.nanoseconds, evenIfAsked: !options.flushWaitsForRetryAfter)
  }

  /// Nothing is under way: what is still there waits for time to pass or for something to happen.
  private var isQuiescent: Bool { window.inFlight.isEmpty && !reading.isBusy }

  mutating func finishFlushes(_ moment: Moment) {
    guard !flushes.isEmpty else { return }
    // Who is told of it may look for it, for dead letters above all.
    let isStored = saving.isClean || saving.error != nil
    var rest: [PendingFlush] = []
    for flush in flushes {
      let isComplete = isComplete(flush)
      if (isComplete || isQuiescent) && isStored || moment.nanoseconds >= flush.deadline {
        actions.append(.flushed(ticket: flush.ticket, report(since: flush, isComplete: isComplete)))
      } else {
        rest.append(flush)
      }
    }
    flushes = rest
  }

  private func isComplete(_ flush: PendingFlush) -> Bool {
    let isRead = phase != .loading && (reading.readUpTo >= flush.goal || !reading.mayHaveMore)
    let oldest = window.oldest?.sequence ?? .max
    return isRead && oldest > flush.goal && !window.holdsLetters && !reading.isReadingLetters
  }

  func report(since flush: PendingFlush?, isComplete: Bool) -> FlushReport {
    let unread = max(0, reading.committedUpTo &- reading.readUpTo)
    return FlushReport(
      sent: status.sent &- (flush?.sent ?? status.sent), dead: status.dead &- (flush?.dead ?? status.dead),
      remaining: Int64(clamping: window.rows) &+ min(unread, max(0, options.queueCapacity)), isComplete: isComplete,
      obstacle: isComplete ? nil : obstacle)
  }

  private var obstacle: String? {
    if phase == .stopped { return "the delivery has ended" }
    if let error = reading.error ?? saving.error { return error.description }
    if gate.failures > 0 || !window.waiting.isEmpty { return status.lastError ?? "events wait to be tried again" }
    return readyParkedUntil == nil ? nil : "the events wait for something to happen first"
  }

  /// Gives up waiting for answers when the time for a drain is over. What is left of it is for the last save.
  mutating func noteDrainTime(_ moment: Moment) {
    guard let deadline = drainDeadline, !isDrainOver, moment.nanoseconds >= deadline else { return }
    isDrainOver = true
    drainDeadline = moment.nanoseconds &+ Self.lastSaveNanoseconds
    gate.pause(until: .max, isAskedFor: true)
    guard !window.inFlight.isEmpty else { return }
    window.recallAll()
    actions.append(.cancelSends)
  }

  private static let lastSaveNanoseconds: UInt64 = 1_000_000_000

  /// Ends when all is done or stands still, and what can be saved is saved.
  mutating func finishDrain(_ moment: Moment) {
    guard let deadline = drainDeadline, phase != .stopped else { return }
    if phase == .loading {
      guard isDrainOver else { return }
    } else if !isDrainOver || moment.nanoseconds < deadline {
      guard isQuiescent || isDrainOver, saving.isClean || saving.error != nil else { return }
    }
    let reports = flushes.map { ($0, isComplete($0)) }
    flushes = []
    phase = .stopped
    for (flush, isComplete) in reports {
      actions.append(.flushed(ticket: flush.ticket, report(since: flush, isComplete: isComplete)))
    }
    actions.append(.drained)
  }
}
