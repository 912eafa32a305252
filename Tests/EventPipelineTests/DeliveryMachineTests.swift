import Effects
import EventPipeline
import Synchronization
import Testing

/// When events are sent, and in what company.
@Suite struct DeliveryMachineTests {
  @Test func asksWhereToContinueBeforeItReads() {
    var harness = MachineHarness()
    #expect(harness.handle(.start) == [.load])
    #expect(harness.handle(.committed(upTo: 3)) == [])
    let actions = harness.handle(.loaded(.success(DeliveryCursor(position: 1))))
    #expect(actions == [.read(after: 1, limit: 1_000, bytes: 2 << 20), .readLetters(limit: 100)])
  }

  @Test func sendsAtTwentyEvents() {
    var harness = MachineHarness()
    #expect(sent(harness.begin(events(1...19))) == [])
    let actions = harness.arrive([event(20)])
    #expect(sent(actions) == [(1...10).map { "e\($0)" }, (11...20).map { "e\($0)" }])
  }

  @Test func sendsAfterFiveSeconds() {
    var harness = MachineHarness()
    #expect(sent(harness.begin([event(1)])) == [])
    #expect(harness.wait == 5_000)
    harness.now = 4_000
    // A later event does not put off the earlier one.
    #expect(sent(harness.arrive([event(2)])) == [])
    #expect(harness.wait == 1_000)
    #expect(sent(harness.passTime()) == [["e1", "e2"]])
  }

  @Test func startsNoTimerWithoutEvents() {
    var harness = MachineHarness()
    harness.begin([])
    #expect(harness.wait == nil)
  }

  @Test func limitsRequestsUnderWay() {
    var harness = MachineHarness { $0.maximumInFlight = 3 }
    #expect(sent(harness.begin(events(1...95))).count == 3)
    #expect(sent(harness.answer(1, status: 200)).count == 1)
    #expect(harness.status.inFlight == 3)
  }

  @Test func movesTheCursorOverTheAcknowledgedPrefixOnly() {
    var harness = MachineHarness()
    harness.begin(events(1...40))
    harness.answer(2, status: 200)
    harness.answer(4, status: 200)
    #expect(harness.status.cursor == 0)
    #expect(harness.savedCursor() == DeliveryCursor(position: 0, through: 40, missing: [1...10, 21...30]))
    harness.answer(1, status: 200)
    #expect(harness.status.cursor == 20)
    harness.answer(3, status: 200)
    #expect(harness.savedCursor() == DeliveryCursor(position: 40, through: 40))
  }

  @Test func sendsAgainAfterARestartExactlyWhatWasNotAcknowledged() {
    var harness = MachineHarness()
    let cursor = DeliveryCursor(position: 10, through: 40, missing: [11...12, 31...31])
    let actions = harness.begin(events(11...60), cursor: cursor)
    #expect(sent(actions).flatMap { $0 } == ["e11", "e12", "e31"] + (41...60).map { "e\($0)" })
  }

  @Test func keepsWhatItDoesNotReadYetOfTheLastRun() {
    var harness = MachineHarness()
    let cursor = DeliveryCursor(position: 0, through: 5_000, missing: [5...5, 900...1_200, 4_000...4_001])
    harness.begin([event(5)], cursor: cursor)
    harness.handle(.flush(ticket: 1))
    harness.answer(1, status: 200)
    let saved = harness.savedCursor()
    #expect(saved?.position == 5)
    #expect(saved?.through == 5_000)
    #expect(saved?.missing == [900...1_200, 4_000...4_001])
  }

  @Test func passesOverGapsInTheNumbers() {
    var harness = MachineHarness()
    harness.begin([event(5), event(900)])
    harness.handle(.flush(ticket: 1))
    harness.answer(1, status: 200)
    #expect(harness.savedCursor() == DeliveryCursor(position: 900))
  }

  @Test func savesInGroups() {
    var harness = MachineHarness()
    harness.begin(events(1...40))
    var saves = harness.answer(1, status: 200).count { if case .save = $0 { true } else { false } }
    harness.handle(.saved(nil))
    for number in 2...4 {
      saves += harness.answer(number, status: 200).count { if case .save = $0 { true } else { false } }
    }
    #expect(saves == 1)
    #expect(harness.wait == 100)
    harness.passTime()
    #expect(harness.changes.count == 2)
  }

  @Test func skipsWhatIsNotForTheBackend() {
    var harness = MachineHarness()
    let actions = harness.begin([event(1, id: "skip-1"), event(2), event(3, id: "skip-3")] + events(4...20))
    #expect(sent(actions).flatMap { $0 } == ["e2"] + (4...20).map { "e\($0)" })
    #expect(harness.status.skipped == 2)
    harness.answer(1, status: 200)
    harness.answer(2, status: 200)
    #expect(harness.status.cursor == 20)
  }

  @Test func buriesWhatCanNeverBeSent() throws {
    var harness = MachineHarness()
    harness.begin([event(1, id: "large-1")] + events(2...20))
    #expect(harness.status.dead == 1)
    harness.answer(1, status: 200)
    harness.answer(2, status: 200)
    _ = harness.savedCursor()
    let dead = try #require(harness.changes.flatMap(\.dead).first)
    #expect(dead.event.id == "large-1")
    #expect(dead.reason == "too large")
    #expect(dead.diedAtMilliseconds == MachineHarness.wall)
  }

