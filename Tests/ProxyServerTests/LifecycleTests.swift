import Foundation
import ProxyCore
import ProxyServer
import Synchronization
import TestKit
import Testing

/// The pool, its stale connections, and the end of the service.
@Suite struct LifecycleTests {
  /// An origin that closes its first connection when a second request comes on it.
  private func originThatForgets() throws -> ScriptedOrigin {
    try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(ok("\(turn.number)"))
      _ = try turn.readRequest()
      if turn.number == 0 { return }
      try turn.connection.send(ok("again"))
    }
  }

  @Test(arguments: ["GET", "DELETE"])
  func sendsAnIdempotentRequestAgainThatMetAStaleConnection(method: String) throws {
    let proxy = try ProxyFixture()
    let origin = try originThatForgets()
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/1 HTTP/1.1"))
    #expect(try client.readResponse().body == "0")
    try client.send(message("\(method) \(origin.url)/2 HTTP/1.1") + message("GET \(origin.url)/3 HTTP/1.1"))
    #expect(try client.readResponse().body == "1")
    #expect(try client.readResponse().body == "again")
    #expect(origin.requests.map { $0.split(separator: " ")[1] } == ["/1", "/2", "/2", "/3"])
    #expect(proxy.counters.retries == 1)
  }

  @Test func doesNotSendAPOSTAgain() throws {
    let proxy = try ProxyFixture()
    let origin = try originThatForgets()
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/1 HTTP/1.1"))
    #expect(try client.readResponse().status == 200)
    try client.send(message("POST \(origin.url)/2 HTTP/1.1", "Content-Length: 1", body: "x"))
    #expect(try client.readResponse().status == 502)
    #expect(origin.requests.count == 2)
    #expect(proxy.counters.retries == 0)
  }

  @Test func triesOnceOnly() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      if turn.number > 0 { return }
      try turn.connection.send(ok("x"))
      _ = try turn.readRequest()
    }
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(try client.readResponse().status == 200)
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(try client.readResponse().status == 502)
    #expect(origin.connections == 2)
  }

  @Test func noticesThatAPooledConnectionEnded() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(ok("\(turn.number)"))
    }
    let client = try proxy.client()
    for number in 0..<3 {
      try client.send(message("POST \(origin.url)/ HTTP/1.1"))
      #expect(try client.readResponse().body == "\(number)")
      #expect(proxy.waits { $0.upstreamsOpen == 0 })
    }
  }

  @Test func keepsNoMoreIdleConnectionsThanAllowed() throws {
    let proxy = try ProxyFixture { $0.limits.idlePerOrigin = 2 }
    let arrived = Mutex(0)
    let origin = try ScriptedOrigin.answering { _ in
      arrived.withLock { $0 += 1 }
      _ = eventually { arrived.withLock { $0 } == 5 }
      return ok("x")
    }
    let clients = try (0..<5).map { _ in try proxy.client() }
    for client in clients { try client.send(message("GET \(origin.url)/ HTTP/1.1")) }
    for client in clients { #expect(try client.readResponse().status == 200) }
    #expect(proxy.waits { $0.upstreamsIdle == 2 && $0.upstreamsOpen == 2 })
  }

  @Test func finishesWhatIsRunningAndClosesWhatIsIdle() throws {
    let proxy = try ProxyFixture()
    let go = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      go.wait()
      try turn.connection.send(ok("late"))
      _ = try turn.connection.readToEnd()
    }
    let idle = try proxy.client()
    let busy = try proxy.client()
    try busy.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(proxy.waits { $0.upstreamsOpen == 1 && $0.clientsOpen == 2 })
    let isWhole = Mutex(false)
    try withThread({
      let result = proxy.service.drain(milliseconds: 10_000)
      isWhole.withLock { $0 = result }
    }) {
      let end = try idle.readToEnd()
      #expect(end == [])
      #expect(throws: RawSocketError.self) { try proxy.client().readToEnd() }
      go.signal()
      let response = try busy.readResponse()
      #expect(response.body == "late")
      #expect(response["Connection"] == "close")
      let rest = try busy.readToEnd()
      #expect(rest == [])
    }
    #expect(isWhole.withLock { $0 })
    #expect(try proxy.records(1).first?.status == 200)
  }

  @Test func doesNotCutAQueuedAnswerWhenDraining() throws {
    for megabytes in [1, 3, 5, 7, 9] {
      let proxy = try ProxyFixture()
      let body = String(repeating: "x", count: megabytes << 20)
      let origin = try ScriptedOrigin.answering { _ in ok(body) }
      let client = try proxy.client(receiveBuffer: 8192)
      try client.send(message("GET \(origin.url)/ HTTP/1.1"))
      _ = plateau { proxy.counters.requests }
      try withThread({ proxy.service.drain(milliseconds: 10_000) }) {
        let response = try client.readResponse()
        #expect(response.body.utf8.count == body.utf8.count)
      }
    }
  }

  @Test func cutsWhatOutlastsTheDrain() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in _ = try turn.connection.readToEnd() }
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(proxy.waits { $0.upstreamsOpen == 1 })
    #expect(!proxy.service.drain(milliseconds: 100))
    #expect(try client.readToEnd() == [])
    #expect(try proxy.records(1).first?.errorCode == "shutting_down")
  }

  @Test func cutsADrainShortWhenTold() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in _ = try turn.connection.readToEnd() }
    let client = try proxy.client()
    try client.send(message("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1"))
    _ = try client.read(until: "\r\n\r\n")
    try withThread({ proxy.service.drain(milliseconds: 60_000) }) {
      #expect(client.isSilent(milliseconds: 50))
      proxy.service.cutShort()
      let rest = try client.readToEnd()
      #expect(rest == [])
    }
  }

  @Test func returnsToZeroAfterTwoThousandConnections() throws {
    let proxy = try ProxyFixture(workers: 2)
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    var clients: [RawConnection] = []
    for _ in 0..<2000 { clients.append(try proxy.client()) }
    #expect(proxy.waits { $0.clientsOpen == 2000 })
    for client in clients.prefix(100) { try client.send(message("GET \(origin.url)/ HTTP/1.1")) }
    for client in clients.prefix(100) { #expect(try client.readResponse().status == 200) }
    clients = []
    #expect(proxy.waits { $0.clientsOpen == 0 })
    #expect(proxy.counters.clientsAccepted == 2000)
    #expect(proxy.service.drain(milliseconds: 5000))
  }

  @Test func closesPooledConnectionsWhenItStops() throws {
    let ended = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(ok("x"))
      _ = try turn.connection.readToEnd()
      ended.signal()
    }
    let proxy = try ProxyFixture()
    #expect(try proxy.response(to: message("GET \(origin.url)/ HTTP/1.1")).status == 200)
    proxy.service.stop()
    proxy.service.stop()
    #expect(ended.wait(timeout: .now() + 10) == .success)
    #expect(try proxy.records(1).count == 1)
  }
}
