import Effects
import Foundation
import LoopRuntime
import OutboundHTTP
import Synchronization
import TestKit
import Testing

@Suite(.ownThreads) struct OutboundHTTPTests {
  private static func answer(_ body: String, _ more: String = "") -> String {
    "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(more)\r\n\(body)"
  }

  @Test func sendsARequestAndBringsItsResponse() async throws {
    let origin = try ScriptedOrigin.answering { _ in "HTTP/1.1 202 Fine\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello" }
    let fixture = try OutboundFixture()
    let response = try await fixture.transport.send(
      OutboundRequest(
        url: "http://127.0.0.1:\(origin.port)/ahoy/events?x=1", fields: [OutboundField("Content-Type", "text/plain")],
        body: Array("body".utf8)))
    #expect(response.status == 202)
    #expect(response.field("x-a") == "b")
    #expect(response.text == "hello")
    let expected =
      "POST /ahoy/events?x=1 HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\nContent-Type: text/plain\r\n"
      + "Content-Length: 4\r\n\r\nbody"
    #expect(origin.requests == [expected])
  }

  @Test func reachesIPv6AndNames() async throws {
    let origin = try ScriptedOrigin.answering(ipv6: true) { _ in Self.answer("six") }
    let fixture = try OutboundFixture(names: { _ in .addresses([IPAddress(high: 0, low: 1)]) })
    #expect(try await fixture.send("http://[::1]:\(origin.port)/").text == "six")
    #expect(try await fixture.send("http://backend.test:\(origin.port)/").text == "six")
    #expect(origin.requests.last?.contains("Host: backend.test:\(origin.port)\r\n") == true)
  }

  @Test func asksNoProxy() async throws {
    let proxy = try ScriptedOrigin.answering { _ in Self.answer("proxy") }
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"] {
      setenv(name, "http://127.0.0.1:\(proxy.port)", 1)
    }
    defer { for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"] { unsetenv(name) } }
    let origin = try ScriptedOrigin.answering { _ in Self.answer("origin") }
    let fixture = try OutboundFixture()
    #expect(try await fixture.send("http://127.0.0.1:\(origin.port)/").text == "origin")
    #expect(proxy.connections == 0)
  }

  @Test func followsNoRedirectAndKeepsNoCookie() async throws {
    let other = try ScriptedOrigin.answering { _ in Self.answer("other") }
    let origin = try ScriptedOrigin.answering { _ in
      "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(other.port)/\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
    }
    let fixture = try OutboundFixture()
    #expect(try await fixture.send("http://127.0.0.1:\(origin.port)/").status == 302)
    #expect(try await fixture.send("http://127.0.0.1:\(origin.port)/").status == 302)
    #expect(other.connections == 0)
    #expect(origin.requests.allSatisfy { !$0.lowercased().contains("cookie") })
  }

  @Test func triesTheNextAddressWhenOneRefuses() async throws {
    let origin = try ScriptedOrigin.answering(ipv6: true) { _ in Self.answer("there") }
    // Nobody listens on that port of 127.0.0.1, or on 127.0.0.2.
    let addresses = [IPAddress(v4: 0x7f00_0002), IPAddress(high: 0, low: 1)]
    let fixture = try OutboundFixture(names: { _ in .addresses(addresses) })
    #expect(try await fixture.send("http://backend.test:\(origin.port)/").text == "there")
  }

  @Test func doesNotWaitForASilentAddressAlone() async throws {
    let silent = try FullListener()
    let origin = try ScriptedOrigin.answering(ipv6: true, port: silent.port) { _ in Self.answer("there") }
    let addresses = [IPAddress(v4: 0x7f00_0001), IPAddress(high: 0, low: 1)]
    let fixture = try OutboundFixture(names: { _ in .addresses(addresses) })
    #expect(try await fixture.send("http://backend.test:\(silent.port)/").text == "there")
    #expect(origin.connections == 1)
  }