  @Test func waitsUntilItIsResumed() {
    let gate = Gatekeeper()
    var harness = MachineHarness(format: GatedFormat(gate: gate))
    #expect(sent(harness.begin(events(1...20))) == [])
    #expect(sent(harness.pass(milliseconds: 1)) == [])
    gate.isOpen.withLock { $0 = true }
    #expect(sent(harness.handle(.resume)).count == 2)
  }

  @Test func asksAFormatThatWaitsAgainNowAndThen() {
    let gate = Gatekeeper()
    var harness = MachineHarness(format: GatedFormat(gate: gate))
    harness.begin(events(1...20))
    #expect(harness.wait == 5_000)
    gate.isOpen.withLock { $0 = true }
    #expect(sent(harness.passTime()).count == 2)
  }

  @Test func sendsOthersWhileSomeWait() {
    var harness = MachineHarness()
    let actions = harness.begin([event(1, id: "park-1")] + events(2...20))
    #expect(sent(actions).flatMap { $0 } == (2...20).map { "e\($0)" })
    harness.answer(1, status: 200)
    harness.answer(2, status: 200)
    #expect(harness.status.cursor == 0)
    #expect(harness.savedCursor() == DeliveryCursor(position: 0, through: 20, missing: [1...1]))
  }

  @Test func sendsTheFirstRequestOfAGroupAlone() {
    var harness = MachineHarness(format: GroupedFormat())
    let group = { (name: String, range: ClosedRange<Int64>) in range.map { event($0, id: "\(name)\($0)") } }
    var actions = harness.begin(group("a", 1...30))
    #expect(sent(actions).count == 1)
    // Also after a failure.
    harness.answer(1, status: 500)
    #expect(sent(harness.passTime()).count == 1)
    actions = harness.answer(2, status: 200)
    #expect(sent(actions).count == 2)
    harness.answer(3, status: 200)
    harness.answer(4, status: 200)
    // A new group goes through the same, the old one does not.
    #expect(sent(harness.arrive(group("b", 31...60))).count == 1)
    harness.answer(5, status: 200)
    #expect(harness.underway.count == 2)
    harness.answer(6, status: 200)
    harness.answer(7, status: 200)
    #expect(sent(harness.arrive(group("a", 61...90))).count == 3)
  }

  @Test func asksAFormatThatWaitsAgainAfterEachAnswer() {
    let gate = Gatekeeper()
    gate.isOpen.withLock { $0 = true }
    var harness = MachineHarness(format: GatedFormat(gate: gate)) { $0.maximumInFlight = 1 }
    harness.begin(events(1...20))
    gate.isOpen.withLock { $0 = false }
    harness.handle(.saved(nil))
    #expect(sent(harness.handle(.flush(ticket: 1))) == [])
    gate.isOpen.withLock { $0 = true }
    #expect(sent(harness.answer(1, status: 200)).count == 1)
  }

  @Test func readsOnWhenHalfOfTheWindowIsDone() {
    var harness = MachineHarness {
      $0.windowRows = 40
      $0.maximumInFlight = 10
    }
    harness.begin([])
    harness.handle(.committed(upTo: 1_000))
    var actions = harness.handle(
      .page(.success(RecordPage(events: events(1...40), lastSequence: 40, isAtEnd: false))))
    #expect(sent(actions).count == 4)
    actions = harness.answer(1, status: 200)
    #expect(!actions.contains { if case .read = $0 { true } else { false } })
    actions = harness.answer(2, status: 200)
    #expect(actions.contains(.read(after: 40, limit: 20, bytes: (2 << 20) - 20 * 20 - 20 * 99)))
    #expect(harness.status.depth == 980)
  }

  @Test func boundsTheWindowInBytes() {
    var harness = MachineHarness { $0.windowBytes = 100_000 }
    harness.begin([])
    harness.handle(.committed(upTo: 1_000))
    let large = (1...3).map { event($0, bytes: 20_000) }
    let actions = harness.handle(.page(.success(RecordPage(events: large, lastSequence: 3, isAtEnd: false))))
    #expect(!actions.contains { if case .read = $0 { true } else { false } })
  }
}

/// The first letter of an id is its group.
private struct GroupedFormat: DeliveryFormat {
  func cut(_ events: ArraySlice<QueuedEvent>) -> DeliveryCut { LineFormat().cut(events) }

  func group(of event: QueuedEvent) -> String? { event.id.first.map(String.init) }

  func judge(_ outcome: Result<OutboundResponse, TransportError>, attempt: Int, events: Int) -> DeliveryVerdict {
    LineFormat().judge(outcome, attempt: attempt, events: events)
  }
}

private final class Gatekeeper: Sendable {
  let isOpen = Mutex(false)
}

/// Waits until the gate is open.
private struct GatedFormat: DeliveryFormat {
  let gate: Gatekeeper

  func cut(_ events: ArraySlice<QueuedEvent>) -> DeliveryCut {
    gate.isOpen.withLock { $0 } ? LineFormat().cut(events) : .wait
  }

  func judge(_ outcome: Result<OutboundResponse, TransportError>, attempt: Int, events: Int) -> DeliveryVerdict {
    LineFormat().judge(outcome, attempt: attempt, events: events)
  }
}
