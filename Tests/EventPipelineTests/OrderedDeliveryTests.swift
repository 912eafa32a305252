import Effects
import EventPipeline
import Testing

/// A format whose answers mean what the contract of an ordered queue says.
struct ContractFormat: DeliveryFormat {
  var perRequest = 10
  /// Ids that are tried once begin so.
  var once = "once"

  func cut(_ events: ArraySlice<QueuedEvent>) -> DeliveryCut {
    guard let first = events.first, first.id.hasPrefix(once) else {
      let run = events.prefix { !$0.id.hasPrefix(once) }
      return LineFormat(perRequest: perRequest).cut(run)
    }
    return .once(OutboundRequest(url: "http://backend.test/once", body: Array(first.id.utf8)), indices: [0])
  }

  func judge(_ outcome: Result<OutboundResponse, TransportError>, attempt: Int, events: Int) -> DeliveryVerdict {
    guard case .success(let response) = outcome else { return .retry(afterMilliseconds: nil, reason: "no answer") }
    let reason = "status \(response.status)"
    return switch response.status {
    case 200..<300: .delivered
    case 400: .dead(reason: reason)
    case 401, 404: .misconfigured(reason: reason)
    case 413: .tooLarge(reason: reason)
    default: .retry(afterMilliseconds: nil, reason: reason)
    }
  }
}

/// The options and verdicts of a queue that keeps its order.
@Suite struct OrderedDeliveryTests {
  static func harness(_ change: (inout DeliveryOptions) -> Void = { _ in }) -> MachineHarness {
    var harness = MachineHarness(format: ContractFormat()) { options in
      options.keepsOrder = true
      options.maximumInFlight = 1
      options.maximumTries = .max
      options.jitter = .around(percent: 20)
      options.flushWaitsForRetryAfter = false
      options.honoursRetryAfterZero = true
      change(&options)
    }
    harness.random = 1 << 63
    return harness
  }

  static func ids(_ range: ClosedRange<Int>) -> [String] { range.map { "e\($0)" } }

  @Test func holdsUpLaterOnesForAFailure() {
    var harness = Self.harness()
    harness.begin(events(1...40))
    for _ in 0..<20 {
      #expect(Array(harness.underway.values) == [Self.ids(1...10)])
      harness.answer(harness.underway.keys.max() ?? 0, status: 500)
      harness.passTime()
    }
    // Neither halved nor dead after any number of failures.
    #expect(harness.status.dead == 0)
    #expect(sent(harness.answer(harness.underway.keys.max() ?? 0, status: 200)) == [Self.ids(11...20)])
  }

  /// The same random number at all calls gives the middle of the range.
  @Test(arguments: [(UInt64(0), [800, 1_600]), (1 << 63, [1_000, 2_000]), (.max, [1_200, 2_400])])
  func spreadsPausesAroundTheDoubledOne(random: UInt64, pauses: [UInt64]) {
    var harness = Self.harness()
    harness.random = random
    harness.begin(events(1...10))
    harness.handle(.flush(ticket: 1))
    for pause in pauses {
      harness.answer(harness.underway.keys.max() ?? 0, status: 500)
      harness.handle(.saved(nil))
      #expect(harness.wait == pause)
      harness.pass(milliseconds: pause)
    }
  }

  @Test func neverPausesLongerThanTheLongest() {
    var harness = Self.harness { $0.maximumBackoffMilliseconds = 5_000 }
    harness.random = .max
    harness.begin(events(1...20))
    for _ in 0..<100 {
      harness.answer(harness.underway.keys.max() ?? 0, status: 500)
      #expect(harness.wait.map { $0 <= 5_000 } ?? false)
      harness.passTime()
    }
  }

  @Test func keepsWhatTheBackendAsksForToTheMillisecond() {
    var harness = Self.harness()
    harness.random = .max
    harness.begin(events(1...20))
    harness.answer(1, status: 429, fields: [OutboundField("Retry-After", "60")])
    #expect(harness.wait == 60_000)
    #expect(sent(harness.pass(milliseconds: 59_999)) == [])
    #expect(sent(harness.pass(milliseconds: 1)) == [Self.ids(1...10)])
    harness.answer(2, status: 401)
    #expect(harness.wait == 300_000)
  }

  @Test func triesOnceAtAFlushInsideOfAnyPause() {
    var harness = Self.harness()
    harness.begin(events(1...20))
    harness.answer(1, status: 429, fields: [OutboundField("Retry-After", "60")])
    for ticket in 1...3 {
      #expect(sent(harness.handle(.flush(ticket: ticket))) == [Self.ids(1...10)])
      let actions = harness.answer(
        harness.underway.keys.max() ?? 0, status: 429, fields: [OutboundField("Retry-After", "60")])
      #expect(sent(actions) == [])
      let reports = actions.compactMap { if case .flushed(_, let report) = $0 { report } else { nil } }
      #expect(reports.map(\.remaining) == [20])
    }
  }

  @Test func takesARetryAfterOfZeroAtItsWord() {
    var harness = Self.harness { $0.flushAt = 1 }
    harness.begin([event(1)])
    harness.answer(1, status: 429, fields: [OutboundField("Retry-After", "0")])
    // Not by itself: that would be a busy loop.
    #expect(harness.underway.isEmpty)
    #expect(sent(harness.arrive([event(2)])) == [["e1"]])
    #expect(sent(harness.answer(2, status: 200)) == [["e2"]])
  }

