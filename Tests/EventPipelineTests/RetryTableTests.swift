import Effects
import EventPipeline
import Testing

/// What each answer leads to: the table of retries.
@Suite struct RetryTableTests {
  @Test(arguments: [200, 201, 202, 204]) func isDoneAfterSuccess(status: Int) {
    var harness = MachineHarness()
    harness.begin(events(1...20))
    harness.answer(1, status: status)
    harness.answer(2, status: status)
    #expect(harness.status.sent == 20)
    #expect(harness.status.cursor == 20)
    #expect(harness.status.depth == 0)
    #expect(harness.wait == nil)
    #expect(harness.savedCursor() == DeliveryCursor(position: 20))
    #expect(harness.wait == nil)
  }

  @Test(arguments: [301, 302, 307, 308, 401, 403, 404, 405, 422])
  func keepsEverythingForAMisconfiguredBackend(status: Int) {
    var harness = MachineHarness()
    harness.begin(events(1...40))
    for number in 1...4 { harness.answer(number, status: status) }
    #expect(harness.status.state == .misconfigured)
    #expect(harness.status.lastError == "status \(status)")
    #expect(harness.status.depth == 40)
    #expect(harness.status.dead == 0)
    for _ in 0..<20 {
      let before = harness.now
      // One request, five minutes later at the earliest.
      #expect(sent(harness.passTime()).count == 1)
      #expect(harness.now - before >= 300_000)
      harness.answer(harness.underway.keys.max() ?? 0, status: status)
    }
    #expect(harness.status.depth == 40)
    #expect(harness.status.dead == 0)
    harness.passTime()
    harness.answer(harness.underway.keys.max() ?? 0, status: 200)
    #expect(harness.status.state == .delivering)
    #expect(harness.underway.count == 3)
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
  func triesAgainAfterAGrowingPause(status: Int) {
    var harness = MachineHarness()
    harness.begin(events(1...10))
    harness.handle(.flush(ticket: 1))
    harness.answer(1, status: status)
    #expect(harness.status.state == .retrying)
    #expect(harness.status.nextTryMilliseconds == MachineHarness.wall + 1_000)
    var pauses: [UInt64] = []
    // What says that it is overloaded asks for patience. Other failures lead to smaller parts at the fifth try.
    let isOverload = [408, 429, 503].contains(status)
    for _ in 0..<(isOverload ? 12 : 4) {
      let before = harness.now
      #expect(sent(harness.passTime()).count == 1)
      pauses.append(harness.now - before - 1)
      harness.answer(harness.underway.keys.max() ?? 0, status: status)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30].prefix(pauses.count).map { $0 * 1_000 })
    #expect(harness.underway.values.map(\.count) == (isOverload ? [] : [5]))
    #expect(harness.status.dead == 0)
    #expect(harness.status.depth == 10)
    #expect(harness.status.retried > 0)
  }

  @Test(arguments: TransportError.Code.allCases, [false, true])
  func triesAgainWithoutAnAnswer(code: TransportError.Code, mayHaveArrived: Bool) {
    var harness = MachineHarness()
    harness.begin(events(1...10))
    harness.handle(.flush(ticket: 1))
    let first = harness.underway[1]
    harness.fail(1, TransportError(code, "gone", mayHaveArrived: mayHaveArrived))
    // The same events with the same ids, whether they may have arrived or not.
    #expect(sent(harness.passTime()) == [first])
    for _ in 0..<30 {
      harness.fail(harness.underway.keys.max() ?? 0, TransportError(code, "gone", mayHaveArrived: mayHaveArrived))
      harness.passTime()
    }
    #expect(harness.underway.values.first == first)
    #expect(harness.status.dead == 0)
  }

  @Test func spreadsPauses() {
    var pauses: Set<UInt64> = []
    for random in [UInt64(0), .max / 4, .max / 2, .max] {
      var harness = MachineHarness()
      harness.random = random
      harness.begin(events(1...10))
      harness.handle(.flush(ticket: 1))
      harness.answer(1, status: 500)
      pauses.insert(harness.wait ?? 0)
    }
    #expect(pauses == [100, 325, 550, 1_000])
  }

