import AhoyTracker
import Effects
import TestKit
import Testing

@Suite struct VisitMachineTests {
  /// A machine with its clock and its tokens, as an owner drives it.
  struct Harness {
    var machine: VisitMachine
    var now = VisitVectors.start
    let source = SequenceTokenSource()
    /// What was kept last.
    var kept: VisitRecord?

    init(_ record: VisitRecord? = nil, backend: String = VisitVectors.backend) {
      machine = VisitMachine(backend: backend, windowMilliseconds: VisitVectors.window, record: record)
    }

    mutating func ensure(_ fields: [JSONMember] = VisitVectors.fields) -> VisitMachine.Admission {
      noted(machine.ensure(machine.tokens(at: now, minting: source.uuidVersion4), fields: fields, at: now))
    }

    mutating func track(_ fields: [JSONMember] = VisitVectors.fields) -> VisitMachine.Admission {
      noted(machine.track(machine.tokens(at: now, minting: source.uuidVersion4), fields: fields, at: now))
    }

    private mutating func noted(_ admission: VisitMachine.Admission) -> VisitMachine.Admission {
      if case .waiting(_, let actions) = admission { note(actions) }
      return admission
    }

    mutating func note(_ actions: [VisitMachine.Action]) {
      for case .persist(let record) in actions { kept = record }
    }

    mutating func answer(_ attempt: VisitMachine.Attempt, _ verdict: VisitVerdict) -> [VisitMachine.Action] {
      let actions = machine.answered(attempt, verdict)
      note(actions)
      return actions
    }

    /// Registers a visit from the first question to the confirmation.
    mutating func register() throws -> VisitRecord {
      let attempt = try started(ensure())
      _ = answer(attempt, .registered)
      return try #require(machine.confirmed(at: now))
    }

    /// What the same program finds after a restart.
    func restarted(backend: String = VisitVectors.backend) -> Harness {
      var next = Harness(kept, backend: backend)
      next.now = now
      next.kept = kept
      return next
    }
  }

  static func started(_ admission: VisitMachine.Admission) throws -> VisitMachine.Attempt {
    guard case .waiting(_, let actions) = admission, case .register(let attempt)? = actions.last else {
      throw Unexpected(admission)
    }
    return attempt
  }

  static func ticket(_ admission: VisitMachine.Admission) throws -> VisitMachine.Ticket {
    guard case .waiting(let ticket, _) = admission else { throw Unexpected(admission) }
    return ticket
  }

  struct Unexpected: Error {
    let admission: VisitMachine.Admission
    init(_ admission: VisitMachine.Admission) { self.admission = admission }
  }

