import Foundation
import ProxyCore
import ProxyServer
import TestKit
import Testing
import URLRules

/// Requests and responses with real sockets: what arrives at the origin, and what comes back.
@Suite struct ForwardingTests {
  @Test(arguments: ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"])
  func forwardsEveryMethod(method: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok(method == "HEAD" ? "" : "hello") }
    let response = try proxy.response(
      to: message("\(method) \(origin.url)/a?b HTTP/1.1", "X: 1"), toHEAD: method == "HEAD")
    #expect(response.status == 200)
    #expect(response.body == (method == "HEAD" ? "" : "hello"))
    #expect(response["Via"] == "1.1 footfall-test")
    #expect(
      origin.requests == [
        "\(method) /a?b HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\nX: 1\r\nVia: 1.1 footfall-test\r\n\r\n"
      ])
  }

  @Test func keepsClientAndOriginConnections() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let client = try proxy.client()
    for number in 0..<20 {
      try client.send(message("GET \(origin.url)/\(number) HTTP/1.1"))
      #expect(try client.readResponse().body == "x")
    }
    #expect(origin.connections == 1)
    #expect(origin.requests.count == 20)
    let counters = proxy.counters
    #expect(counters.requests == 20)
    #expect(counters.dials == 1)
    #expect(counters.reuses == 19)
    #expect(counters.clientsOpen == 1)
    #expect(counters.upstreamsIdle == 1)
  }

  @Test func answersAHundredPipelinedRequestsInOrder() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { request in ok(String(request.split(separator: " ")[1])) }
    let client = try proxy.client()
    try client.send((0..<100).map { message("GET \(origin.url)/\($0) HTTP/1.1") }.joined())
    for number in 0..<100 { #expect(try client.readResponse().body == "/\(number)") }
    #expect(origin.requests.count == 100)
  }

  @Test func servesPipelinedRequestsBehindABody() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { request in ok(String(request.split(separator: " ")[0])) }
    let client = try proxy.client()
    let chunked = message("PUT \(origin.url)/ HTTP/1.1", "Transfer-Encoding: chunked", body: "3\r\nabc\r\n0\r\n\r\n")
    let length = message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 3", body: "abc")
    let plain = message("GET \(origin.url)/ HTTP/1.1")
    try client.send(length + chunked + plain + chunked + length + plain)
    for method in ["POST", "PUT", "GET", "PUT", "POST", "GET"] {
      #expect(try client.readResponse().body == method)
    }
    #expect(
      origin.requests.map { $0.hasSuffix("abc") || $0.hasSuffix("3\r\nabc\r\n0\r\n\r\n") } == [
        true, true, false, true, true, false,
      ])
  }

  @Test(arguments: ["Content-Length: 4\r\n\r\nbody", "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"])
  func servesABodyWhoseClientHasFinishedSending(framing: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("answer") }
    for host in ["127.0.0.1", "localhost"] {
      let client = try proxy.client()
      try client.send("POST http://\(host):\(origin.port)/ HTTP/1.1\r\nHost: h\r\n\(framing)")
      client.shutdownWriting()
      #expect(try client.readTextToEnd().hasSuffix("\r\n\r\nanswer"))
    }
    #expect(origin.requests.allSatisfy { $0.contains("body") })
  }

  @Test func abandonsABodyThatEndedTooEarly() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in _ = try turn.connection.readToEnd() }
    let client = try proxy.client()
    try client.send("POST http://localhost:\(origin.port)/ HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\npart")
    client.shutdownWriting()
    #expect(try client.readToEnd() == [])
    #expect(try proxy.records(1).first?.errorCode == "client_closed")
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 })
  }

  @Test func servesAPipelineThatTheClientHasFinished() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let client = try proxy.client()
    try client.send((0..<5).map { message("GET \(origin.url)/\($0) HTTP/1.1") }.joined())
    client.shutdownWriting()
    let text = try client.readTextToEnd()
    #expect(text.components(separatedBy: "\r\n\r\nx").count == 6)
  }

  @Test func givesTheOriginTheSameBytesAtEverySegmentation() throws {
    let rule = RuleDefinition(name: "r", matchers: [.prefix("http://127.0.0.1/")], effects: .visitorID)
    let proxy = try ProxyFixture(rules: [rule])
    let origin = try ScriptedOrigin.answering { _ in ok("x", "Connection: close") }
    let request = message(
      "POST \(origin.url)/a HTTP/1.1", "Connection: x-hop", "X-Hop: 1", "Transfer-Encoding: chunked",
      body: "5;ext=1\r\nhello\r\n0\r\nX-T: 1\r\nHost: no\r\n\r\n")
    let whole = try proxy.client()
    try whole.send(request)
    #expect(try whole.readResponse().status == 200)
    let client = try proxy.client()
    try client.sendSlowly(request)
    #expect(try client.readResponse().status == 200)
    let first = try #require(origin.requests.first)
    #expect(first.hasSuffix("\r\n\r\n5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n"))
    #expect(origin.requests[1] == first)
  }

  @Test func servesAClientOfHTTP10() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n"
    }
    let client = try proxy.client()
    try client.send("GET \(origin.url)/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    let text = try client.readTextToEnd()
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
    #expect(text.hasSuffix(" GMT\r\nVia: 1.1 footfall-test\r\nConnection: close\r\n\r\nabcde"))
  }

  @Test(arguments: ["HTTP/1.0", "HTTP/1.1"])
  func speaksItsOwnVersionToEachSide(version: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in
      "\(version) 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx"
    }
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/ \(version)", "Connection: keep-alive"))
    let response = try client.readResponse()
    #expect(response.head.first == "HTTP/1.1 200 OK")
    #expect(response["Via"] == "\(version.dropFirst(5)) footfall-test")
    #expect(response["Keep-Alive"] == nil)
    // No persistence with a client of HTTP/1.0, and no echo of its wish (RFC 9112, section 9.3).
    #expect(response["Connection"] == (version == "HTTP/1.0" ? "close" : nil))
    let request = try #require(origin.requests.first)
    #expect(request.hasPrefix("GET / HTTP/1.1\r\n"))
    #expect(request.contains("\r\nVia: \(version.dropFirst(5)) footfall-test\r\n"))
    #expect(!request.contains("Connection"))
  }

  @Test func tightensFieldNamesOfAResponse() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in
      "HTTP/1.1 200 OK\r\nX-A : b\r\nX-B\t: c\r\nContent-Length : 2\r\n\r\nok"
    }
    let response = try proxy.response(to: message("GET \(origin.url)/ HTTP/1.1"))
    #expect(response.head.contains("X-A: b") && response.head.contains("X-B: c"))
    #expect(response.body == "ok")
  }

  @Test func framesABodyUntilCloseAsChunks() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send("HTTP/1.0 200 OK\r\n\r\nhello")
    }
    let client = try proxy.client()
    for _ in 0..<2 {
      try client.send(message("GET \(origin.url)/ HTTP/1.1"))
      let response = try client.readResponse()
      #expect(response["Transfer-Encoding"] == "chunked")
      #expect(response.body == "5\r\nhello\r\n0\r\n\r\n")
    }
    let old = try proxy.client()
    try old.send("GET \(origin.url)/ HTTP/1.0\r\n\r\n")
    #expect(try old.readTextToEnd().hasSuffix("Connection: close\r\n\r\nhello"))
  }

  @Test(
    arguments: [
      ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", "1000"),
      ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\n\r\n", "77"),
      ("GET", "HTTP/1.1 204 No Content\r\n\r\n", nil),
      ("GET", "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n", nil),
    ] as [(String, String, String?)])
  func knowsResponsesWithoutABody(method: String, answer: String, length: String?) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in answer }
    let client = try proxy.client()
    for _ in 0..<2 {
      try client.send(message("\(method) \(origin.url)/ HTTP/1.1"))
      let response = try client.readResponse(toHEAD: method == "HEAD")
      #expect(response["Content-Length"] == length)
    }
    #expect(origin.connections == 1)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", "\r\n", "x",
  ])
  func dropsAConnectionThatSendsMoreThanItsResponse(surplus: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("x") + surplus }
    let client = try proxy.client()
    for _ in 0..<3 {
      try client.send(message("GET \(origin.url)/ HTTP/1.1"))
      #expect(try client.readResponse().body == "x")
    }
    #expect(origin.connections == 3)
  }

  @Test func relaysAndFiltersTrailersBothWays() throws {
    let rule = RuleDefinition(name: "r", matchers: [.regex("^http://127")], effects: .visitorID)
    let proxy = try ProxyFixture(rules: [rule])
    let trailers = "X-Sum: 1\r\nContent-Length: 9\r\nX-Visitor-Id: spoof\r\nx_visitor_id: spoof\r\nX-Hop: 1\r\n"
    let body = "3\r\nabc\r\n0\r\n\(trailers)\r\n"
    let origin = try ScriptedOrigin.answering { _ in
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: x-hop\r\n\r\n" + body
    }
    let response = try proxy.response(
      to: message("POST \(origin.url)/ HTTP/1.1", "Transfer-Encoding: chunked", "Connection: X-Hop", body: body))
    #expect(response.body == "3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n")
    #expect(try #require(origin.requests.first).hasSuffix("\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n"))
  }

  @Test func asksForTrailersForWhoeverAsks() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    _ = try proxy.response(to: message("GET \(origin.url)/ HTTP/1.1", "TE: trailers, deflate", "Connection: TE"))
    #expect(
      origin.requests == [
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\nConnection: TE\r\nTE: trailers\r\n"
          + "Via: 1.1 footfall-test\r\n\r\n"
      ])
  }

  @Test func announcesTheTrailersThatPass() throws {
    let proxy = try ProxyFixture()
    let body = "3\r\nabc\r\n0\r\nX-Sum: 1\r\nX-Visitor-Id: spoof\r\nHost: h\r\n\r\n"
    let announced = "Trailer: X-Sum, X-Visitor-Id, Host"
    let origin = try ScriptedOrigin.answering { _ in
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\(announced)\r\n\r\n" + body
    }
    let response = try proxy.response(
      to: message("POST \(origin.url)/ HTTP/1.1", "Transfer-Encoding: chunked", announced, body: body))
    #expect(response["Trailer"] == "X-Sum")
    #expect(response.body == "3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n")
    let request = try #require(origin.requests.first)
    #expect(request.contains("\r\nTrailer: X-Sum\r\n"))
    #expect(request.hasSuffix("\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n"))
  }

  @Test func dropsAllTrailersWhenToldSo() throws {
    let proxy = try ProxyFixture { $0.trailers = .drop }
    let body = "3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n"
    let origin = try ScriptedOrigin.answering { _ in
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n" + body
    }
    let client = try proxy.client()
    for _ in 0..<2 {
      try client.send(
        message("POST \(origin.url)/ HTTP/1.1", "Transfer-Encoding: chunked", "Trailer: X-Sum", body: body))
      let response = try client.readResponse()
      #expect(response.body == "3\r\nabc\r\n0\r\n\r\n")
      #expect(response["Trailer"] == nil)
    }
    for request in origin.requests {
      #expect(request.hasSuffix("\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
      #expect(!request.contains("Trailer:"))
    }
  }

  @Test func addsADateOnlyWhereThereIsNone() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { request in
      request.hasPrefix("GET /dated") ? ok("x", "date: then") : "HTTP/1.1 103 Early Hints\r\n\r\n" + ok("x")
    }
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/dated HTTP/1.1"))
    let dated = try client.readResponse()
    #expect(dated.head.filter { $0.lowercased().hasPrefix("date:") } == ["date: then"])
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(try client.readResponse()["Date"] == nil)
    let undated = try client.readResponse()
    #expect(try isNow(#require(undated["Date"])))
    try client.send(message("GET http://127.0.0.1:1/ HTTP/1.1"))
    #expect(try isNow(#require(try client.readResponse()["Date"])))
    try client.send(message("OPTIONS \(origin.url) HTTP/1.1", "Max-Forwards: 0"))
    #expect(try isNow(#require(try client.readResponse()["Date"])))
  }

  private func isNow(_ text: String) throws -> Bool {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "UTC")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return abs(try #require(format.date(from: text)).timeIntervalSinceNow) < 600
  }

  @Test func reachesAnIPv6Literal() throws {
    let proxy = try ProxyFixture(ipv6: true)
    let origin = try ScriptedOrigin.answering(ipv6: true) { _ in ok("six") }
    let response = try proxy.response(to: message("GET http://[::1]:\(origin.port)/ HTTP/1.1"))
    #expect(response.body == "six")
    #expect(origin.requests.first?.contains("\r\nHost: [::1]:\(origin.port)\r\n") == true)
  }

  @Test func looksUpNames() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let client = try proxy.client()
    for _ in 0..<2 {
      try client.send(message("GET http://localhost:\(origin.port)/ HTTP/1.1", "Connection: keep-alive"))
      #expect(try client.readResponse().body == "x")
    }
    #expect(origin.connections == 1)
  }

  @Test func joinsThePortOfTheFirstWorker() throws {
    for ipv6 in [false, true] {
      let proxy = try ProxyFixture(workers: 3, ipv6: ipv6)
      let origin = try ScriptedOrigin.answering(ipv6: ipv6) { _ in ok("x") }
      let host = ipv6 ? "[::1]" : "127.0.0.1"
      for _ in 0..<30 {
        #expect(try proxy.response(to: message("GET http://\(host):\(origin.port)/ HTTP/1.1")).body == "x")
      }
      #expect(proxy.counters.requests == 30)
      #expect(proxy.service.counters(waitMilliseconds: 5000).answered == 3)
    }
  }
}
