import Effects
import Foundation
import LoopRuntime
import ProxyCore
import ProxyServer
import TestKit
import Testing

/// Limits of the process and of single clients, and peers that take too long.
@Suite struct OverloadTests {
  @Test func holdsNoRowOfInterimAnswersForAClientThatDoesNotRead() throws {
    let proxy = try ProxyFixture { $0.limits.memory = 1 << 20 }
    let field = "X: " + String(repeating: "x", count: 60_000)
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      for _ in 0..<60 { try turn.connection.send("HTTP/1.1 103 Early Hints\r\n\(field)\r\n\r\n") }
      try turn.connection.send(ok("x"))
    }
    let slow = try (0..<4).map { _ in try proxy.client(receiveBuffer: 4096) }
    for client in slow { try client.send(message("GET \(origin.url)/ HTTP/1.1", "Connection: close")) }
    #expect(eventually { origin.requests.count == 4 })
    // All that is on its way has time to come.
    for _ in 0..<30 {
      #expect(try proxy.response(to: message("GET http://127.0.0.1:1/ HTTP/1.1")).status == 502)
      usleep(10_000)
    }
    let answers = try slow[0].readTextToEnd()
    #expect(answers.components(separatedBy: "HTTP/1.1 103 Early Hints\r\n").count == 61)
    #expect(answers.hasSuffix("\r\n\r\nx"))
  }

  @Test func countsConnectionsOfAllWorkersTogether() throws {
    let proxy = try ProxyFixture(workers: 2) { $0.limits.connections = 8 }
    let kept = try (0..<8).map { _ in try proxy.client() }
    #expect(proxy.waits { $0.clientsOpen == 8 })
    for _ in 0..<4 {
      let response = try proxy.client().readResponse()
      #expect(response.status == 503)
      #expect(response["Retry-After"] == "1")
    }
    kept[0].close()
    let isServed = eventually {
      guard let client = try? proxy.client() else { return false }
      guard (try? client.send(message("GET http://127.0.0.1:1/ HTTP/1.1"))) != nil else { return false }
      return (try? client.readResponse().status) == 502
    }
    #expect(isServed)
  }

  @Test func keepsNoDescriptorOfWhomItTurnsAway() throws {
    let proxy = try ProxyFixture { $0.limits.connections = 1 }
    // One is served, more than a worker keeps are refused and do not leave.
    let kept = try (0..<300).map { _ in try proxy.client() }
    #expect(proxy.waits { $0.clientsAccepted == 300 })
    let client = try proxy.client()
    let response = try client.readResponse()
    #expect(response.status == 503)
    #expect(response["Connection"] == "close")
    // To a socket that is closed the kernel answers with a reset.
    #expect(eventually { (try? client.send("x")) == nil })
    #expect(proxy.counters.clientsOpen < kept.count)
  }

  @Test func givesOneClientNoMoreConnectionsThanItsShare() throws {
    let proxy = try ProxyFixture { $0.limits.connectionsPerClient = 2 }
    let kept = try (0..<2).map { _ in try RawConnection(port: proxy.port, from: "127.0.0.5") }
    #expect(proxy.waits { $0.clientsOpen == 2 })
    let refused = try RawConnection(port: proxy.port, from: "127.0.0.5").readResponse()
    #expect(refused.status == 429)
    #expect(refused["Retry-After"] == "1")
    #expect(refused["Proxy-Status"]?.contains("too_many_connections") == true)
    let other = try RawConnection(port: proxy.port, from: "127.0.0.6")
    try other.send(message("GET http://127.0.0.1:1/ HTTP/1.1"))
    #expect(try other.readResponse().status == 502)
    for client in kept { client.close() }
    #expect(proxy.waits { $0.clientsOpen <= 2 })
    let again = try RawConnection(port: proxy.port, from: "127.0.0.5")
    try again.send(message("GET http://127.0.0.1:1/ HTTP/1.1"))
    #expect(try again.readResponse().status == 502)
    #expect(proxy.counters.errors[Int(ProxyError.tooManyConnections.rawValue)] == 1)
  }

  @Test func slowsDownAClientThatSendsTooManyRequests() throws {
    let proxy = try ProxyFixture { $0.limits.requestsPerSecondPerClient = 5 }
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let client = try proxy.client()
    var statuses: [Int] = []
    for _ in 0..<50 {
      try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 2", body: "ab"))
      let response = try client.readResponse()
      if response.status == 429 { #expect(response["Retry-After"] == "1") }
      statuses.append(response.status)
    }
    #expect(statuses.prefix(5).allSatisfy { $0 == 200 })
    #expect(statuses.contains(429))
    #expect(Set(statuses) == [200, 429], "the connection goes on")
    let other = try RawConnection(port: proxy.port, from: "127.0.0.7")
    try other.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(try other.readResponse().status == 200)
    #expect(origin.requests.count == statuses.filter { $0 == 200 }.count + 1)
  }

  @Test func cutsABodyThatTricklesWithoutEnd() throws {
    let proxy = try ProxyFixture {
      $0.timeouts.read = 400_000_000
      $0.limits.minimumBytesPerSecond = 500
    }
    let origin = try ScriptedOrigin { turn in _ = try turn.readRequest() }
    let client = try proxy.client()
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 100000"))
    let isCut = eventually {
      // One byte each tenth of a second renews a deadline that counts bytes alone.
      usleep(90_000)
      return (try? client.send("x")) == nil || proxy.counters.errors[Int(ProxyError.clientTooSlow.rawValue)] == 1
    }
    #expect(isCut)
    #expect(try client.readResponse().status == 408)
  }

  @Test func cutsABodyThatComesInBulkBelowTheLeastRate() throws {
    let proxy = try ProxyFixture {
      $0.timeouts.read = 400_000_000
      $0.limits.minimumBytesPerSecond = 100_000_000
    }
    let origin = try ScriptedOrigin { turn in _ = try turn.connection.readToEnd() }
    let client = try proxy.client()
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 1000000000"))
    let burst = [UInt8](repeating: 65, count: 1 << 20)
    // A tenth of the rate, in portions that are large enough for a pipe. Each renews the deadline, and costs a fifth of
    // the patience.
    var bursts = 0
    let isCut = eventually {
      usleep(90_000)
      bursts += 1
      return (try? client.send(burst)) == nil || proxy.counters.errors[Int(ProxyError.clientTooSlow.rawValue)] == 1
    }
    #expect(isCut)
    #expect(bursts < 20)
    #expect(proxy.counters.errors[Int(ProxyError.clientTooSlow.rawValue)] == 1)
  }

  @Test func bearsABodyThatIsSlowWithoutALeastRate() throws {
    let proxy = try ProxyFixture {
      $0.timeouts.read = 500_000_000
      $0.limits.minimumBytesPerSecond = nil
    }
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let client = try proxy.client()
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 20"))
    for _ in 0..<20 {
      usleep(50_000)
      try client.send("x")
    }
    #expect(try client.readResponse().status == 200)
  }

  @Test func refusesRequestsWhileItHoldsTooMuch() throws {
    let proxy = try ProxyFixture { $0.limits.memory = 1 << 20 }
    let size = 8 << 20
    let large = String(repeating: "x", count: size)
    let origin = try ScriptedOrigin.answering { $0.hasPrefix("GET /large") ? ok(large) : ok("x") }
    // They ask for much and take nothing.
    let slow = try (0..<8).map { _ in try proxy.client(receiveBuffer: 4096) }
    for client in slow { try client.send(message("GET \(origin.url)/large HTTP/1.1")) }
    let refused = eventually {
      guard let response = try? proxy.response(to: message("GET \(origin.url)/ HTTP/1.1")) else { return false }
      return response.status == 503 && response["Proxy-Status"]?.contains("memory_limit_reached") == true
    }
    #expect(refused)
    for client in slow { client.close() }
    let served = eventually {
      (try? proxy.response(to: message("GET \(origin.url)/ HTTP/1.1")).status) == 200
    }
    #expect(served)
    #expect(proxy.counters.errors[Int(ProxyError.memoryLimitReached.rawValue)] > 0)
  }

  @Test func servesWhatWaitedInTheQueueWhenItDrains() throws {
    // The first request renews the snapshot, which keeps the worker from accepting until the others wait.
    let isReached = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    let proxy = try ProxyFixture(
      validity: 0..<1,
      renew: { box in
        isReached.signal()
        mayGoOn.wait()
        if let newer = try? ProxyFixture.snapshot(generation: 2) { box.publish(newer) }
      })
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    var clients: [RawConnection] = []
    for number in 0..<20 {
      let client = try proxy.client()
      try client.send(message("GET \(origin.url)/ HTTP/1.1"))
      if number == 0 { isReached.wait() }
      clients.append(client)
    }
    let waiting = clients
    try withThread({ proxy.service.drain(milliseconds: 5000) }) {
      mayGoOn.signal()
      for client in waiting {
        let response = try client.readResponse()
        #expect(response.status == 200)
        // Answered before the worker heard of the drain or after: the connection ends.
        #expect(try client.readToEnd() == [])
      }
    }
    #expect(throws: RawSocketError.self) { try proxy.client() }
  }
}
