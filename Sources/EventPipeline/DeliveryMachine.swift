package import Effects

/// Decides everything about the delivery of queued events to one backend: what to read, what to send and when, what an
/// answer means, how far the cursor is. Without I/O, clock or randomness: events in, actions out.
///
/// Laws:
/// - An event leaves the window only when the backend has taken it, when it is not for this backend, or together with
///   the dead letter that it becomes. The cursor follows from the window.
/// - Nothing is repeated without a pause, unless in smaller parts: no failure makes the machine spin.
/// - While nothing is delivered, no failure but a refusal of the event itself makes it a dead letter; and when every
///   event is refused, the backend is at fault, not the events.
package struct DeliveryMachine: Sendable {
  /// What happens.
  package enum Input: Sendable {
    case start
    /// Where to continue, after ``committed(upTo:)`` with what the store has.
    case loaded(Result<DeliveryCursor, StoreError>)
    /// The store has events up to this number.
    case committed(upTo: Int64)
    /// Dead letters were queued again.
    case lettersQueued
    case page(Result<RecordPage, StoreError>)
    case letters(Result<[DeadLetter], StoreError>)
    case saved(StoreError?)
    case answered(request: Int, Result<OutboundResponse, TransportError>)
    /// The moment of ``DeliveryMachine/deadline`` has come.
    case timer
    /// What a format waited for may have happened.
    case resume
    /// Send what waits without waiting for company, also during a pause that the backend did not ask for.
    case flush(ticket: Int)
    /// Send what is committed up to this number without waiting for company. Pauses go on.
    case hurry(upTo: Int64)
    /// Forget what is committed up to this number and not delivered. What is under way may still arrive, but is not
    /// repeated.
    case discard(upTo: Int64)
    /// A last chance for what waits, for so long; then save and stop.
    case drain(milliseconds: Int, sendsMore: Bool = true)
  }

  /// What is to be done. The result of each comes back as an input.
  package enum Action: Sendable, Hashable {
    case load
    case read(after: Int64, limit: Int, bytes: Int)
    case readLetters(limit: Int)
    case save(DeliveryChange)
    case send(OutboundRequest, number: Int)
    /// End all requests; their answers are of no interest.
    case cancelSends
    case flushed(ticket: Int, FlushReport)
    /// All is saved that can be; no action follows.
    case drained
  }

  /// The circumstances of an input.
  package struct Moment: Sendable {
    /// Of the monotonic clock.
    package var nanoseconds: UInt64
    /// The time of day, milliseconds since the epoch.
    package var wallMilliseconds: Int64
    /// 64 random bits, different at each input.
    package var random: UInt64

    package init(nanoseconds: UInt64, wallMilliseconds: Int64, random: UInt64) {
      self.nanoseconds = nanoseconds
      self.wallMilliseconds = wallMilliseconds
      self.random = random
    }
  }

  enum Phase: Sendable { case idle, loading, running, draining, stopped }

  let backend: String
  let format: any DeliveryFormat
  let options: DeliveryOptions
  var phase = Phase.idle
  var actions: [Action] = []
  var status = DeliveryStatus()
  var window = DeliveryWindow()
  var reading = QueueReading()
  var saving = ProgressSaving()
  var gate = BackendGate()
  var nextRequest = 1
  /// Groups of events of which the backend has taken some, the newest last.
  var knownGroups: [String] = []

  /// No request holds more events: the backend has found so many too large.
  var maximumPerRequest = Int.max
  /// Events up to this number that come back are not sent again.
  var discardedUpTo: Int64 = 0
  /// Events up to this number are sent without waiting for company.
  var flushGoal: Int64 = 0
  /// When those beyond it are; nil while there are none.
  var flushDue: UInt64?
  /// The format has no use for the events never sent; it is asked again then.
  var readyParkedUntil: UInt64?
  /// When events that had never been sent were sent last.
  var lastReadyAt: UInt64 = 0
  var flushes: [PendingFlush] = []
  var drainDeadline: UInt64?
  /// What is under way is waited for, and nothing else is sent: another delivery goes on with it.
  var sendsNothingMore = false
  /// The time for the drain is up; what is left of it is for the last save.
  var isDrainOver = false

  package init(backend: String, format: any DeliveryFormat, options: DeliveryOptions = DeliveryOptions()) {
    self.backend = backend
    self.format = format
    self.options = options
  }

  /// Takes in what happened and tells what is to be done about it, in order.
  package mutating func handle(_ input: Input, at moment: Moment) -> [Action] {
    guard phase != .stopped else {
      // A flush that comes too late must not wait for ever.
      if case .flush(let ticket) = input { return [.flushed(ticket: ticket, report(since: nil, isComplete: false))] }
      if case .drain = input { return [.drained] }
      return []
    }
    reading.noteTime(moment.nanoseconds)
    take(input, moment)
    advance(moment)
    defer { actions = [] }
    return actions
  }

  /// When ``Input/timer`` is due; nil when nothing depends on time.
  package var deadline: UInt64? {
    guard phase != .stopped, phase != .idle else { return nil }
    let moments = [
      reading.retryAt, saving.dueAt, drainDeadline, sendDeadline, flushes.map(\.deadline).min(),
    ]
    return moments.compactMap { $0 }.min()
  }

  private mutating func take(_ input: Input, _ moment: Moment) {
    switch input {
    case .start:
      if phase == .idle { phase = .loading }
    case .loaded(let result): loaded(result, moment)
    case .committed(let sequence): reading.noteCommit(upTo: sequence)
    case .lettersQueued: reading.mayHaveLetters = true
    case .page(let result): received(result, moment)
    case .letters(let result): received(letters: result, moment)
    case .saved(let error): saved(error, moment)
    case .answered(let number, let outcome): answered(number, outcome, moment)
    case .timer: break
    case .resume: unpark(moment)
    case .flush(let ticket): beginFlush(ticket, moment)
    case .hurry(let sequence): flushGoal = max(flushGoal, min(sequence, drainGoal))
    case .discard(let sequence): discard(upTo: sequence)
    case .drain(let milliseconds, let sendsMore):
      if !sendsMore { sendsNothingMore = true }
      beginDrain(milliseconds, moment)
    }
  }

  private mutating func advance(_ moment: Moment) {
    if phase == .loading, reading.retryAt == nil, !reading.isLoading {
      reading.isLoading = true
      actions.append(.load)
    }
    noteDrainTime(moment)
    if phase == .running || phase == .draining {
      pump(moment)
      read(moment)
      saveIfDue(moment)
    }
    finishFlushes(moment)
    finishDrain(moment)
  }

  /// How the delivery stands.
  package func status(at moment: Moment) -> DeliveryStatus {
    var status = self.status
    let unread = max(0, reading.committedUpTo.subtractingReportingOverflow(reading.readUpTo).partialValue)
    status.depth = Int64(clamping: window.rows) &+ min(unread, max(0, options.queueCapacity))
    status.oldestTimeMilliseconds = window.oldest?.timeMilliseconds
    status.inFlight = window.inFlight.count
    status.cursor = position
    status.storeError = (reading.error ?? saving.error)?.description
    let pause = gate.pausedUntil > moment.nanoseconds ? gate.pausedUntil &- moment.nanoseconds : 0
    if pause > 0 { status.nextTryMilliseconds = moment.wallMilliseconds &+ Int64(clamping: pause / 1_000_000) }
    status.state =
      switch phase {
      case .idle, .loading: .loading
      case .draining: .draining
      case .stopped: .stopped
      case .running: gate.isMisconfigured ? .misconfigured : pause > 0 || gate.failures > 0 ? .retrying : .delivering
      }
    return status
  }
}
