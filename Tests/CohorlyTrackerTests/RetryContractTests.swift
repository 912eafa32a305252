import CohorlyTracker
import Effects
import EventPipeline
import Testing

/// The retry contract (cohorly.md, section 1.4), row by row of section 4.2, against the machine that delivers.
@Suite struct RetryContractTests {
  /// No jitter, one event a request.
  static func single(_ change: (inout DeliveryOptions) -> Void = { _ in }) -> CohorlyQueue {
    CohorlyQueue { options in
      options.flushAt = 1
      change(&options)
    }
  }

  // MARK: When it is sent

  @Test func row22_twoEventsAreTwoOfARequest() {
    var queue = CohorlyQueue { $0.flushAt = 2 }
    queue.track("a", "b")
    #expect(queue.names == [["a", "b"]])
    #expect(queue.attempts[0].request.url == "http://server.test/track")
    #expect(queue.attempts[0].request.method == "POST")
  }

  @Test func row23_waitsForCompany() {
    var queue = CohorlyQueue { $0.flushAt = 3 }
    queue.track("a", "b")
    #expect(queue.attempts.isEmpty)
    queue.track("c")
    #expect(queue.names == [["a", "b", "c"]])
  }

  @Test func row24_waitsFiveSecondsForCompany() {
    var queue = CohorlyQueue()
    queue.track("a")
    queue.advance(milliseconds: 4_999)
    #expect(queue.attempts.isEmpty)
    queue.advance(milliseconds: 2)
    #expect(queue.names == [["a"]])
  }

  @Test func row25_flushesWhatIsQueued() {
    var queue = CohorlyQueue()
    queue.track("a", "b")
    queue.flush()
    #expect(queue.names == [["a", "b"]])
    #expect(queue.reports.map(\.isComplete) == [true])
  }

  @Test func row49_flushesNothing() {
    var queue = CohorlyQueue()
    queue.flush()
    #expect(queue.attempts.isEmpty)
    #expect(queue.reports.map(\.isComplete) == [true])
  }

  @Test func row48_takesFiveHundredAtOnce() {
    var queue = CohorlyQueue { $0.flushAt = 2_000 }
    for _ in 0..<600 { queue.track("a") }
    queue.flush()
    #expect(queue.sizes == [500, 100])
  }

  @Test func staysBelowAMegabyte() {
    var queue = CohorlyQueue { $0.windowBytes = 8 << 20 }
    let text = String(repeating: "x", count: 100_000)
    for _ in 0..<20 {
      queue.add(
        CohorlyRecord(path: .track, body: [JSONMember("event", "a"), JSONMember("properties", ["t": .string(text)])]))
    }
    queue.flush()
    #expect(queue.sizes == [8, 8, 4])
    #expect(queue.attempts.allSatisfy { $0.request.body.count <= CohorlyLimits.bytes })
  }

  // MARK: What an answer leads to

  @Test func row27_sendsTheSameEventAfterAnOutage() {
    var queue = CohorlyQueue()
    queue.answers = [CohorlyQueue.networkError]
    queue.track("a")
    queue.flush()
    #expect(queue.depth == 1)
    #expect(queue.reports.map(\.remaining) == [1])
    queue.flush()
    #expect(queue.depth == 0)
    #expect(queue.attempts.count == 2)
    #expect(queue.attempts[0].body == queue.attempts[1].body)
  }

  @Test func row28_keepsWhatComesTooOften() {
    var queue = CohorlyQueue()
    queue.answers = [CohorlyQueue.status(429, retryAfter: "60")]
    queue.track("a", "b")
    queue.flush()
    queue.advance(milliseconds: 59_000)
    #expect(queue.sizes == [2])
    #expect(queue.depth == 2)
  }

