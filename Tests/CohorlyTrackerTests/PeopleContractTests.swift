import CohorlyTracker
import Effects
import EventPipeline
import Synchronization
import Testing

/// What holds for operations on profiles and for aliases (cohorly.md, sections 1.4 and 4.3), against the machine that
/// delivers.
@Suite struct PeopleContractTests {
  @Test func row56_sendsOperationsTogether() {
    var queue = CohorlyQueue()
    queue.add(PeopleOperation.set([JSONMember("name", "Ada")]).record(distinctID: "user-1"))
    queue.add(PeopleOperation.delete.record(distinctID: "user-1"))
    queue.flush()
    #expect(queue.attempts.map(\.path) == ["engage"])
    #expect(
      queue.attempts[0].body == [
        ["distinct_id": "user-1", "$set": ["name": "Ada"]], ["distinct_id": "user-1", "$delete": true],
      ])
  }

  @Test func row57_sendsAliasesOneByOne() {
    var queue = CohorlyQueue(token: "tok-1")
    queue.add(CohorlyAlias(alias: "anon-1", distinctID: "user-1").record)
    queue.add(CohorlyAlias(alias: "anon-2", distinctID: "user-2").record)
    queue.flush()
    #expect(queue.attempts.map(\.path) == ["alias", "alias"])
    #expect(queue.attempts[0].body == ["alias": "anon-1", "distinct_id": "user-1", "token": "tok-1"])
    #expect(queue.attempts[1].body == ["alias": "anon-2", "distinct_id": "user-2", "token": "tok-1"])
  }

  @Test(arguments: [
    CohorlyQueue.status(400), CohorlyQueue.status(401), CohorlyQueue.status(500), CohorlyQueue.networkError,
  ])
  func row8_triesAnAliasOnce(failure: Result<OutboundResponse, TransportError>) {
    var queue = CohorlyQueue()
    queue.answers = [failure]
    queue.add(CohorlyAlias(alias: "anon-1", distinctID: "user-1").record)
    queue.track("a")
    queue.flush()
    queue.advance(milliseconds: 3_600_000)
    #expect(queue.attempts.map(\.path) == ["alias", "track"])
    #expect(queue.depth == 0)
    #expect(queue.dead.isEmpty)
    #expect(queue.status.givenUp == 1)
  }

  @Test func row58_takesARefusalForADelivery() {
    let refusals = Mutex<[String]>([])
    var queue = CohorlyQueue(refused: { lines in refusals.withLock { $0 += lines } })
    let body = #"{"status":0,"error":"needs an owner","applied":1,"refused":[{"index":1,"op":"$unset"}]}"#
    queue.answers = [.success(OutboundResponse(status: 200, body: Array(body.utf8)))]
    queue.add(PeopleOperation.set([JSONMember("a", 1)]).record(distinctID: "u"))
    queue.add(PeopleOperation.unset(["b"]).record(distinctID: "u"))
    queue.flush()
    queue.advance(milliseconds: 3_600_000)
    #expect(queue.attempts.count == 1)
    #expect(queue.status.sent == 2)
    #expect(queue.depth == 0)
    #expect(refusals.withLock { $0 } == ["$unset refused: needs an owner"])
  }

  /// The same contract for `/engage`, which the reference lets go on for ever or forgets.
  @Test func appliesToOperationsAsToEvents() {
    var queue = CohorlyQueue()
    queue.answers = [CohorlyQueue.status(400), CohorlyQueue.status(500)]
    queue.add(PeopleOperation.set([JSONMember("a", 1)]).record(distinctID: "poison"))
    queue.flush()
    queue.add(PeopleOperation.set([JSONMember("a", 2)]).record(distinctID: "u"))
    queue.flush()
    queue.advance(milliseconds: 2_000)
    #expect(queue.attempts.count == 3)
    #expect(queue.status.dead == 1)
    #expect(queue.status.sent == 1)
  }

  /// What a profile ends up with depends on the order; and the server knows who it is before it hears of them.
  @Test func keepsTheOrderOfRecords() {
    var queue = CohorlyQueue()
    queue.answers = [CohorlyQueue.status(500), CohorlyQueue.status(503), CohorlyQueue.networkError]
    queue.track("a", "b")
    queue.add(CohorlyAlias(alias: "anon-1", distinctID: "user-1").record)
    queue.add(PeopleOperation.set([JSONMember("plan", "free")]).record(distinctID: "user-1"))
    queue.track("c")
    queue.add(PeopleOperation.set([JSONMember("plan", "pro")]).record(distinctID: "user-1"))
    queue.flush()
    for _ in 0..<3 { queue.advance(milliseconds: 60_000) }
    #expect(queue.attempts.map(\.path) == ["track", "track", "track", "track", "alias", "engage", "track", "engage"])
    #expect(queue.depth == 0)
  }
}
