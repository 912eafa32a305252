import HTTPWire
import ProxyCore
import Testing
import URLRules

/// The bytes of the head that leaves, for a head that came.
@Suite struct RequestRewriterTests {
  private func rewritten(
    _ message: String, effects: RuleEffects = [], via: String? = nil, trailers: TrailerPolicy = .forward,
    passing: TrailerFilter? = nil,
    maxForwards: Int64? = nil, upgrades: [String] = ["websocket"], parent: ParentProxy? = nil,
    injections: [(RuleEffects, String, String)] = [(.visitorID, "x-visitor-id", "ID")]
  ) throws -> String {
    try SampleRequest.with(message) { request in
      var subject = OutputBuffer(capacity: 1 << 16)
      defer { subject.deallocate() }
      var target = CanonicalURL()
      try #require(
        TargetParser.parseAbsolute(
          request.bytes + request.head.targetStart, request.head.targetLength, fragment: .refuse, subject: &subject,
          into: &target) == nil)
      let injected = try injections.map {
        try #require(InjectionSnapshot.Injection(effect: $0.0, name: $0.1, value: $0.2))
      }
      return try written { output in
        RequestRewriter(via: via.map { ViaField(pseudonym: $0) }).append(
          to: &output, request.bytes, request.head, request.parser.lines, target: target, verdict: effects,
          snapshot: snapshot(injecting: injected, trailers: trailers), maxForwards: maxForwards,
          upgrade: UpgradeOffer(
            request.bytes, request.head, request.parser.lines, allowed: upgrades.map { Array($0.utf8) }),
          trailers: passing, parent: parent)
      }
    }
  }

  private static func lines(_ lines: String...) -> String { lines.map { $0 + "\r\n" }.joined() + "\r\n" }

  @Test(arguments: [
    ("GET http://h.example/a/b?c=d HTTP/1.1", "GET /a/b?c=d HTTP/1.1\r\nHost: h.example"),
    ("GET http://h.example HTTP/1.1", "GET / HTTP/1.1\r\nHost: h.example"),
    ("GET http://h.example?q HTTP/1.1", "GET /?q HTTP/1.1\r\nHost: h.example"),
    ("OPTIONS http://h.example HTTP/1.1", "OPTIONS * HTTP/1.1\r\nHost: h.example"),
    ("OPTIONS http://h.example/ HTTP/1.1", "OPTIONS / HTTP/1.1\r\nHost: h.example"),
    ("OPTIONS http://h.example?q HTTP/1.1", "OPTIONS /?q HTTP/1.1\r\nHost: h.example"),
    ("GET HTTP://H.Example:80/%7ea HTTP/1.1", "GET /%7ea HTTP/1.1\r\nHost: H.Example:80"),
    ("GET http://[::1]:81/x HTTP/1.1", "GET /x HTTP/1.1\r\nHost: [::1]:81"),
    ("GET http://h:/ HTTP/1.1", "GET / HTTP/1.1\r\nHost: h"),
    ("GET http://H:00081/ HTTP/1.1", "GET / HTTP/1.1\r\nHost: H:81"),
    ("GET http://[::1]:0080/ HTTP/1.1", "GET / HTTP/1.1\r\nHost: [::1]:80"),
    ("GET http://h.:81 HTTP/1.1", "GET / HTTP/1.1\r\nHost: h.:81"),
    ("BREW http://h/pot HTTP/1.0", "BREW /pot HTTP/1.1\r\nHost: h"),
  ])
  func writesOriginFormAndItsOwnHost(startLine: String, expected: String) throws {
    #expect(try rewritten("\(startLine)\r\nHost: liar.example\r\n\r\n") == expected + "\r\n\r\n")
  }

  @Test(arguments: [
    "GET http://h.example/a/b?c=d HTTP/1.1", "GET http://h.example HTTP/1.1", "OPTIONS http://h.example HTTP/1.1",
    "GET HTTP://h.example/%7ea HTTP/1.1",
  ])
  func writesForAParentTheTargetAsItCame(startLine: String) throws {
    let parent = ParentProxy(
      host: "p", port: 1, credentials: BasicCredentials(userAndPassword: "a:".utf8))
    let message = Self.lines(startLine, "Host: liar.example", "Proxy-Authorization: Basic eDp5", "A: b")
    #expect(
      try rewritten(message, via: "me", parent: parent)
        == Self.lines(startLine, "Host: h.example", "A: b", "Proxy-Authorization: Basic YTo=", "Via: 1.1 me"))
    #expect(
      try rewritten(message, parent: ParentProxy(host: "p", port: 1))
        == Self.lines(startLine, "Host: h.example", "A: b"))
  }

  @Test func asksAParentForATunnelWithNothingOfTheClientsButVia() throws {
    let message = Self.lines(
      "CONNECT H.example:443 HTTP/1.1", "Host: liar", "Via: 1.1 a, 1.1 b", "User-Agent: x", "Proxy-Authorization: y",
      "via: 1.0 c")
    let connect = try SampleRequest.with(message) { request in
      try written { output in
        let authority = Array("h.example:443".utf8)
        authority.withUnsafeBufferPointer { buffer in
          guard let bytes = buffer.baseAddress else { return }
          RequestRewriter(via: ViaField(pseudonym: "me")).appendConnect(
            to: &output, request.bytes, request.head, request.parser.lines, authority: bytes, buffer.count,
            parent: ParentProxy(host: "p", port: 1))
        }
      }
    }
    #expect(
      connect
        == Self.lines(
          "CONNECT h.example:443 HTTP/1.1", "Host: h.example:443", "Via: 1.1 a, 1.1 b", "via: 1.0 c", "Via: 1.1 me"))
  }

  @Test func keepsOrderCaseAndSpacingOfWhatTravelsOn() throws {
    let message = Self.lines(
      "GET http://h/ HTTP/1.1", "B:  two  ", "Host: h", "a:one", "COOKIE: x=y", "A: three", "Content-Length: 0")
    #expect(
      try rewritten(message)
        == Self.lines("GET / HTTP/1.1", "Host: h", "B:  two  ", "a:one", "COOKIE: x=y", "A: three", "Content-Length: 0")
    )
  }

  @Test(arguments: [
    "Connection: keep-alive", "Proxy-Connection: keep-alive", "Keep-Alive: timeout=5", "TE: gzip", "TE: chunked", "TE:",
    "Upgrade: websocket", "Proxy-Authorization: Basic eDp5", "Proxy-Authenticate: x", "HTTP2-Settings: AAMAAABk",
    "Proxy: http://evil/", "pROXY-cONNECTION: x", "connection: CLOSE",
  ])
  func removesFieldsOfOneHop(field: String) throws {
    let message = Self.lines("GET http://h/ HTTP/1.1", "Host: h", "A: 1", field, "B: 2")
    #expect(try rewritten(message) == Self.lines("GET / HTTP/1.1", "Host: h", "A: 1", "B: 2"))
  }

  @Test(arguments: [
    ["Connection: X-Hop"], ["Connection: close, x-hop"], ["Connection: , ,X-HOP,,"],
    ["Connection: keep-alive", "Connection: x-hop"],
    ["connection:\tx-hop\t"], ["Connection: a,b", "Connection: close", "Connection: c, x-hop , d"],
  ])
  func removesNominatedFields(connection: [String]) throws {
    let message = Self.lines(
      (["GET http://h/ HTTP/1.1", "Host: h", "X-Hop: 1", "X-Hopper: 2"] + connection + ["x-hop: 3"]).joined(
        separator: "\r\n"))
    #expect(try rewritten(message) == Self.lines("GET / HTTP/1.1", "Host: h", "X-Hopper: 2"))
  }

  @Test func ignoresForbiddenNominations() throws {
    let message = Self.lines(
      "POST http://h/ HTTP/1.1", "Host: h", "Connection: host, content-length, via, expect, max-forwards",
      "Content-Length: 3", "Via: 1.1 a", "Expect: 100-continue", "Max-Forwards: 3")
    #expect(
      try rewritten(message)
        == Self.lines(
          "POST / HTTP/1.1", "Host: h", "Content-Length: 3", "Via: 1.1 a", "Expect: 100-continue", "Max-Forwards: 3"))
    let chunked = Self.lines(
      "POST http://h/ HTTP/1.1", "Host: h", "Connection: transfer-encoding", "Transfer-Encoding: chunked")
    #expect(try rewritten(chunked) == Self.lines("POST / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked"))
  }

  @Test(arguments: [
    ["x-visitor-id: spoof"], ["X-Visitor-Id: spoof", "X-VISITOR-ID: again"], ["x_visitor_id: spoof"],
    ["X_Visitor-ID: spoof", "x-visitor_id:"], ["Connection: x-visitor-id", "X-Visitor-Id: spoof"],
    ["Connection: close, X-Visitor-Id"], [],
  ])
  func injectsExactlyOneOnAMatch(spoofs: [String]) throws {
    let message = Self.lines(
      (["GET http://h/ HTTP/1.1", "Host: h", "A: 1"] + spoofs + ["B: 2"]).joined(separator: "\r\n"))
    #expect(
      try rewritten(message, effects: .visitorID)
        == Self.lines("GET / HTTP/1.1", "Host: h", "A: 1", "B: 2", "x-visitor-id: ID"))
  }

  @Test func leavesTheClientsOwnFieldAloneWithoutAMatch() throws {
    let message = Self.lines("GET http://h/ HTTP/1.1", "Host: h", "X-Visitor-Id: mine")
    #expect(try rewritten(message) == Self.lines("GET / HTTP/1.1", "Host: h", "X-Visitor-Id: mine"))
    #expect(try rewritten(message, effects: .record) == Self.lines("GET / HTTP/1.1", "Host: h", "X-Visitor-Id: mine"))
  }

  @Test func injectsByTheEffectsThatMatched() throws {
    let message = Self.lines("GET http://h/ HTTP/1.1", "Host: h", "Ahoy-Visit: v", "X-Visitor-Id: mine")
    let injections: [(RuleEffects, String, String)] = [
      (.visitorID, "x-visitor-id", "ID"), (.ahoy, "ahoy-visit", "A"), (.ahoy, "ahoy-visitor", "B"),
    ]
    #expect(
      try rewritten(message, effects: .ahoy, injections: injections)
        == Self.lines("GET / HTTP/1.1", "Host: h", "X-Visitor-Id: mine", "ahoy-visit: A", "ahoy-visitor: B"))
    #expect(
      try rewritten(message, effects: [.visitorID, .ahoy], injections: injections)
        == Self.lines("GET / HTTP/1.1", "Host: h", "x-visitor-id: ID", "ahoy-visit: A", "ahoy-visitor: B"))
  }

  @Test func appendsViaBehindTheOthers() throws {
    let message = Self.lines("GET http://h/ HTTP/1.1", "Via: 1.0 first", "Host: h", "A: 1")
    #expect(
      try rewritten(message, via: "footfall")
        == Self.lines("GET / HTTP/1.1", "Host: h", "Via: 1.0 first", "A: 1", "Via: 1.1 footfall"))
  }

  @Test func tellsInViaTheVersionThatItReceived() throws {
    #expect(
      try rewritten(Self.lines("GET http://h/ HTTP/1.0", "A: 1"), via: "footfall")
        == Self.lines("GET / HTTP/1.1", "Host: h", "A: 1", "Via: 1.0 footfall"))
  }

  @Test(arguments: [
    (["Expect: 100-continue"], ["Expect: 100-continue"]),
    (["Expect: 100-Continue", "A: 1", "expect: 100-continue"], ["Expect: 100-Continue", "A: 1"]),
  ])
  func passesOneExpectationOn(received: [String], sent: [String]) throws {
    let rest = ["Content-Length: 3"]
    let message = Self.lines((["POST http://h/ HTTP/1.1", "Host: h"] + received + rest).joined(separator: "\r\n"))
    #expect(
      try rewritten(message)
        == Self.lines((["POST / HTTP/1.1", "Host: h"] + sent + rest).joined(separator: "\r\n")))
  }

  @Test(arguments: ["Expect: 100-continue", "Expect: 200-ok"])
  func passesNoExpectationOfHTTP10On(field: String) throws {
    let message = Self.lines("POST http://h/ HTTP/1.0", "Host: h", field, "Content-Length: 3")
    #expect(try rewritten(message) == Self.lines("POST / HTTP/1.1", "Host: h", "Content-Length: 3"))
  }

  @Test func removesANominatedDate() throws {
    let message = Self.lines("GET http://h/ HTTP/1.1", "Host: h", "Date: x", "Connection: date", "A: 1")
    #expect(try rewritten(message) == Self.lines("GET / HTTP/1.1", "Host: h", "A: 1"))
  }

  @Test func replacesMaxForwardsWhenTold() throws {
    let message = Self.lines("TRACE http://h/ HTTP/1.1", "Host: h", "Max-Forwards: 5", "max-forwards: 9")
    #expect(
      try rewritten(message, maxForwards: 4) == Self.lines("TRACE / HTTP/1.1", "Host: h", "Max-Forwards: 4"))
  }

  @Test(arguments: [
    (["Trailer: X-Sum"], ["Trailer: X-Sum"]), (["trailer:  X-Sum ,x-b"], ["trailer:  X-Sum ,x-b"]),
    (["Trailer: Content-Length"], []), (["Trailer: X-Visitor-Id"], []), (["Trailer: X-Hop, x_visitor_id"], []),
    (["Trailer: X-Sum, Host, , X-B,X-Hop"], ["Trailer: X-Sum, X-B"]),
    (["Trailer: X-A", "Trailer: Host, X-B"], ["Trailer: X-A", "Trailer: X-B"]),
  ])
  func announcesTheTrailersThatPass(received: [String], sent: [String]) throws {
    let filter = TrailerFilter(dropping: [Array("x-visitor-id".utf8), Array("x-hop".utf8)])
    let message = Self.lines(
      (["POST http://h/ HTTP/1.1", "Host: h", "Transfer-Encoding: chunked"] + received).joined(separator: "\r\n"))
    #expect(
      try rewritten(message, passing: filter)
        == Self.lines(
          (["POST / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked"] + sent).joined(separator: "\r\n")))
    #expect(
      try rewritten(message) == Self.lines("POST / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked"), "none pass")
  }

  @Test(arguments: [
    (["Connection: Upgrade", "Upgrade: websocket"], ["Connection: Upgrade", "Upgrade: websocket"]),
    (
      ["Connection: keep-alive, upgrade", "Upgrade: h2c, WebSocket/13, tls/1.2"],
      ["Connection: Upgrade", "Upgrade: WebSocket/13"]
    ),
    (["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"], []),
    (
      ["Connection: Upgrade", "Upgrade: websocket", "Proxy-Connection: Upgrade"],
      ["Connection: Upgrade", "Upgrade: websocket"]
    ),
    (["Upgrade: websocket"], []), (["Connection: Upgrade"], []),
    (["TE: trailers"], ["Connection: TE", "TE: trailers"]),
    (["TE: deflate;q=0.5 , Trailers", "Connection: te"], ["Connection: TE", "TE: trailers"]),
    (["TE: trailers;q=1"], []), (["TE: trailersx"], []),
    (
      ["TE: trailers", "Connection: TE, Upgrade", "Upgrade: websocket"],
      ["Connection: Upgrade, TE", "TE: trailers", "Upgrade: websocket"]
    ),
  ])
  func writesItsOwnHopByHopFields(received: [String], sent: [String]) throws {
    let message = Self.lines((["GET http://h/ HTTP/1.1", "Host: h"] + received + ["A: 1"]).joined(separator: "\r\n"))
    #expect(
      try rewritten(message, via: "f")
        == Self.lines((["GET / HTTP/1.1", "Host: h", "A: 1"] + sent + ["Via: 1.1 f"]).joined(separator: "\r\n")))
  }

  @Test func passesNoHopByHopFieldOfHTTP10() throws {
    let message = Self.lines(
      "GET http://h/ HTTP/1.0", "Connection: Upgrade, TE", "Upgrade: websocket", "TE: trailers", "A: 1")
    #expect(try rewritten(message) == Self.lines("GET / HTTP/1.1", "Host: h", "A: 1"))
  }

  @Test func asksForNoTrailersThatItWouldDrop() throws {
    let message = Self.lines("GET http://h/ HTTP/1.1", "Host: h", "TE: trailers", "Connection: TE")
    #expect(try rewritten(message, trailers: .drop) == Self.lines("GET / HTTP/1.1", "Host: h"))
  }

  @Test func skipsEmptyLinesBeforeTheRequest() throws {
    #expect(
      try rewritten("\r\n\r\nGET http://h/ HTTP/1.1\r\nHost: h\r\nA: 1\r\n\r\n")
        == Self.lines("GET / HTTP/1.1", "Host: h", "A: 1"))
  }
}