  @Test(
    arguments: [
      ("7", 7_000, 7_700), ("1", 1_000, 1_100), ("Thu, 01 Jan 1970 00:01:30 GMT", 30_000, 33_000),
      ("99999999999999999999", 3_600_000, 3_605_000),
      // What is not readable, or is no pause, leaves the own pause.
      ("soon", 100, 1_000), ("0", 100, 1_000), ("Thu, 01 Jan 1970 00:00:30 GMT", 100, 1_000),
    ] as [(String, UInt64, UInt64)])
  func honoursRetryAfter(value: String, shortest: UInt64, longest: UInt64) {
    for (random, pause) in [(UInt64(0), shortest), (.max, longest)] {
      var harness = MachineHarness()
      harness.random = random
      harness.begin(events(1...10))
      harness.handle(.flush(ticket: 1))
      let fields = [
        OutboundField("Date", "Thu, 01 Jan 1970 00:01:00 GMT"), OutboundField("retry-after", value),
      ]
      harness.answer(1, status: 503, fields: fields)
      #expect(harness.status.nextTryMilliseconds == MachineHarness.wall + Int64(pause))
      harness.handle(.saved(nil))
      #expect(harness.wait == pause)
    }
  }

  @Test func sendsNothingDuringARetryAfterWhateverElseIsAnswered() {
    var harness = MachineHarness()
    harness.begin(events(1...100))
    harness.answer(1, status: 429, fields: [OutboundField("Retry-After", "60")])
    for number in 2...4 { #expect(sent(harness.answer(number, status: 200)) == []) }
    #expect(sent(harness.handle(.flush(ticket: 1))) == [])
    #expect(sent(harness.pass(milliseconds: 59_999)) == [])
    #expect(sent(harness.pass(milliseconds: 6_002)).count == 4)
  }

  @Test func sendsOneRequestUntilTheBackendIsBack() {
    var harness = MachineHarness()
    harness.begin(events(1...100))
    for number in 1...4 { harness.answer(number, status: 503) }
    #expect(sent(harness.passTime()).count == 1)
    #expect(sent(harness.answer(5, status: 200)).count == 4)
  }

  @Test func countsAFailureOfRequestsThatWereUnderWayTogetherOnce() {
    var harness = MachineHarness()
    harness.begin(events(1...100))
    for number in 1...4 { harness.answer(number, status: 503) }
    #expect(harness.wait == 1_000)
  }

  @Test(arguments: [400, 413]) func partsUntilTheOffenderIsAlone(status: Int) throws {
    var harness = MachineHarness()
    harness.begin(events(1...20))
    harness.answer(2, status: 200)
    var delivered: [String] = []
    while let (number, ids) = harness.underway.min(by: { $0.key < $1.key }) {
      // Without any pause: the backend works.
      if ids.contains("e7") {
        harness.answer(number, status: status)
      } else {
        delivered += ids
        harness.answer(number, status: 200)
      }
    }
    #expect(delivered.sorted() == ["e1", "e10", "e2", "e3", "e4", "e5", "e6", "e8", "e9"])
    #expect(harness.now == 0)
    #expect(harness.status.dead == 1)
    #expect(harness.status.sent == 19)
    _ = harness.savedCursor()
    let dead = harness.changes.flatMap(\.dead)
    #expect(dead.map(\.event) == [event(7)])
    #expect(dead.map(\.reason) == ["status \(status)"])
    #expect(harness.changes.last?.cursor == DeliveryCursor(position: 20))
  }

  @Test func halvesALargeRequestInOrder() {
    var harness = MachineHarness()
    harness.begin(events(1...10))
    harness.handle(.flush(ticket: 1))
    let halves = sent(harness.answer(1, status: 413))
    #expect(halves == [(1...5).map { "e\($0)" }, (6...10).map { "e\($0)" }])
  }

  @Test func buriesAnEventThatAlwaysFailsWhileOthersAreTaken() {
    var harness = MachineHarness()
    harness.begin(events(1...20))
    var next: Int64 = 21
    for _ in 0..<2_000 where harness.status.dead == 0 {
      if harness.underway.isEmpty {
        harness.now += 1_000
        harness.arrive(events(next...(next + 19)))
        next += 20
      }
      for (number, ids) in harness.underway { harness.answer(number, status: ids.contains("e7") ? 500 : 200) }
      harness.handle(.saved(nil))
    }
    #expect(harness.status.dead == 1)
    for (number, _) in harness.underway { harness.answer(number, status: 200) }
    while !harness.underway.isEmpty || harness.status.depth > 0 {
      harness.passTime()
      for (number, _) in harness.underway { harness.answer(number, status: 200) }
    }
    #expect(harness.status.sent == next - 2)
  }

  /// A slow backend, or a bad network: some get through, most do not.
  @Test func buriesNothingThatIsNotAnswered() {
    var harness = MachineHarness()
    harness.begin(events(1...200))
    var count = 0
    while harness.status.depth > 0, count < 20_000 {
      for (number, _) in harness.underway.sorted(by: { $0.key < $1.key }) {
        count += 1
        if count % 10 == 0 {
          harness.answer(number, status: 200)
        } else {
          harness.fail(number, TransportError(.timedOut, "late", mayHaveArrived: true))
        }
      }
      harness.passTime()
    }
    #expect(harness.status.dead == 0)
    #expect(harness.status.sent == 200)
  }

  @Test func waitsLongerWithEachFailureOfTheSameEvents() {
    var harness = MachineHarness()
    harness.begin(events(1...10))
    harness.handle(.flush(ticket: 1))
    var pauses: [UInt64] = []
    var next: Int64 = 11
    for _ in 0..<8 {
      let number = harness.underway.first { $0.value.contains("e1") }?.key ?? 0
      // Others are delivered meanwhile: it is not the backend.
      harness.arrive(events(next...(next + 19)))
      next += 20
      for (other, _) in harness.underway where other != number { harness.answer(other, status: 200) }
      harness.handle(.saved(nil))
      harness.fail(number, TransportError(.interrupted, "reset"))
      let before = harness.now
      while !harness.underway.values.contains(where: { $0.contains("e1") }) {
        harness.passTime()
        harness.handle(.saved(nil))
      }
      pauses.append((harness.now - before) / 1_000)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30])
    #expect(harness.status.state == .delivering)
  }