  @Test func halvesRequestsForGood() {
    var harness = Self.harness()
    harness.begin(events(1...20))
    var sizes: [Int] = []
    var order: [String] = []
    while let (number, ids) = harness.underway.first {
      sizes.append(ids.count)
      if ids.count < 3 { order += ids }
      harness.answer(number, status: ids.count < 3 ? 200 : 413)
    }
    #expect(sizes.prefix(4) == [10, 5, 2, 2])
    #expect(sizes.max() == 10 && sizes.dropFirst(2).max() == 2)
    #expect(order == Self.ids(1...20))
    #expect(harness.now == 0)
    harness.arrive(events(21...40))
    #expect(harness.underway.values.first?.count == 2)
  }

  @Test func buriesASingleEventThatIsTooLarge() {
    var harness = Self.harness()
    harness.begin(events(1...20))
    while let (number, ids) = harness.underway.first { harness.answer(number, status: ids.contains("e3") ? 413 : 200) }
    #expect(harness.status.sent == 19)
    #expect(harness.status.dead == 1)
    _ = harness.savedCursor()
    #expect(harness.changes.flatMap(\.dead).map(\.event.id) == ["e3"])
  }

  @Test func buriesARefusedBatchAndGoesOn() {
    var harness = Self.harness()
    harness.begin(events(1...20))
    #expect(sent(harness.answer(1, status: 400)) == [Self.ids(11...20)])
    harness.answer(2, status: 200)
    #expect(harness.status.dead == 10)
    #expect(harness.status.sent == 10)
    #expect(harness.status.state == .delivering)
  }

  /// A refusal says nothing about the failures before it.
  @Test func countsOnlyFailuresAcrossARefusal() {
    var harness = Self.harness()
    harness.begin(events(1...20))
    harness.answer(1, status: 500)
    harness.passTime()
    harness.answer(2, status: 400)
    harness.answer(3, status: 500)
    #expect(harness.wait == 2_000)
  }

  @Test func keepsTheRestWhenEveryRequestIsRefused() {
    var harness = Self.harness { $0.refusalsInARow = 5 }
    harness.begin(events(1...200))
    while let number = harness.underway.keys.first, harness.status.state != .misconfigured {
      harness.answer(number, status: 400)
    }
    #expect(harness.status.dead == 50)
    #expect(harness.status.depth == 150)
    #expect(harness.status.lastError == "every request is refused: status 400")
  }

  @Test(arguments: [400, 401, 413, 429, 500]) func triesOnceWhatIsToBeTriedOnce(status: Int) {
    var harness = Self.harness()
    harness.begin([event(1, id: "once1"), event(2)])
    harness.handle(.flush(ticket: 1))
    #expect(Array(harness.underway.values) == [["once1"]])
    let fields = [OutboundField("Retry-After", "60")]
    // Nothing is concluded for others.
    #expect(sent(harness.answer(1, status: status, fields: fields)) == [["e2"]])
    harness.answer(2, status: 200)
    #expect(harness.status.givenUp == 1)
    #expect(harness.status.sent == 1)
    #expect(harness.status.dead == 0)
    #expect(harness.status.lastError == "status \(status)")
    #expect(harness.savedCursor() == DeliveryCursor(position: 2))
  }

  @Test func countsWhatWasTriedOnceAndTaken() {
    var harness = Self.harness()
    harness.begin([event(1), event(2, id: "once1"), event(3)])
    harness.handle(.flush(ticket: 1))
    for number in 1...3 { harness.answer(number, status: 200) }
    #expect(harness.status.sent == 3)
    #expect(harness.status.givenUp == 0)
  }

  @Test func hurriesWithoutShorteningAPause() {
    var harness = Self.harness()
    harness.begin(events(1...3))
    #expect(harness.underway.isEmpty)
    #expect(sent(harness.handle(.hurry(upTo: 2))) == [Self.ids(1...3)])
    harness.answer(1, status: 500)
    #expect(sent(harness.handle(.hurry(upTo: 3))) == [])
    #expect(sent(harness.pass(milliseconds: 1_000)) == [Self.ids(1...3)])
  }

  @Test func discardsWhatIsNotUnderWay() {
    var harness = Self.harness()
    harness.begin(events(1...30))
    harness.handle(.discard(upTo: .max))
    #expect(harness.status.discarded == 20)
    #expect(harness.status.depth == 10)
    // What comes back is not sent again.
    harness.answer(1, status: 500)
    #expect(harness.status.discarded == 30)
    #expect(harness.status.depth == 0)
    #expect(harness.savedCursor() == DeliveryCursor(position: 30))
    harness.arrive([event(31)])
    harness.handle(.flush(ticket: 1))
    harness.passTime()
    #expect(Array(harness.underway.values) == [["e31"]])
  }

  @Test func discardsWhatWaitsToBeRepeatedAndWhatIsNotRead() {
    var harness = Self.harness()
    harness.begin(events(1...20))
    harness.answer(1, status: 500)
    harness.handle(.committed(upTo: 1_000))
    harness.handle(.discard(upTo: .max))
    #expect(harness.status.discarded == 1_000)
    // A page that was on its way brings nothing back.
    harness.page(events(21...40))
    #expect(harness.status.depth == 0)
    #expect(harness.passTime().allSatisfy { if case .send = $0 { false } else { true } })
  }

  @Test func discardsBeforeItKnowsWhereToContinue() {
    var harness = Self.harness()
    harness.handle(.start)
    harness.handle(.committed(upTo: 40))
    harness.handle(.discard(upTo: 30))
    let actions = harness.handle(.loaded(.success(DeliveryCursor(position: 10))))
    #expect(harness.status.discarded == 20)
    let reads = actions.compactMap { if case .read(let after, _, _) = $0 { after } else { nil } }
    #expect(reads == [30])
  }

  @Test func neverDiscardsBeyondWhatIsCommitted() {
    var harness = Self.harness()
    harness.begin(events(1...3))
    harness.handle(.discard(upTo: 1_000))
    harness.arrive([event(4)])
    #expect(harness.status.discarded == 3)
    #expect(harness.status.depth == 1)
  }
}