  @Test(arguments: [("0", 2), ("60", 1)]) func row29_waitsAsLongAsItIsAsked(retryAfter: String, requests: Int) {
    var queue = Self.single()
    queue.answers = [CohorlyQueue.status(429, retryAfter: retryAfter), CohorlyQueue.status(500)]
    queue.track("a", "b")
    #expect(queue.attempts.count == requests)
    // The oldest first.
    #expect(queue.names.allSatisfy { $0 == ["a"] })
  }

  @Test func row30_doublesItsPausesUntilASuccess() {
    var queue = Self.single()
    queue.answers = [CohorlyQueue.status(429), CohorlyQueue.status(429)]
    queue.track("a")
    queue.advance(milliseconds: 1_999)
    #expect(queue.times == [0])
    queue.advance(milliseconds: 1)
    #expect(queue.times == [0, 2_000])
    queue.advance(milliseconds: 2_001)
    queue.track("b")
    #expect(queue.times == [0, 2_000])
    queue.advance(milliseconds: 1_999)
    #expect(queue.times.prefix(3) == [0, 2_000, 6_000])
    #expect(queue.depth == 0)
    queue.track("c")
    #expect(queue.attempts.last?.milliseconds == 6_000)
  }

  @Test func row31_triesAtOneThreeSevenFifteenSeconds() {
    var queue = CohorlyQueue { $0.flushIntervalMilliseconds = 1_000 }
    queue.answers = Array(repeating: CohorlyQueue.status(500), count: 3)
    queue.track("a")
    queue.advance(milliseconds: 20_000)
    #expect(queue.times == [1_000, 3_000, 7_000, 15_000])
    #expect(queue.depth == 0)
  }

  @Test func row32_triesAgainTwoSecondsAfterANetworkError() {
    var queue = Self.single()
    queue.answers = [CohorlyQueue.networkError]
    queue.track("a")
    queue.advance(milliseconds: 10_000)
    #expect(queue.times == [0, 2_000])
  }

  @Test(arguments: [429, 503]) func row33_triesAgainWhenItIsAskedTo(status: Int) {
    var queue = CohorlyQueue { $0.flushIntervalMilliseconds = 1_000 }
    queue.random = .max
    queue.answers = [CohorlyQueue.status(status, retryAfter: "7")]
    queue.track("a")
    queue.advance(milliseconds: 20_000)
    #expect(queue.times == [1_000, 8_000])
  }

  /// The date of the answer counts, or else our clock: 1,800,000,000 s after 1970 is 08:00:00.
  @Test func row33_understandsADateToo() {
    var queue = Self.single()
    queue.answers = [CohorlyQueue.status(429, retryAfter: "Fri, 15 Jan 2027 08:00:09 GMT")]
    queue.track("a")
    queue.advance(milliseconds: 20_000)
    #expect(queue.times == [0, 9_000])
  }

  @Test func row34_waitsNoLongerThanTheLongestPause() {
    var queue = Self.single { $0.maximumRetryAfterMilliseconds = 5_000 }
    queue.answers = [CohorlyQueue.status(429, retryAfter: "60")]
    queue.track("a")
    queue.advance(milliseconds: 70_000)
    #expect(queue.times == [0, 5_000])
    #expect(DeliveryOptions.cohorly.maximumRetryAfterMilliseconds == 600_000)
  }

  @Test func row35_doublesNoFurtherThanTheLongestPause() {
    var queue = Self.single { $0.maximumBackoffMilliseconds = 3_000 }
    queue.answers = Array(repeating: CohorlyQueue.status(500), count: 2)
    queue.track("a")
    queue.advance(milliseconds: 70_000)
    #expect(queue.times == [0, 2_000, 5_000])
  }

  @Test(arguments: [(UInt64(0), 1_600), (1 << 63, 2_000), (.max, 2_400)] as [(UInt64, UInt64)])
  func row36_spreadsPausesByAFifth(random: UInt64, pause: UInt64) {
    var queue = Self.single()
    queue.random = random
    queue.answers = [CohorlyQueue.status(500)]
    queue.track("a")
    queue.advance(milliseconds: 10_000)
    #expect(queue.times == [0, pause])
  }

