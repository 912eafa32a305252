package import Effects

/// The life of a visit: registered before it is used, by one request however many ask for it, valid for a fixed window
/// (contract, sections 3.2 and 3.3).
///
/// The machine decides and remembers; its owner sends, stores, tells the time and brings the tokens. Each method returns
/// what the owner is to do, in this order.
///
/// ```
/// none ── ensure ──> registering ── confirmed ──> current ── window over ──> lapsed ── ensure ──> registering (new tokens)
///                         └── failed ──> unregistered ── ensure ──> registering (same tokens)
/// ```
package struct VisitMachine: Sendable {
  /// One caller that waits for the registration in flight.
  package struct Ticket: Sendable, Hashable {
    package let number: UInt64
  }

  /// A registration that was started; its answer comes back with it.
  package struct Attempt: Sendable, Hashable {
    /// Counts registrations and resets. An answer whose number is not that of the registration in flight is late, and
    /// changes nothing.
    package let generation: UInt64
    package let record: VisitRecord

    /// What is to be sent.
    package var registration: VisitRegistration { VisitRegistration(record) }
  }

  /// Why a registration failed.
  package enum Failure: Error, Sendable, Hashable {
    /// What the server's answer or its absence means; never `registered`.
    case answer(VisitVerdict)
    /// A reset has replaced the visit meanwhile.
    case reset
  }

  package enum Action: Sendable, Hashable {
    /// Keep the record. An unregistered one before it is sent: the next start is to send the same tokens.
    case persist(VisitRecord)
    /// Send the registration, then call ``answered(_:_:at:)``.
    case register(Attempt)
    /// Tell observers of a confirmed visit.
    case publish(VisitRecord)
    /// Answer these callers.
    case resume([Ticket], Result<VisitRecord, Failure>)
  }

  /// What a caller gets at once.
  package enum Admission: Sendable, Hashable {
    case current(VisitRecord)
    /// The answer comes with `Action.resume`. The actions start the registration; none when it is in flight already.
    case waiting(Ticket, [Action])
  }

  /// The URL that registers visits; confirmations of another one do not count.
  package let backend: String
  package let windowMilliseconds: Int64
  /// The visit that was current last, confirmed or not, lapsed or not.
  package private(set) var record: VisitRecord?
  /// The registration whose answer is awaited.
  package private(set) var inFlight: Attempt?

  private var generation: UInt64 = 0
  private var tickets: UInt64 = 0
  private var waiting: [Ticket] = []

  /// - Parameter record: what an earlier run has kept.
  package init(backend: String, windowMilliseconds: Int64, record: VisitRecord? = nil) {
    self.backend = backend
    self.windowMilliseconds = windowMilliseconds
    self.record = record
  }

  /// The visit whose headers may travel: confirmed and in its window.
  package func confirmed(at now: Int64) -> VisitRecord? {
    guard let record, record.isRegistered(at: backend),
      record.isCurrent(at: now, windowMilliseconds: windowMilliseconds)
    else { return nil }
    return record
  }

  /// The tokens of this moment: those of the visit in its window, confirmed or not; else a new visit of the same visitor.
  ///
  /// For owners that have no other source of tokens. They are the machine's own after `ensure` only.
  package func tokens(at now: Int64, minting mint: () -> String) -> VisitTokens {
    if let record, record.isCurrent(at: now, windowMilliseconds: windowMilliseconds) { return record.tokens }
    return VisitTokens(visit: mint(), visitor: record?.tokens.visitor ?? mint())
  }

  /// Someone needs the visit with these tokens: the current one, or one that is registered now.
  ///
  /// - Parameter fields: what a visit that has to be registered tells beside its tokens; asked for only then.
  package mutating func ensure(
    _ tokens: VisitTokens, fields: @autoclosure () -> [JSONMember], at now: Int64
  ) -> Admission {
    if let current = confirmed(at: now), current.tokens == tokens { return .current(current) }
    return register(tokens, fields: fields(), at: now)
  }

  /// Someone wants the visit to be registered with these fields, even when it is already: the server then ignores it.
  /// While a registration is in flight its answer is awaited instead.
  package mutating func track(
    _ tokens: VisitTokens, fields: @autoclosure () -> [JSONMember], at now: Int64
  ) -> Admission {
    register(tokens, fields: fields(), at: now)
  }

  private mutating func register(
    _ tokens: VisitTokens, fields: @autoclosure () -> [JSONMember], at now: Int64
  ) -> Admission {
    tickets &+= 1
    let ticket = Ticket(number: tickets)
    waiting.append(ticket)
    guard inFlight == nil else { return .waiting(ticket, []) }
    return .waiting(ticket, start(tokens, fields(), at: now))
  }

  private mutating func start(_ tokens: VisitTokens, _ fields: [JSONMember], at now: Int64) -> [Action] {
    let previous = record
    // A visit that was begun goes on: the same tokens, and a window that does not start again.
    var createdAt = now
    if let previous, previous.tokens == tokens,
      previous.isCurrent(at: now, windowMilliseconds: windowMilliseconds)
    {
      createdAt = previous.createdAtMilliseconds
    }
    let fresh = VisitRecord(tokens: tokens, createdAtMilliseconds: createdAt, fields: fields)
    generation &+= 1
    let attempt = Attempt(generation: generation, record: fresh)
    inFlight = attempt
    // A confirmed visit stays confirmed while it is registered again.
    if let current = confirmed(at: now), current.tokens == tokens { return [.register(attempt)] }
    record = fresh
    return fresh == previous ? [.register(attempt)] : [.persist(fresh), .register(attempt)]
  }

  /// The answer to a registration.
  package mutating func answered(_ attempt: Attempt, _ verdict: VisitVerdict) -> [Action] {
    guard inFlight?.generation == attempt.generation else { return [] }
    inFlight = nil
    let resumed = waiting
    waiting = []
    guard verdict == .registered else { return [.resume(resumed, .failure(.answer(verdict)))] }
    let confirmed = attempt.record.confirmed(by: backend)
    record = confirmed
    return [.persist(confirmed), .publish(confirmed), .resume(resumed, .success(confirmed))]
  }

  /// Replaces the visit by a new one, which is registered when it is next asked for. What is in flight no longer counts.
  package mutating func reset(to tokens: VisitTokens, fields: [JSONMember], at now: Int64) -> [Action] {
    generation &+= 1
    inFlight = nil
    let resumed = waiting
    waiting = []
    let fresh = VisitRecord(tokens: tokens, createdAtMilliseconds: now, fields: fields)
    record = fresh
    return [.persist(fresh)] + (resumed.isEmpty ? [] : [.resume(resumed, .failure(.reset))])
  }

  /// A caller no longer waits. The registration goes on.
  ///
  /// - Returns: Whether it was waiting.
  package mutating func abandon(_ ticket: Ticket) -> Bool {
    guard let index = waiting.firstIndex(of: ticket) else { return false }
    waiting.remove(at: index)
    return true
  }
}
