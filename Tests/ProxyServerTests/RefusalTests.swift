import Effects
import Foundation
import HTTPWire
import ProxyCore
import ProxyServer
import TestKit
import Testing

/// What the proxy answers by itself.
@Suite struct RefusalTests {
  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: h\r\n\r\n", 400, "not_a_proxy_request"),
    ("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 400, "not_a_proxy_request"),
    ("GET https://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400, "https_needs_connect"),
    ("GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400, "unsupported_scheme"),
    ("GET http://u:p@h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400, "userinfo_in_target"),
    ("GET http:///x HTTP/1.1\r\nHost: h\r\n\r\n", 400, "malformed_target"),
    ("GET http://h:99999/ HTTP/1.1\r\nHost: h\r\n\r\n", 400, "malformed_target"),
    ("GET http://h/#f HTTP/1.1\r\nHost: h\r\n\r\n", 400, "malformed_target"),
    ("GET http://h/ HTTP/2.0\r\nHost: h\r\n\r\n", 505, "unsupported_version"),
    ("GET http://h/ HTTP/1.1\r\n\r\n", 400, "malformed_request"),
    ("GET http://h/ HTTP/1.1\nHost: h\n\n", 400, "malformed_request"),
    ("GET  http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400, "malformed_request"),
    (
      "POST http://h/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501,
      "unsupported_transfer_coding"
    ),
    (
      "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
      "malformed_request"
    ),
    ("POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400, "malformed_request"),
    ("GET http://h/ HTTP/1.1\r\nHost: h\r\nExpect: 200-ok\r\n\r\n", 417, "unsupported_expectation"),
    ("GET http://h/ HTTP/1.1\r\nHost: h\r\nVia: 1.1 a, 1.1 footfall-test\r\n\r\n", 508, "loop_detected"),
    ("CONNECT h:443 HTTP/1.1\r\nHost: h\r\nVia: 1.1 footfall-test\r\n\r\n", 508, "loop_detected"),
    ("GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: h\r\n\r\n", 502, "connection_refused"),
    ("GET http://no-such-name.invalid/ HTTP/1.1\r\nHost: h\r\n\r\n", 502, "name_"),
    ("GET http://h/\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: h\r\n\r\n", 414, "target_too_long"),
    ("GET http://h/ HTTP/1.1\r\nHost: h\r\nA: \(String(repeating: "a", count: 70_000))\r\n\r\n", 431, "head_too_large"),
    ("GET http://h/ HTTP/1.1\r\nHost: h\r\n\(String(repeating: "A: b\r\n", count: 101))\r\n", 431, "head_too_large"),
  ])
  func answersWithReasonAndRemedy(request: String, status: Int, code: String) throws {
    let proxy = try ProxyFixture()
    let client = try proxy.client()
    try client.send(request)
    let response = try client.readResponse()
    #expect(response.status == status)
    #expect(response["Proxy-Status"]?.contains("details=\"\(code)") == true)
    #expect(response.body.contains("error \(code)"))
    if response["Connection"] == "close" { #expect(try client.readToEnd() == []) }
    client.close()
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 })
    #expect(proxy.counters.errors.reduce(0, +) == 1)
  }

  @Test(arguments: [
    "garbage", "HTTP/1.1 999 What\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", "HTTP/1.1 200 OK\r\nA b\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "HTTP/1.1 200 OK\nA: b\n\n", "HTTP/1.1 200 OK\r\nA: \u{1}\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx", "HTTP/2 200\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b", "",
    String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 65),
    "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 101) + "\r\n",
    "HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: 1 << 20) + "\r\n\r\n",
  ])
  func answers502ForAnOriginThatIsNone(answer: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(answer)
    }
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    var response = try client.readResponse()
    while response.status == 100 { response = try client.readResponse() }
    #expect(response.status == 502)
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
    // The client did nothing wrong and may go on.
    #expect(response["Connection"] == nil)
    let good = try ScriptedOrigin.answering { _ in ok("fine") }
    try client.send(message("GET \(good.url)/ HTTP/1.1"))
    #expect(try client.readResponse().body == "fine")
  }

  @Test func refusesToReachItselfInEverySpelling() throws {
    let proxy = try ProxyFixture()
    var settings = ProxySettings()
    settings.destinations.ownEndpoints = proxy.service.endpoints
    settings.destinations.localAddresses = [IPAddress(v4: 0x7f00_0001)]
    proxy.snapshots.publish(try ProxyFixture.snapshot(settings: settings, generation: 2))
    for host in [
      "127.0.0.1", "localhost", "LOCALHOST", "[::ffff:127.0.0.1]", "0.0.0.0", "0", "2130706433", "127.1", "0x7f.1",
    ] {
      let plain = try proxy.response(to: message("GET http://\(host):\(proxy.port)/ HTTP/1.1"))
      #expect(plain.status == 403, "\(host)")
      let tunnel = try proxy.response(to: message("CONNECT \(host):\(proxy.port) HTTP/1.1"))
      #expect(tunnel.status == 403, "\(host)")
    }
    #expect(proxy.counters.dials == 0)
  }

  @Test func answersTRACEAndOPTIONSThatGoNoFurther() throws {
    let proxy = try ProxyFixture()
    let client = try proxy.client()
    try client.send(message("TRACE http://h.invalid/a HTTP/1.1", "Max-Forwards: 0", "Cookie: secret"))
    let trace = try client.readResponse()
    #expect(trace["Content-Type"] == "message/http")
    #expect(trace.body == "TRACE http://h.invalid/a HTTP/1.1\r\nHost: h\r\nMax-Forwards: 0\r\n\r\n")
    try client.send(message("OPTIONS http://h.invalid HTTP/1.1", "Max-Forwards: 0"))
    #expect(try client.readResponse().status == 200)
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    try client.send(message("TRACE \(origin.url)/ HTTP/1.1", "Max-Forwards: 2"))
    #expect(try client.readResponse().status == 200)
    #expect(origin.requests.first?.contains("\r\nMax-Forwards: 1\r\n") == true)
    #expect(try proxy.records(3).map(\.mode) == [.local, .local, .forward])
  }

  @Test func answersAnyNumberOfRequestsInOneGo() throws {
    let proxy = try ProxyFixture()
    let client = try proxy.client()
    let local = message("OPTIONS http://h HTTP/1.1", "Max-Forwards: 0")
    let dead = message("GET http://no-such-name.invalid/ HTTP/1.1")
    try client.send(dead)
    #expect(try client.readResponse().status == 502)
    let count = 20_000
    try withThread({ for _ in 0..<count / 100 { try client.send(String(repeating: local, count: 100)) } }) {
      for _ in 0..<count {
        let response = try client.readResponse()
        #expect(response.status == 200)
      }
    }
    try withThread({ for _ in 0..<20 { try client.send(String(repeating: dead, count: 100)) } }) {
      for _ in 0..<2000 {
        let response = try client.readResponse()
        #expect(response.status == 502)
      }
    }
  }

  @Test func takesURLsAsLongAsTheLimit() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let client = try proxy.client()
    for filler in ["a", "\u{e9}"] {
      let room = 8192 - "GET \(origin.url)/ HTTP/1.1".utf8.count
      let path = String(repeating: filler, count: room / filler.utf8.count)
      try client.send(message("GET \(origin.url)/\(path) HTTP/1.1", "A: " + String(repeating: "b", count: 4000)))
      #expect(try client.readResponse().status == 200)
      #expect(origin.requests.last?.hasPrefix("GET /\(path) HTTP/1.1\r\n") == true)
    }
  }

  @Test func sendsHEADNoErrorBody() throws {
    let proxy = try ProxyFixture()
    let client = try proxy.client()
    try client.send(message("HEAD http://127.0.0.1:1/ HTTP/1.1"))
    #expect(try client.readResponse(toHEAD: true).status == 502)
    try client.send(message("GET http://127.0.0.1:1/ HTTP/1.1"))
    #expect(try client.readResponse().body.contains("connection_refused"))
  }

  @Test func turnsAwayWhatIsOverTheConnectionLimit() throws {
    let proxy = try ProxyFixture { $0.limits.connections = 2 }
    let kept = try (0..<2).map { _ in try proxy.client() }
    #expect(proxy.waits { $0.clientsOpen == 2 })
    let response = try proxy.client().readResponse()
    #expect(response.status == 503)
    #expect(response["Retry-After"] == "1")
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    for client in kept {
      try client.send(message("GET \(origin.url)/ HTTP/1.1"))
      #expect(try client.readResponse().status == 200)
    }
  }
}