  @Test(arguments: [UInt64(1) << 63, .max]) func row37_pausesTenMinutesAtMost(random: UInt64) {
    var queue = Self.single()
    queue.random = random
    queue.answers = Array(repeating: CohorlyQueue.networkError, count: 12)
    queue.track("a")
    queue.advance(milliseconds: 24 * 3_600_000)
    let pauses = zip(queue.times.dropFirst(), queue.times).map { $0 - $1 }
    #expect(pauses.count == 12)
    #expect(pauses.last == 600_000)
    if random != .max {
      #expect(pauses.prefix(10) == [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 600_000])
    }
    #expect(queue.depth == 0)
  }

  @Test func row38_beginsAgainAfterASuccess() {
    var queue = Self.single()
    queue.answers = [
      CohorlyQueue.status(500), CohorlyQueue.status(500), CohorlyQueue.status(200), CohorlyQueue.status(500),
    ]
    queue.track("a")
    queue.advance(milliseconds: 10_000)
    queue.track("b")
    queue.advance(milliseconds: 10_000)
    #expect(queue.times == [0, 2_000, 6_000, 10_000, 12_000])
  }

  @Test func row39_dropsARefusedBatch() {
    var queue = CohorlyQueue()
    queue.answers = [CohorlyQueue.status(400)]
    queue.track("a", "b")
    queue.flush()
    #expect(queue.attempts.count == 1)
    #expect(queue.depth == 0)
    #expect(queue.dead.map(\.event.id) == ["id-0", "id-1"])
    #expect(queue.status.dead == 2)
    queue.track("c")
    queue.flush()
    #expect(queue.names == [["a", "b"], ["c"]])
    #expect(queue.depth == 0)
  }

  @Test func row40_dropsNoOtherBatch() {
    var queue = CohorlyQueue { $0.flushAt = 2 }
    queue.answers = [CohorlyQueue.status(400)]
    queue.track("bad0", "bad1", "good0", "good1")
    #expect(queue.names == [["bad0", "bad1"], ["good0", "good1"]])
    #expect(queue.depth == 0)
    #expect(queue.status.sent == 2)
  }

  /// As the clients that do not wait for the next flush; the last of the sizes is that of a request that is taken.
  @Test func row41_halvesForGood() {
    var queue = CohorlyQueue { $0.flushAt = 8 }
    queue.answers = Array(repeating: CohorlyQueue.status(413), count: 2)
    queue.track("a", "b", "c", "d")
    queue.flush()
    #expect(queue.sizes == [4, 2, 1, 1, 1, 1])
    #expect(queue.names.dropFirst(2) == [["a"], ["b"], ["c"], ["d"]])
    #expect(queue.times.allSatisfy { $0 == 0 })
    queue.track("e", "f")
    queue.flush()
    #expect(queue.sizes.suffix(2) == [1, 1])
  }

  /// The server answers 413 as long as the large one is in it.
  @Test func row42_dropsASingleOneThatIsTooLarge() {
    var queue = CohorlyQueue()
    queue.answers = Array(repeating: CohorlyQueue.status(413), count: 2)
    queue.track("large", "small")
    queue.flush()
    #expect(queue.names == [["large", "small"], ["large"], ["small"]])
    #expect(queue.dead.map(\.event.id) == ["id-0"])
    #expect(queue.status.sent == 1)
  }

  /// Nobody needs to ask the server about what it cannot take.
  @Test func row42_dropsWhatIsTooLargeWithoutSendingIt() {
    var queue = CohorlyQueue()
    let text = String(repeating: "x", count: CohorlyLimits.bytes)
    queue.track("a")
    queue.add(CohorlyRecord(path: .track, body: [JSONMember("event", .string(text))]))
    queue.track("b")
    queue.flush()
    #expect(queue.names == [["a"], ["b"]])
    #expect(queue.status.dead == 1)
    #expect(queue.status.lastError == "larger than the 900000 bytes of a request")
  }

