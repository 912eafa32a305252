import Effects
import EventPipeline
import Testing

/// What a flush reports, how a drain ends, and what a failing store leads to.
@Suite struct FlushAndDrainTests {
  @Test func flushesAtOnceAndReportsWhenAllIsDelivered() {
    var harness = MachineHarness()
    harness.begin(events(1...3))
    #expect(sent(harness.handle(.flush(ticket: 7))) == [["e1", "e2", "e3"]])
    // What comes after the flush began is not its business.
    harness.arrive([event(4)])
    let actions = harness.answer(1, status: 200)
    // Nobody is told before it is stored.
    #expect(
      actions == [.save(DeliveryChange(cursor: DeliveryCursor(position: 3, through: 4, missing: [4...4])))])
    #expect(
      harness.handle(.saved(nil))
        == [.flushed(ticket: 7, FlushReport(sent: 3, dead: 0, remaining: 1, isComplete: true, obstacle: nil))])
  }

  @Test func reportsWhatAStoreThatFailsDoesNotTake() {
    var harness = MachineHarness()
    harness.begin(events(1...3))
    harness.handle(.flush(ticket: 7))
    harness.answer(1, status: 200)
    let report = FlushReport(sent: 3, dead: 0, remaining: 0, isComplete: true, obstacle: nil)
    #expect(harness.handle(.saved(StoreError(.full, "no space"))) == [.flushed(ticket: 7, report)])
  }

  @Test func flushesWhatIsNotReadYet() {
    var harness = MachineHarness()
    harness.begin([])
    harness.handle(.committed(upTo: 2))
    #expect(harness.handle(.flush(ticket: 1)) == [])
    #expect(sent(harness.page(events(1...2))) == [["e1", "e2"]])
  }

  @Test func reportsAnEmptyFlushAtOnce() {
    var harness = MachineHarness()
    harness.begin([])
    let report = FlushReport(sent: 0, dead: 0, remaining: 0, isComplete: true, obstacle: nil)
    #expect(harness.handle(.flush(ticket: 1)) == [.flushed(ticket: 1, report)])
  }

  @Test func reportsWhatIsInTheWay() {
    var harness = MachineHarness()
    harness.begin(events(1...3))
    harness.handle(.flush(ticket: 1))
    let report = FlushReport(sent: 0, dead: 0, remaining: 3, isComplete: false, obstacle: "status 500")
    #expect(harness.answer(1, status: 500).contains(.flushed(ticket: 1, report)))
  }

  @Test func flushEndsAPauseThatTheBackendDidNotAskFor() {
    var harness = MachineHarness()
    harness.begin(events(1...20))
    for number in 1...2 { harness.answer(number, status: 404) }
    #expect(sent(harness.handle(.flush(ticket: 1))).count == 1)
  }

  @Test func reportsAFlushInTimeWhenTheBackendHangs() {
    var harness = MachineHarness()
    harness.begin(events(1...3))
    harness.handle(.flush(ticket: 1))
    #expect(harness.wait == 30_000)
    let actions = harness.passTime()
    let report = FlushReport(sent: 0, dead: 0, remaining: 3, isComplete: false, obstacle: nil)
    #expect(actions == [.flushed(ticket: 1, report)])
  }

  @Test func drainsWhatWaitsAndSaves() {
    var harness = MachineHarness()
    harness.begin(events(1...3))
    #expect(sent(harness.handle(.drain(milliseconds: 5_000))) == [["e1", "e2", "e3"]])
    let actions = harness.answer(1, status: 200)
    #expect(actions == [.save(DeliveryChange(cursor: DeliveryCursor(position: 3)))])
    #expect(harness.handle(.saved(nil)) == [.drained])
    #expect(harness.status.state == .stopped)
    #expect(harness.wait == nil)
    #expect(harness.handle(.timer) == [])
  }

  @Test func waitsForAnswersWithoutSendingMoreWhenAnotherGoesOn() {
    var harness = MachineHarness { $0.maximumInFlight = 1 }
    harness.begin(events(1...40))
    #expect(harness.underway.count == 1)
    #expect(sent(harness.handle(.drain(milliseconds: 5_000, sendsMore: false))).isEmpty)
    #expect(harness.wait == 5_000)
    #expect(sent(harness.answer(1, status: 200)).isEmpty)
    #expect(harness.handle(.saved(nil)) == [.drained])
    // What the next one begins with.
    #expect(harness.changes.last?.cursor.position == 10)
    harness = MachineHarness()
    harness.begin(events(1...3))
    #expect(harness.handle(.drain(milliseconds: 5_000, sendsMore: false)) == [.drained])
  }

  @Test func drainEndsAtItsDeadline() {
    var harness = MachineHarness()
    harness.begin(events(1...40))
    harness.answer(1, status: 200)
    harness.handle(.saved(nil))
    harness.answer(3, status: 200)
    harness.handle(.drain(milliseconds: 2_000))
    harness.handle(.saved(nil))
    #expect(harness.wait == 2_000)
    #expect(harness.passTime() == [.cancelSends, .drained])
    #expect(harness.changes.last?.cursor == DeliveryCursor(position: 10, through: 40, missing: [11...20, 31...40]))
    #expect(harness.answer(2, status: 200) == [])
  }

  @Test func drainDoesNotWaitForABackendThatIsAway() {
    var harness = MachineHarness()
    harness.begin(events(1...40))
    for number in 1...4 { harness.answer(number, status: 503) }
    #expect(harness.handle(.drain(milliseconds: 5_000)) == [.drained])
  }

  @Test func drainWaitsForTheLastSaveOneSecondMore() {
    var harness = MachineHarness()
    harness.begin(events(1...10))
    harness.handle(.flush(ticket: 1))
    harness.answer(1, status: 200)
    #expect(harness.handle(.drain(milliseconds: 100)) == [])
    #expect(harness.passTime() == [])
    #expect(harness.wait == 1_000)
    let report = FlushReport(sent: 10, dead: 0, remaining: 0, isComplete: true, obstacle: nil)
    #expect(harness.passTime() == [.flushed(ticket: 1, report), .drained])
  }

  @Test func drainsBeforeItStarted() {
    var harness = MachineHarness()
    #expect(harness.handle(.drain(milliseconds: 100)) == [.drained])
    harness = MachineHarness()
    harness.handle(.start)
    #expect(harness.handle(.drain(milliseconds: 100)) == [])
    #expect(harness.passTime() == [.drained])
  }

  @Test func tellsThoseWhoComeTooLate() {
    var harness = MachineHarness()
    harness.begin([])
    harness.handle(.drain(milliseconds: 100))
    let report = FlushReport(
      sent: 0, dead: 0, remaining: 0, isComplete: false, obstacle: "the delivery has ended")
    #expect(harness.handle(.flush(ticket: 5)) == [.flushed(ticket: 5, report)])
    #expect(harness.handle(.drain(milliseconds: 100)) == [.drained])
  }

  // MARK: The store fails

  @Test func asksAStoreThatFailsAgainAfterAPause() {
    var harness = MachineHarness()
    harness.handle(.start)
    var pauses: [UInt64] = []
    for _ in 0..<9 {
      harness.handle(.loaded(.failure(StoreError(.busy, "held"))))
      #expect(harness.status.storeError == "busy: held")
      let before = harness.now
      #expect(harness.passTime() == [.load])
      pauses.append(harness.now - before - 1)
    }
    #expect(pauses == [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000])
    harness.handle(.loaded(.success(DeliveryCursor(position: 0))))
    #expect(harness.status.storeError == nil)
  }

  @Test func readsAgainWhatCouldNotBeRead() {
    var harness = MachineHarness()
    harness.begin([])
    harness.handle(.committed(upTo: 3))
    #expect(harness.handle(.page(.failure(StoreError(.inputOutput, "disk")))) == [])
    // A commit is no reason to try sooner.
    #expect(harness.handle(.committed(upTo: 4)) == [])
    #expect(harness.passTime() == [.read(after: 0, limit: 1_000, bytes: 2 << 20)])
  }

  @Test func readsNoMoreWhileProgressCannotBeSaved() {
    var harness = MachineHarness()
    harness.begin(events(1...20))
    harness.answer(1, status: 200)
    harness.handle(.saved(StoreError(.full, "disk")))
    harness.answer(2, status: 400)
    #expect(harness.handle(.committed(upTo: 30)) == [])
    let actions = harness.passTime()
    #expect(harness.changes.last?.cursor == DeliveryCursor(position: 10, through: 20, missing: [11...20]))
    #expect(!actions.contains { if case .read = $0 { true } else { false } })
    #expect(harness.handle(.saved(nil)).contains(.read(after: 20, limit: 990, bytes: harness.roomInBytes(11...20))))
  }

  @Test func storesDeadLettersThatCouldNotBeStoredBefore() {
    var harness = MachineHarness()
    harness.begin([event(1, id: "large-1")])
    harness.handle(.flush(ticket: 1))
    #expect(harness.changes.last?.dead.count == 1)
    harness.handle(.saved(StoreError(.full, "disk")))
    harness.passTime()
    #expect(harness.changes.count == 2)
    #expect(harness.changes.last?.dead.map(\.event.id) == ["large-1"])
  }

  @Test func doesNotSpinWhenTheStorePromisesEventsThatItDoesNotGive() {
    var harness = MachineHarness()
    harness.begin([])
    harness.handle(.committed(upTo: 9))
    #expect(harness.handle(.page(.success(RecordPage(events: [], lastSequence: 0, isAtEnd: false)))) == [])
    #expect(harness.wait == 200)
  }

  // MARK: Letters

  @Test func sendsLettersAgainAndForgetsThemOnceDelivered() {
    var harness = MachineHarness()
    harness.begin(events(1...3))
    #expect(harness.handle(.lettersQueued) == [.readLetters(limit: 100)])
    let letters = [
      DeadLetter(number: 4, backend: "ahoy", event: event(900, id: "old"), reason: "status 400", diedAtMilliseconds: 1),
      DeadLetter(number: 6, backend: "ahoy", event: event(1, id: "older"), reason: "status 400", diedAtMilliseconds: 1),
    ]
    #expect(sent(harness.handle(.letters(.success(letters)))) == [["old", "older"]])
    // Not read again while they are under way; and they are not in the way of the cursor.
    #expect(harness.handle(.lettersQueued) == [])
    #expect(harness.status.cursor == 0)
    let actions = harness.answer(1, status: 200)
    #expect(
      actions == [
        .save(
          DeliveryChange(cursor: DeliveryCursor(position: 0, through: 3, missing: [1...3]), settledLetters: [4, 6]))
      ])
    #expect(harness.handle(.saved(nil)) == [.readLetters(limit: 100)])
  }

  @Test func aLetterThatIsRefusedAgainIsTheSameLetter() {
    var harness = MachineHarness()
    harness.begin([])
    harness.handle(.lettersQueued)
    let letter = DeadLetter(
      number: 4, backend: "ahoy", event: event(900, id: "old"), reason: "status 400", diedAtMilliseconds: 1)
    harness.handle(.letters(.success([letter])))
    harness.answer(1, status: 413)
    #expect(harness.changes.last?.settledLetters == [])
    #expect(harness.changes.last?.dead.map(\.number) == [4])
    #expect(harness.changes.last?.dead.map(\.reason) == ["status 413"])
  }
}

extension MachineHarness {
  /// What is left of the window beside these events.
  func roomInBytes(_ range: ClosedRange<Int64>) -> Int {
    events(range).reduce(2 << 20) { $0 - $1.memoryBytes }
  }
}