  @Test func anAnswerBeforeTheEndOfTheRequestCounts() async throws {
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig")
      turn.connection.shutdownWriting()
      _ = try turn.connection.readToEnd()
    }
    let fixture = try OutboundFixture()
    let body = String(repeating: "x", count: 16 << 20)
    let response = try await fixture.send("http://127.0.0.1:\(origin.port)/", body: body)
    #expect(response.status == 413)
    #expect(response.text == "big")
  }

  @Test func sendsALargeBodyWhole() async throws {
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      let body = try turn.connection.read(count: 8 << 20)
      try turn.connection.send(Self.answer("\(body.count) \(body.last ?? 0)"))
    }
    let fixture = try OutboundFixture()
    let body = String(repeating: "x", count: (8 << 20) - 1) + "y"
    #expect(try await fixture.send("http://127.0.0.1:\(origin.port)/", body: body).text == "\(8 << 20) 121")
  }

  @Test func cutsALongResponseAndItsConnection() async throws {
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send(
        "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n" + String(repeating: "x", count: 200_000))
      _ = try turn.connection.readToEnd()
    }
    let fixture = try OutboundFixture { $0.bodyLimit = 1000 }
    #expect(try await fixture.send("http://127.0.0.1:\(origin.port)/").body.count == 1000)
    #expect(try await fixture.send("http://127.0.0.1:\(origin.port)/").body.count == 1000)
    #expect(origin.connections == 2)
  }

  // MARK: Failures

  @Test func tellsWhenNobodyListens() async throws {
    let port = try ScriptedOrigin { _ in }.port
    let fixture = try OutboundFixture()
    let error = try await fixture.failure("http://127.0.0.1:\(port)/", body: "x")
    #expect(error.code == .unreachable)
    #expect(error.detail.contains("Connection refused"))
    #expect(!error.mayHaveArrived)
  }

  @Test(arguments: [
    (Resolver.Answer.notFound, "does not exist"), (.failed("later"), "failed"), (.exhausted("none"), "descriptors"),
  ])
  func tellsWhenTheNameHasNoAddress(_ answer: Resolver.Answer, _ words: String) async throws {
    let fixture = try OutboundFixture(names: { _ in answer })
    let error = try await fixture.failure("http://backend.test/", body: "x")
    #expect(error.code == .unresolved)
    #expect(error.detail.contains("backend.test"))
    #expect(error.detail.contains(words))
    #expect(!error.mayHaveArrived)
  }

  @Test(arguments: [
    ("", TransportError.Code.interrupted), ("HTTP/1.1 200 OK\r\n", .interrupted),
    ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nx", .interrupted),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nx", .interrupted),
    ("SMTP ready\r\n", .malformedResponse), ("HTTP/1.1 101 Switching Protocols\r\n\r\n", .malformedResponse),
  ])
  func tellsWhenTheResponseIsNone(_ text: String, _ code: TransportError.Code) async throws {
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(text)
    }
    let fixture = try OutboundFixture()
    let error = try await fixture.failure("http://127.0.0.1:\(origin.port)/secret", body: "x")
    #expect(error.code == code)
    #expect(error.mayHaveArrived)
    #expect(!error.detail.contains("secret"))
    // It is sent once, as far as anybody knows.
    #expect(origin.connections == 1)
  }

  @Test func tellsWhenTheConnectionIsReset() async throws {
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      turn.connection.close(reset: true)
    }
    let fixture = try OutboundFixture()
    let error = try await fixture.failure("http://127.0.0.1:\(origin.port)/", body: "x")
    #expect(error.code == .interrupted)
    #expect(error.mayHaveArrived)
  }

  @Test func refusesWhatCannotBeSent() async throws {
    let fixture = try OutboundFixture()
    let error = try await fixture.failure("ftp://127.0.0.1/", body: "x")
    #expect(error.code == .invalidRequest)
    #expect(!error.mayHaveArrived)
  }

  // MARK: Times

  @Test func looksANameUpOnlySoLong() async throws {
    let gate = Gate()
    defer { gate.signal() }
    let fixture = try OutboundFixture(
      names: { _ in
        gate.wait()
        return .notFound
      },
      options: { $0.connectMilliseconds = 50 })
    let error = try await fixture.failure("http://backend.test/", body: "x")
    #expect(error.code == .timedOut)
    #expect(error.detail.contains("looking up backend.test"))
    #expect(!error.mayHaveArrived)
    gate.signal()
  }

  @Test func connectsOnlySoLong() async throws {
    let silent = try FullListener()
    let fixture = try OutboundFixture { $0.connectMilliseconds = 50 }
    let error = try await fixture.failure("http://127.0.0.1:\(silent.port)/", body: "x")
    #expect(error.code == .timedOut)
    #expect(error.detail.contains("connecting"))
    #expect(error.detail.contains("50 ms"))
    #expect(!error.mayHaveArrived)
  }

  @Test func waitsForTheResponseOnlySoLong() async throws {
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      _ = try turn.connection.readToEnd()
    }
    let fixture = try OutboundFixture()
    let error = try await fixture.failure("http://127.0.0.1:\(origin.port)/", body: "x", timeout: 100)
    #expect(error.code == .timedOut)
    #expect(error.detail.contains("no response"))
    #expect(error.mayHaveArrived)
  }

  @Test func waitsForTheEndOfTheResponseOnlySoLong() async throws {
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      // A byte now and then does not make the time longer.
      try turn.connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
      while true {
        try turn.connection.send("x")
        usleep(5000)
      }
    }
    let fixture = try OutboundFixture()
    let error = try await fixture.failure("http://127.0.0.1:\(origin.port)/", body: "x", timeout: 150)
    #expect(error.code == .timedOut)
    #expect(error.detail.contains("not complete"))
    #expect(error.mayHaveArrived)
  }

  @Test func waitsForAConnectionOnlySoLong() async throws {
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      _ = try turn.connection.readToEnd()
    }
    let fixture = try OutboundFixture { $0.connectionsPerOrigin = 1 }
    let url = "http://127.0.0.1:\(origin.port)/"
    let first = Task { try await fixture.failure(url, body: "first", timeout: 600_000) }
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    let second = try await fixture.failure(url, body: "second", timeout: 20)
    #expect(second.code == .timedOut)
    #expect(second.detail.contains("in use"))
    #expect(!second.mayHaveArrived)
    first.cancel()
    #expect(try await first.value.mayHaveArrived)
    #expect(origin.requests.count == 1)
  }

  // MARK: Giving up

  @Test func aCancelledTaskEndsItsExchange() async throws {
    let ended = Gate()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      _ = try turn.connection.readToEnd()
      ended.signal()
    }
    let fixture = try OutboundFixture()
    let task = Task { try await fixture.failure("http://127.0.0.1:\(origin.port)/", body: "x") }
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    let error = try await task.value
    #expect(error.code == .cancelled)
    #expect(error.mayHaveArrived)
    #expect(ended.wait(nanoseconds: 5_000_000_000))
  }

  @Test func aTaskThatIsCancelledAlreadySendsNothing() async throws {
    let origin = try ScriptedOrigin.answering { _ in Self.answer("x") }
    let fixture = try OutboundFixture()
    let gate = Gate()
    let task = Task {
      gate.wait()
      return try await fixture.failure("http://127.0.0.1:\(origin.port)/", body: "x")
    }
    task.cancel()
    gate.signal()
    let error = try await task.value
    #expect(error.code == .cancelled)
    #expect(!error.mayHaveArrived)
    #expect(origin.requests.isEmpty)
  }

  @Test func stopEndsEverything() async throws {
    let silent = try FullListener()
    let ended = Gate()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      _ = try turn.connection.readToEnd()
      ended.signal()
    }
    let fixture = try OutboundFixture { $0.connectionsPerOrigin = 1 }
    let url = "http://127.0.0.1:\(origin.port)/"
    async let answering = fixture.failure(url, body: "x")
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    async let waiting = fixture.failure(url, body: "y")
    async let connecting = fixture.failure("http://127.0.0.1:\(silent.port)/", body: "z")
    try await Task.sleep(for: .milliseconds(20))
    fixture.transport.stop()
    fixture.transport.stop()
    for error in try await [answering, waiting, connecting] { #expect(error.code == .cancelled) }
    #expect(ended.wait(nanoseconds: 5_000_000_000))
    #expect(try await fixture.failure(url, body: "x").code == .cancelled)
    #expect(origin.requests.count == 1)
  }
}