  @Test func keepsThenRegistersThenTells() throws {
    var harness = Harness()
    let admission = harness.ensure()
    let attempt = try Self.started(admission)
    guard case .waiting(let ticket, let actions) = admission else { throw Unexpected(admission) }
    #expect(actions == [.persist(attempt.record), .register(attempt)])
    #expect(attempt.record.createdAtMilliseconds == harness.now)
    #expect(attempt.record.tokens.visit == "00000000-0000-4001-8000-000000000001")
    #expect(attempt.record.tokens.visitor == "00000000-0000-4002-8000-000000000002")
    #expect(attempt.registration == VisitRegistration(tokens: attempt.record.tokens, fields: VisitVectors.fields))
    #expect(harness.machine.confirmed(at: harness.now) == nil)
    let confirmed = attempt.record.confirmed(by: VisitVectors.backend)
    #expect(
      harness.answer(attempt, .registered) == [
        .persist(confirmed), .publish(confirmed), .resume([ticket], .success(confirmed)),
      ])
    #expect(harness.machine.confirmed(at: harness.now) == confirmed)
    #expect(harness.ensure() == .current(confirmed))
    #expect(harness.source.count == 2)
  }

  @Test func registersOnceForAllWhoAsk() throws {
    var harness = Harness()
    let attempt = try Self.started(harness.ensure())
    var tickets = [VisitMachine.Ticket]()
    for number in 0..<99 {
      let admission = number % 2 == 0 ? harness.ensure() : harness.track()
      guard case .waiting(let ticket, let actions) = admission else { throw Unexpected(admission) }
      #expect(actions.isEmpty)
      tickets.append(ticket)
    }
    guard case .resume(let resumed, .success)? = harness.answer(attempt, .registered).last else {
      Issue.record("nobody was answered")
      return
    }
    #expect(resumed.count == 100)
    #expect(Set(resumed).count == 100)
    #expect(Array(resumed.dropFirst()) == tickets)
  }

  /// One second before the end, at the end, one second behind it.
  @Test(arguments: [(-1000, true), (-1, true), (0, false), (1000, false)] as [(Int64, Bool)])
  func livesForItsWindow(_ offset: Int64, _ isSame: Bool) throws {
    var harness = Harness()
    let first = try harness.register()
    harness.now += VisitVectors.window + offset
    #expect((harness.machine.confirmed(at: harness.now) == first) == isSame)
    var restarted = harness.restarted()
    #expect((restarted.ensure() == .current(first)) == isSame)
    guard !isSame else { return }
    let attempt = try Self.started(harness.ensure())
    #expect(attempt.record.tokens.visit != first.tokens.visit)
    #expect(attempt.record.tokens.visitor == first.tokens.visitor)
    #expect(attempt.record.createdAtMilliseconds == harness.now)
  }

  @Test func isNotProlongedByBeingAskedFor() throws {
    var harness = Harness()
    let first = try harness.register()
    for _ in 0..<3 {
      harness.now += 3_600_000
      #expect(harness.ensure() == .current(first))
      _ = harness.answer(try Self.started(harness.track()), .registered)
    }
    harness.now += 3_600_000
    #expect(harness.machine.confirmed(at: harness.now) == nil)
  }

  @Test(arguments: [(5 * 60 * 1000, true), (5 * 60 * 1000 + 1, false)] as [(Int64, Bool)])
  func endsWhenTheClockGoesBackTooFar(_ back: Int64, _ isKept: Bool) throws {
    var harness = Harness()
    let first = try harness.register()
    harness.now -= back
    #expect((harness.ensure() == .current(first)) == isKept)
  }

  @Test func keepsTheTokenAfterAFailure() throws {
    var harness = Harness()
    let admission = harness.ensure()
    let first = try Self.started(admission)
    let failure = VisitVerdict.retry(afterMilliseconds: nil, reason: "status 503")
    #expect(
      harness.answer(first, failure) == [.resume([try Self.ticket(admission)], .failure(.answer(failure)))])
    #expect(harness.machine.confirmed(at: harness.now) == nil)
    harness.now += 60_000
    let again = harness.ensure()
    let second = try Self.started(again)
    #expect(second.record == first.record)
    #expect(second.generation != first.generation)
    guard case .waiting(_, let actions) = again else { throw Unexpected(again) }
    #expect(actions == [.register(second)])
    // Also across a restart, and with what is to be told of it now.
    var restarted = harness.restarted()
    let third = try Self.started(restarted.ensure(VisitVectors.fields + [JSONMember("utm_source", "late")]))
    #expect(third.record.tokens == first.record.tokens)
    #expect(third.record.createdAtMilliseconds == first.record.createdAtMilliseconds)
    #expect(third.record.fields.contains(JSONMember("utm_source", "late")))
  }

  @Test func doesNotTakeAMismatchForARegistration() throws {
    var harness = Harness()
    let admission = harness.ensure()
    let verdict = VisitVerdict.mismatch(reason: "other tokens")
    #expect(
      harness.answer(try Self.started(admission), verdict) == [
        .resume([try Self.ticket(admission)], .failure(.answer(verdict)))
      ])
    #expect(harness.machine.confirmed(at: harness.now) == nil)
    #expect(harness.machine.inFlight == nil)
  }

  @Test func registersACurrentVisitAgainWhenItIsTracked() throws {
    var harness = Harness()
    let first = try harness.register()
    harness.now += 1000
    let fields = VisitVectors.fields + [JSONMember("utm_source", "some-place")]
    let admission = harness.track(fields)
    let attempt = try Self.started(admission)
    #expect(attempt.record.tokens == first.tokens)
    #expect(attempt.record.fields.contains(JSONMember("utm_source", "some-place")))
    // Its headers go on travelling, and a failure does not end it.
    #expect(harness.machine.confirmed(at: harness.now) == first)
    _ = harness.answer(attempt, .retry(afterMilliseconds: nil, reason: "status 500"))
    #expect(harness.ensure() == .current(first))
    let again = try Self.started(harness.track(fields))
    guard case .resume(_, .success(let record))? = harness.answer(again, .registered).last else {
      Issue.record("not answered")
      return
    }
    #expect(record.fields == attempt.record.fields)
    #expect(record.createdAtMilliseconds == first.createdAtMilliseconds)
  }

  @Test func ignoresTheLateAnswerOfAnOldGeneration() throws {
    var harness = Harness()
    let admission = harness.ensure()
    let old = try Self.started(admission)
    let fresh = VisitTokens(visit: "new", visitor: "new-visitor")
    let actions = harness.machine.reset(to: fresh, fields: [], at: harness.now)
    let record = VisitRecord(tokens: fresh, createdAtMilliseconds: harness.now)
    #expect(actions == [.persist(record), .resume([try Self.ticket(admission)], .failure(.reset))])
    #expect(harness.answer(old, .registered).isEmpty)
    #expect(harness.machine.record == record)
    #expect(harness.machine.confirmed(at: harness.now) == nil)
    // Nor does it answer for the registration that is in flight since.
    let current = try Self.started(harness.ensure())
    #expect(current.record.tokens == fresh)
    #expect(harness.answer(old, .registered).isEmpty)
    #expect(harness.machine.inFlight == current)
    _ = harness.answer(current, .registered)
    #expect(harness.machine.confirmed(at: harness.now)?.tokens == fresh)
    #expect(harness.answer(current, .registered).isEmpty)
  }

  @Test func aResetWithNobodyWaitingOnlyKeepsTheNewVisit() throws {
    var harness = Harness()
    _ = try harness.register()
    let fresh = VisitTokens(visit: "new", visitor: "new-visitor")
    let actions = harness.machine.reset(to: fresh, fields: [], at: harness.now)
    #expect(actions == [.persist(VisitRecord(tokens: fresh, createdAtMilliseconds: harness.now))])
    #expect(harness.machine.confirmed(at: harness.now) == nil)
  }

  @Test func countsAConfirmationForItsBackendOnly() throws {
    var harness = Harness()
    let first = try harness.register()
    #expect(harness.restarted().machine.confirmed(at: harness.now) == first)
    var elsewhere = harness.restarted(backend: "https://other.example/ahoy/visits")
    #expect(elsewhere.machine.confirmed(at: harness.now) == nil)
    let attempt = try Self.started(elsewhere.ensure())
    #expect(attempt.record.tokens == first.tokens)
    #expect(attempt.record.createdAtMilliseconds == first.createdAtMilliseconds)
  }

  @Test func followsTokensThatComeFromElsewhere() throws {
    var machine = VisitMachine(backend: "b", windowMilliseconds: VisitVectors.window)
    let now = VisitVectors.start
    let first = VisitTokens(visit: "one", visitor: "v")
    _ = machine.answered(try Self.started(machine.ensure(first, fields: [], at: now)), .registered)
    guard case .current = machine.ensure(first, fields: [], at: now + 1) else {
      Issue.record("the visit is not current")
      return
    }
    let second = try Self.started(machine.ensure(VisitTokens(visit: "two", visitor: "v"), fields: [], at: now + 2))
    #expect(second.record.createdAtMilliseconds == now + 2)
    #expect(machine.confirmed(at: now + 2) == nil)
  }

  @Test func aCallerMayGiveUp() throws {
    var harness = Harness()
    let first = harness.ensure()
    let second = try Self.ticket(harness.ensure())
    #expect(harness.machine.abandon(try Self.ticket(first)))
    #expect(!harness.machine.abandon(try Self.ticket(first)))
    guard case .resume(let resumed, .success)? = harness.answer(try Self.started(first), .registered).last else {
      Issue.record("the registration did not go on")
      return
    }
    #expect(resumed == [second])
  }

  @Test func asksForFieldsOnlyWhenItRegisters() throws {
    var harness = Harness()
    let record = try harness.register()
    var asked = 0
    func fields() -> [JSONMember] {
      asked += 1
      return []
    }
    _ = harness.machine.ensure(record.tokens, fields: fields(), at: harness.now)
    #expect(asked == 0)
    harness.now += VisitVectors.window
    _ = harness.machine.ensure(VisitTokens(visit: "next", visitor: "v"), fields: fields(), at: harness.now)
    #expect(asked == 1)
  }
}
