import Foundation
import ProxyCore
import ProxyServer
import TestKit
import Testing
import URLRules

/// Rules of RFC 9110 and RFC 9112 for an intermediary that show only with both peers there; each test names its section.
@Suite struct MessageRulesTests {
  /// RFC 9112, section 2.2: octets, not text.
  @Test func carriesEveryHighOctetOfAValueBothWays() throws {
    let proxy = try ProxyFixture()
    let octets = (0x80...0xff).map { UInt8($0) }
    @Sendable func head(_ first: String, _ last: String) -> [UInt8] {
      Array((first + "X: ").utf8) + octets + Array(last.utf8)
    }
    let origin = try ScriptedOrigin { turn in
      let expected = head("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(turn.port)\r\n", "\r\nVia: 1.1 footfall-test\r\n\r\n")
      #expect(try turn.connection.read(count: expected.count) == expected)
      try turn.connection.send(head("HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 0\r\n", "\r\n\r\n"))
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(head("GET \(origin.url)/ HTTP/1.1\r\nHost: h\r\n", "\r\n\r\n"))
    let expected = head(
      "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 0\r\n", "\r\nVia: 1.1 footfall-test\r\n\r\n")
    #expect(try client.read(count: expected.count) == expected)
  }

  /// RFC 9110, section 4.2.4.
  @Test func writesNoUserInformationDown() throws {
    let proxy = try ProxyFixture { $0.keepsQuery = true }
    let response = try proxy.response(to: message("GET http://user:secret@h.invalid/?token HTTP/1.1"))
    #expect(response.status == 400)
    #expect(!(response.head + [response.body]).contains { $0.contains("secret") || $0.contains("token") })
    #expect(try proxy.records(1).first?.url == "")
  }

  /// RFC 9110, sections 7.7, 8.4 and 11.6: what belongs to the two ends is not touched.
  @Test func leavesContentAndItsFieldsAlone() throws {
    let proxy = try ProxyFixture()
    let content = [UInt8]((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 >> 8) })
    let fields = [
      "Content-Encoding: gzip", "Content-MD5: x", "Cache-Control: no-transform", "WWW-Authenticate: Basic realm=\"a\"",
      "WWW-Authenticate: Negotiate", "Allow: GET, HEAD", "Set-Cookie: a=1", "Set-Cookie: b=2, c=3", "Set-cookie: a=2",
      "Date: d",
    ]
    let sent = [
      "Accept-Encoding: gzip, br", "Authorization: Basic eDp5", "Cookie: a=1", "Cookie: b=2", "Range: bytes=0-9",
    ]
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      let head = ["HTTP/1.1 401 Unauthorized"] + fields + ["Content-Length: \(content.count)", "", ""]
      try turn.connection.send(Array(head.joined(separator: "\r\n").utf8) + content)
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(message((["GET \(origin.url)/ HTTP/1.1"] + sent).joined(separator: "\r\n")))
    let head = try client.read(until: "\r\n\r\n").components(separatedBy: "\r\n")
    #expect(Array(head.dropFirst().prefix(fields.count)) == fields)
    #expect(try client.read(count: content.count) == content)
    #expect(try #require(origin.requests.first).contains("\r\n" + sent.joined(separator: "\r\n") + "\r\n"))
  }

  /// RFC 9110, section 15.5.20.
  @Test func answersNothing421() {
    #expect(!ProxyError.allCases.contains { $0.status == 421 })
  }

