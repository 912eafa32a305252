import AdminAPI
import AdminServer
import Effects
import Foundation
import Synchronization
import Testing

/// Answers that come later, from another thread.
@Suite struct DeferredAnswerTests {
  /// Keeps the replies that are owed.
  private final class Owed: Sendable {
    typealias Reply = BackendOrders.Reply<[FlushOutcome]>
    private let replies = Mutex<[Reply]>([])

    var count: Int { replies.withLock { $0.count } }

    var orders: BackendOrders {
      var orders = BackendOrders.notConfigured
      orders.flush = { reply in self.replies.withLock { $0.append(reply) } }
      return orders
    }

    /// Answers the oldest, once it is there.
    func settle(_ sent: Int64) {
      while true {
        let reply = replies.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let reply {
          return reply(
            .success([FlushOutcome(backend: "ahoy", sent: sent, dead: 0, remaining: 0, isComplete: true)]))
        }
        usleep(1000)
      }
    }
  }

  private func flush(_ port: UInt16, _ more: String = "") -> String {
    "POST /flush HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\(more)\r\n{}"
  }

  @Test func othersAreServedMeanwhile() throws {
    let owed = Owed()
    let served = try ServedEndpoint(backends: owed.orders)
    defer { served.stop() }
    let port = try #require(served.endpoint).port
    let slow = try RawClient(served.endpoint)
    slow.send(flush(port))
    let other = try RawClient(served.endpoint)
    other.send("GET /livez HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    #expect(try other.readResponse().status == 200)
    owed.settle(3)
    let answer = try slow.readResponse()
    #expect(answer.status == 200)
    #expect(answer.body.contains("\"sent\": 3"))
  }

  @Test func whatIsPipelinedBehindKeepsItsOrder() throws {
    let owed = Owed()
    let served = try ServedEndpoint(backends: owed.orders)
    defer { served.stop() }
    let port = try #require(served.endpoint).port
    let client = try RawClient(served.endpoint)
    client.send(flush(port) + "GET /livez HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n" + flush(port))
    owed.settle(1)
    #expect(try client.readResponse().body.contains("\"sent\": 1"))
    #expect(try client.readResponse().body.contains("\"status\": \"ok\""))
    owed.settle(2)
    #expect(try client.readResponse().body.contains("\"sent\": 2"))
  }

  @Test func aClientThatLeavesIsNoHarm() throws {
    let owed = Owed()
    let served = try ServedEndpoint(backends: owed.orders)
    let port = try #require(served.endpoint).port
    do {
      let client = try RawClient(served.endpoint)
      client.send(flush(port))
      while owed.count == 0 { usleep(1000) }
    }
    owed.settle(1)
    let other = try RawClient(served.endpoint)
    other.send(flush(port))
    while owed.count == 0 { usleep(1000) }
    // The answer of an endpoint that is gone goes nowhere.
    served.stop()
    owed.settle(2)
  }

  @Test func aPeerThatEndedItsSideStillGetsTheAnswer() throws {
    let owed = Owed()
    let served = try ServedEndpoint(backends: owed.orders)
    defer { served.stop() }
    let client = try RawClient(served.endpoint)
    client.send(flush(try #require(served.endpoint).port))
    client.endSending()
    owed.settle(4)
    #expect(try client.readResponse().status == 200)
  }

  @Test func theWaitHasAnEnd() throws {
    var options = AdminServerOptions()
    options.workDeadline = 100
    let owed = Owed()
    let served = try ServedEndpoint(options: options, backends: owed.orders)
    defer { served.stop() }
    let client = try RawClient(served.endpoint)
    client.send(flush(try #require(served.endpoint).port))
    let answer = try client.readResponse()
    #expect(answer.status == 504)
    #expect(answer.body.contains("unfinished"))
    // What arrives behind it is nobody's answer.
    owed.settle(1)
    let other = try RawClient(served.endpoint)
    other.send(flush(try #require(served.endpoint).port))
    owed.settle(5)
    #expect(try other.readResponse().body.contains("\"sent\": 5"))
  }

  @Test func aRefusalAtOnceIsAnAnswerToo() throws {
    let served = try ServedEndpoint()
    defer { served.stop() }
    let client = try RawClient(served.endpoint)
    client.send(flush(try #require(served.endpoint).port))
    #expect(try client.readResponse().status == 409)
  }
}