  @Test func row43_keepsEverythingForAWrongToken() {
    var queue = Self.single { $0.slowRetryMilliseconds = 10_000 }
    queue.random = .max
    queue.answers = [CohorlyQueue.status(401)]
    queue.track("a")
    #expect(queue.status.state == .misconfigured)
    queue.advance(milliseconds: 9_000)
    queue.track("b")
    #expect(queue.times == [0])
    queue.advance(milliseconds: 1_000)
    #expect(queue.times.prefix(2) == [0, 10_000])
    #expect(queue.depth == 0)
    #expect(DeliveryOptions.cohorly.slowRetryMilliseconds == 600_000)
  }

  @Test(arguments: [CohorlyQueue.status(500), CohorlyQueue.status(429, retryAfter: "60"), CohorlyQueue.status(401)])
  func row44_triesOnceWhenAPersonAsks(failure: Result<OutboundResponse, TransportError>) {
    var queue = Self.single()
    queue.answers = [failure, failure, failure]
    queue.track("a")
    #expect(queue.attempts.count == 1)
    queue.flush()
    #expect(queue.attempts.count == 2)
    #expect(queue.depth == 1)
    #expect(queue.reports.map(\.isComplete) == [false])
    // By itself it waits as before.
    queue.advance(milliseconds: 1_000)
    #expect(queue.attempts.count == 2)
  }

  @Test(arguments: [200, 500]) func row50_givesALastChanceAtTheEnd(status: Int) {
    var queue = CohorlyQueue()
    queue.answers = [CohorlyQueue.status(status)]
    queue.track("a")
    queue.handle(.drain(milliseconds: 5_000))
    #expect(queue.isDrained)
    #expect(queue.depth == (status == 200 ? 0 : 1))
    queue.advance(milliseconds: 3_600_000)
    #expect(queue.attempts.count == 1)
    #expect(queue.machine.deadline == nil)
  }

  @Test func row51_repeatsIdsAndTimes() throws {
    var queue = CohorlyQueue { $0.flushAt = 2 }
    queue.answers = [
      CohorlyQueue.status(500), CohorlyQueue.networkError, CohorlyQueue.status(429), CohorlyQueue.status(413),
    ]
    queue.track("a", "b")
    queue.advance(milliseconds: 60_000)
    func stamps(_ attempt: CohorlyQueue.Attempt) -> [JSONValue?] {
      (attempt.body.array ?? []).flatMap { [$0["properties"]?["$insert_id"], $0["properties"]?["time"]] }
    }
    let first = try #require(queue.attempts.first).body
    let expected: [JSONValue?] = [
      "id-0", .integer(CohorlyQueue.wall), "id-1", .integer(CohorlyQueue.wall),
    ]
    #expect(stamps(queue.attempts[0]) == expected)
    #expect(queue.attempts.prefix(4).allSatisfy { $0.body == first })
    #expect(queue.attempts.suffix(2).flatMap(stamps) == expected)
    let ids = queue.attempts[0].body.array?.map { $0["properties"]?["$insert_id"]?.string ?? "" } ?? []
    #expect(Set(ids).count == ids.count)
  }

  /// The family's clients keep these; only time or a person helps.
  @Test(arguments: [301, 307, 403, 404, 405, 408, 422, 502, 504]) func keepsWhateverElseIsAnswered(status: Int) {
    var queue = Self.single()
    queue.answers = Array(repeating: CohorlyQueue.status(status), count: 30)
    queue.track("a")
    queue.advance(milliseconds: 24 * 3_600_000)
    #expect(queue.attempts.count == 31)
    #expect(queue.times.prefix(4) == [0, 2_000, 6_000, 14_000])
    #expect(queue.status.sent == 1)
    #expect(queue.status.dead == 0)
  }
}