  static let faultyRequests: [(fields: String, version: String, status: Int)] = [
    ("Transfer-Encoding: chunked", "1.0", 400), ("Transfer-Encoding: gzip", "1.1", 400),
    ("Transfer-Encoding: chunked, gzip", "1.1", 400), ("Transfer-Encoding: chunked, chunked", "1.1", 400),
    ("Transfer-Encoding: xchunked", "1.1", 400), ("Transfer-Encoding: gzip, chunked", "1.1", 501),
    ("Transfer-Encoding: chunked,", "1.1", 400), ("Transfer-Encoding:", "1.1", 400),
    ("Transfer-Encoding: \"chunked\"", "1.1", 400),
    ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "1.1", 400),
    ("Transfer-Encoding: chunked\r\nContent-Length: 3", "1.1", 400),
    ("Content-Length: 3\r\nTransfer-Encoding: chunked", "1.1", 400),
    ("Content-Length: 3\r\nContent-Length: 3", "1.1", 400), ("Content-Length: 3, 3", "1.1", 400),
    ("Content-Length: 3\r\nContent-Length: 4", "1.1", 400), ("Content-Length: +3", "1.1", 400),
    ("Content-Length: 0x3", "1.1", 400), ("Content-Length:", "1.1", 400), ("Content-Length: -1", "1.1", 400),
    ("Content-Length: 18446744073709551616", "1.1", 400), ("Content-Length: 3\r\n 0", "1.1", 400),
    ("Host: again", "1.1", 400), ("X: a\r\r\n", "1.1", 400), ("X: a\rTransfer-Encoding: chunked", "1.1", 400),
    ("X\0: a", "1.1", 400), (": a", "1.1", 400), ("X : a", "1.1", 400), ("X: a\n", "1.1", 400),
  ]

  /// RFC 9112, sections 2.2, 3.2, 5 and 6: refused, the connection ended, and nothing behind it taken for a request.
  @Test(arguments: faultyRequests)
  func endsTheConnectionOfAFaultyRequest(fields: String, version: String, status: Int) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("no") }
    let client = try proxy.client()
    let smuggled = message("GET \(origin.url)/smuggled HTTP/1.1")
    try client.send("POST \(origin.url)/ HTTP/\(version)\r\nHost: h\r\n\(fields)\r\n\r\n0\r\n\r\n" + smuggled)
    let response = try client.readResponse()
    #expect(response.status == status)
    #expect(response["Connection"] == "close")
    #expect(try client.readToEnd() == [])
    #expect(origin.connections == 0)
  }

  static let faultySizes = [
    "0x3", " 3", "\t3", "3zz", "+3", "-3", "", "g", "3\n", "\r0", "0_0", "FFFFFFFFFFFFFFFFF", "10000000000000000",
    "3;a\nb", "3;a\rb", "3;" + String(repeating: "x", count: 5000),
  ]

  /// RFC 9112, section 7.1.
  @Test(arguments: faultySizes) func refusesAFaultyChunkSizeInARequest(size: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in _ = try turn.connection.readToEnd() }
    let client = try proxy.client()
    try client.send(
      message("POST \(origin.url)/ HTTP/1.1", "Transfer-Encoding: chunked", body: "\(size)\r\nabc\r\n0\r\n\r\n"))
    let response = try client.readResponse()
    #expect(response.status == 400)
    #expect(response["Connection"] == "close")
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
  }

  /// RFC 9112, sections 7.1 and 8.
  @Test(arguments: faultySizes) func cutsAResponseOffAtAFaultyChunkSize(size: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n\(size)\r\nabc\r\n0\r\n\r\n"
    }
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    let text = try client.readTextToEnd()
    #expect(text.contains("\r\n\r\n2\r\nok\r\n"))
    #expect(!text.hasSuffix("0\r\n\r\n"))
    #expect(proxy.waits { $0.upstreamsOpen == 0 && $0.clientsOpen == 0 })
  }

  /// RFC 9112, section 9.6.
  @Test func processesNothingBehindACloseOption() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("last") }
    let client = try proxy.client()
    try client.send(
      message("GET \(origin.url)/1 HTTP/1.1", "Connection: x, Close") + message("GET \(origin.url)/2 HTTP/1.1"))
    let response = try client.readResponse()
    #expect(response.body == "last")
    #expect(response["Connection"] == "close")
    #expect(try client.readToEnd() == [])
    #expect(origin.requests.count == 1)
  }

  /// RFC 9112, section 3.3; RFC 9110, section 7.1: one URL for the rules, the origin and the record.
  @Test func matchesTheTargetAndNotTheHostField() throws {
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let other = try ScriptedOrigin.answering { _ in ok("x") }
    let rule = RuleDefinition(name: "r", matchers: [.prefix(origin.url + "/")], effects: [.visitorID, .record])
    let proxy = try ProxyFixture(rules: [rule])
    // Both over one connection of the client: the pool must not mix them up.
    let client = try proxy.client()
    for _ in 0..<2 {
      for (target, host) in [(origin, other), (other, origin)] {
        try client.send("GET \(target.url)/a HTTP/1.1\r\nHost: 127.0.0.1:\(host.port)\r\n\r\n")
        #expect(try client.readResponse().status == 200)
      }
    }
    #expect(origin.requests.count == 2 && other.requests.count == 2)
    #expect(
      origin.requests.allSatisfy { $0.contains("x-visitor-id: the-id\r\n") && $0.contains(":\(origin.port)\r\n") })
    #expect(other.requests.allSatisfy { !$0.contains("x-visitor-id") && $0.contains(":\(other.port)\r\n") })
    #expect(try proxy.records(4).map(\.url) == [origin, other, origin, other].map { "\($0.url)/a" })
  }

  /// RFC 9112, section 6.3, point 8: the tail of a body that ends with its connection.
  @Test func flushesTheTailOfABodyUntilClose() throws {
    let proxy = try ProxyFixture()
    let size = 6 << 20
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 126, count: size))
    }
    for version in ["HTTP/1.0", "HTTP/1.1"] {
      let client = try proxy.client(receiveBuffer: 8192)
      try client.send(message("GET \(origin.url)/ \(version)"))
      _ = plateau { proxy.counters.bytesToClients }
      let text = try client.readTextToEnd(untilLastChunk: version == "HTTP/1.1")
      #expect(text.utf8.count { $0 == 126 } == size)
      #expect(text.hasSuffix("\r\n0\r\n\r\n") == (version == "HTTP/1.1"))
    }
  }

  /// RFC 9110, section 9.3.6.
  @Test(arguments: ["HTTP/1.1\r\nHost: h\r\nContent-Length: 0", "HTTP/1.0", "HTTP/1.1\r\nHost: h\r\nConnection: close"])
  func tunnelsForEveryWayToAsk(rest: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in try turn.connection.send(try turn.connection.readToEnd()) }
    let client = try proxy.client()
    try client.send("CONNECT 127.0.0.1:\(origin.port) \(rest)\r\n\r\nPING")
    client.shutdownWriting()
    #expect(try client.readTextToEnd() == "HTTP/1.1 200 Connection Established\r\n\r\nPING")
  }
}

extension RawConnection {
  /// Reads to the end of the stream, or of a chunked body on a connection that stays.
  fileprivate func readTextToEnd(untilLastChunk: Bool) throws -> String {
    untilLastChunk ? try read(until: "\r\n0\r\n\r\n") : try readTextToEnd()
  }
}