  @Test func doesNotHoldUpOthersForAnEventThatFails() {
    var harness = MachineHarness()
    harness.begin(events(1...100))
    var answered = 0
    while harness.now == 0, let (number, ids) = harness.underway.min(by: { $0.key < $1.key }) {
      harness.answer(number, status: ids.contains("e17") ? 500 : 200)
      answered += 1
    }
    #expect(harness.status.sent == 90)
    #expect(answered == 10)
  }

  @Test func buriesNothingInAnOutage() {
    var harness = MachineHarness()
    harness.begin(events(1...1_000))
    harness.answer(1, status: 200)
    for _ in 0..<2_000 {
      for (number, _) in harness.underway { harness.answer(number, status: 500) }
      harness.passTime()
    }
    #expect(harness.status.dead == 0)
    #expect(harness.status.depth == 990)
    // Hours have passed, with two tries a minute at most.
    #expect(harness.now > 4 * 3_600_000)
    while harness.status.depth > 0 {
      for (number, _) in harness.underway { harness.answer(number, status: 200) }
      harness.passTime()
    }
    #expect(harness.status.sent == 1_000)
  }

  @Test func keepsTheRestWhenTheBackendRefusesEveryEvent() {
    var harness = MachineHarness { $0.refusalsInARow = 30 }
    harness.begin(events(1...200))
    var answers = 0
    while harness.now < 3_600_000 {
      for (number, _) in harness.underway {
        harness.answer(number, status: 400)
        answers += 1
      }
      harness.passTime()
    }
    #expect(harness.status.dead == 30)
    #expect(harness.status.depth == 170)
    #expect(harness.status.state == .misconfigured)
    #expect(harness.status.lastError == "every event is refused: status 400")
    #expect(answers < 200)
  }
}
