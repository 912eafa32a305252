import HTTPWire
import ProxyCore
import Testing

/// The bytes of the response head that goes to the client, for one that came.
@Suite struct ResponseRewriterTests {
  private static func lines(_ lines: String...) -> String { lines.map { $0 + "\r\n" }.joined() + "\r\n" }

  private func parsed<T>(_ message: String, _ body: (Bytes, ResponseHead, HeadParser) throws -> T) throws -> T {
    let raw = Array(message.utf8)
    return try raw.withUnsafeBufferPointer { buffer in
      let bytes = try #require(buffer.baseAddress)
      let parser = HeadParser()
      var head = ResponseHead()
      try #require(parser.parseResponse(bytes, buffer.count, into: &head) == .complete)
      return try body(bytes, head, parser)
    }
  }

  private func final(
    _ message: String, _ delivery: Exchange.Delivery, method: Method = .get, keepsClient: Bool = true,
    trailers: TrailerFilter? = nil, date: String? = nil, via: String? = nil
  ) throws -> String {
    try parsed(message) { bytes, head, parser in
      try written {
        ResponseRewriter(via: via.map { ViaField(pseudonym: $0) }).appendFinal(
          to: &$0, bytes, head, parser.lines, method: method, delivery: delivery, keepsClient: keepsClient,
          trailers: trailers, date: date.map { Array("Date: \($0)\r\n".utf8) })
      }
    }
  }

  @Test func keepsStatusReasonAndFields() throws {
    let message = Self.lines(
      "HTTP/1.0 299 Fine \u{e9}  too", "B: 2 ", "content-length: 3", "Set-Cookie: a", "Set-Cookie: b")
    #expect(
      try final(message, .length(3))
        == Self.lines("HTTP/1.1 299 Fine \u{e9}  too", "B: 2 ", "content-length: 3", "Set-Cookie: a", "Set-Cookie: b"))
  }

  @Test func keepsAnEmptyReason() throws {
    #expect(
      try final("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", .none) == Self.lines("HTTP/1.1 200 ", "Content-Length: 0"))
  }

  @Test(arguments: [
    "Connection: keep-alive", "Keep-Alive: timeout=5", "Proxy-Authenticate: Basic", "Proxy-Connection: close",
    "Upgrade: h2c",
    "Proxy-Authentication-Info: x", "TE: x",
  ])
  func removesFieldsOfOneHop(field: String) throws {
    let message = Self.lines("HTTP/1.1 200 OK", "A: 1", field, "Content-Length: 1")
    #expect(try final(message, .length(1)) == Self.lines("HTTP/1.1 200 OK", "A: 1", "Content-Length: 1"))
  }

  @Test func removesNominatedFieldsButNoFraming() throws {
    let message = Self.lines("HTTP/1.1 200 OK", "Connection: x-hop, content-length", "X-Hop: 1", "Content-Length: 1")
    #expect(try final(message, .length(1)) == Self.lines("HTTP/1.1 200 OK", "Content-Length: 1"))
  }

  @Test(arguments: [
    ["Content-Length: 5, 5"], ["Content-Length: 5", "Content-Length: 5"],
    ["content-length: 5 , 5", "Content-Length: 5"],
  ])
  func collapsesEqualLengths(fields: [String]) throws {
    let text = try final(Self.lines((["HTTP/1.1 200 OK"] + fields).joined(separator: "\r\n")), .length(5))
    let lengths = text.lowercased().split(separator: "\r\n").filter { $0.hasPrefix("content-length") }
    #expect(lengths == ["content-length: 5"])
  }

  @Test func framesABodyUntilCloseAsChunks() throws {
    #expect(
      try final(Self.lines("HTTP/1.0 200 OK", "A: 1", "Trailer: T"), .encodedChunks)
        == Self.lines("HTTP/1.1 200 OK", "A: 1", "Transfer-Encoding: chunked"))
  }

  @Test func takesTheCodingAwayForAClientOfHTTP10() throws {
    let message = Self.lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Trailer: T")
    #expect(
      try final(message, .decodedChunks, keepsClient: false) == Self.lines("HTTP/1.1 200 OK", "Connection: close"))
    #expect(
      try final(message, .relayedChunks)
        == Self.lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"))
    #expect(
      try final(message, .relayedChunks, trailers: TrailerFilter())
        == Self.lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Trailer: T"))
    #expect(
      try final(message, .relayedChunks, trailers: TrailerFilter(dropping: [Array("t".utf8)]))
        == Self.lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"))
  }

  @Test func tellsHEADWhatGETWouldHaveGot() throws {
    #expect(
      try final(Self.lines("HTTP/1.1 200 OK", "Content-Length: 77"), .none, method: .head)
        == Self.lines("HTTP/1.1 200 OK", "Content-Length: 77"))
    #expect(
      try final(Self.lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"), .none, method: .head)
        == Self.lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"))
  }

  @Test func leavesNoFramingIn204AndKeepsTheLengthIn304() throws {
    #expect(
      try final(Self.lines("HTTP/1.1 204 No Content", "Content-Length: 5", "A: 1"), .none)
        == Self.lines("HTTP/1.1 204 No Content", "A: 1"))
    #expect(
      try final(Self.lines("HTTP/1.1 204 No Content", "Transfer-Encoding: chunked"), .none)
        == Self.lines("HTTP/1.1 204 No Content"))
    #expect(
      try final(Self.lines("HTTP/1.1 304 Not Modified", "Content-Length: 5", "ETag: x"), .none)
        == Self.lines("HTTP/1.1 304 Not Modified", "Content-Length: 5", "ETag: x"))
  }

  @Test func appendsViaAndTheEndOfTheConnection() throws {
    let message = Self.lines("HTTP/1.1 200 OK", "Via: 1.1 a", "Content-Length: 1")
    #expect(
      try final(message, .length(1), keepsClient: false, via: "footfall")
        == Self.lines("HTTP/1.1 200 OK", "Via: 1.1 a", "Content-Length: 1", "Via: 1.1 footfall", "Connection: close"))
  }

  @Test func writesItsOwnHopByHopFieldsIntoASwitch() throws {
    let message = Self.lines(
      "HTTP/1.1 101 Switching Protocols", "upgrade: websocket", "connection: x-hop, Upgrade", "X-Hop: 1",
      "Sec-WebSocket-Accept: abc=", "Content-Length: 4", "Trailer: T")
    let text = try parsed(message) { bytes, head, parser in
      try written {
        ResponseRewriter(via: ViaField(pseudonym: "f")).appendSwitch(to: &$0, bytes, head, parser.lines)
      }
    }
    #expect(
      text
        == Self.lines(
          "HTTP/1.1 101 Switching Protocols", "Sec-WebSocket-Accept: abc=", "Via: 1.1 f", "Connection: Upgrade",
          "Upgrade: websocket"))
  }

  @Test func tellsInViaTheVersionThatItReceived() throws {
    #expect(
      try final(Self.lines("HTTP/1.0 200 OK", "Content-Length: 1"), .length(1), via: "footfall")
        == Self.lines("HTTP/1.1 200 OK", "Content-Length: 1", "Via: 1.0 footfall"))
  }

  @Test func addsADateWhenToldSo() throws {
    #expect(
      try final(Self.lines("HTTP/1.1 200 OK", "Content-Length: 1"), .length(1), date: "now", via: "f")
        == Self.lines("HTTP/1.1 200 OK", "Content-Length: 1", "Date: now", "Via: 1.1 f"))
    #expect(
      try final(Self.lines("HTTP/1.1 200 OK", "DATE: then", "Content-Length: 1"), .length(1))
        == Self.lines("HTTP/1.1 200 OK", "DATE: then", "Content-Length: 1"))
  }

  @Test(arguments: [
    ("A : 1", "A: 1"), ("A\t \t:1 ", "A:1 "), ("Content-Length : 1", "Content-Length: 1"), ("A :", "A:"),
    ("A : b : c", "A: b : c"),
  ])
  func removesWhiteSpaceBeforeColons(received: String, sent: String) throws {
    #expect(
      try final(Self.lines("HTTP/1.1 200 OK", "B: 2", received, "Keep-Alive: x", "C:3"), .none, method: .head)
        == Self.lines("HTTP/1.1 200 OK", "B: 2", sent, "C:3"))
  }

  @Test func readsWhatStandsBehindASpacedName() throws {
    let message = Self.lines(
      "HTTP/1.1 200 OK", "Connection : x-hop", "X-Hop : 1", "Transfer-Encoding : chunked", "A : 2")
    #expect(
      try final(message, .relayedChunks) == Self.lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "A: 2"))
  }

  @Test func takesFramingOutOfInterimResponses() throws {
    let plain = Self.lines(
      "HTTP/1.1 103 Early Hints", "Link: </a>", "Content-Length: 4", "Trailer: T", "Connection: x", "X: 1")
    let interim = try parsed(plain) { bytes, head, parser in
      try written { ResponseRewriter(via: nil).appendInterim(to: &$0, bytes, head, parser.lines) }
    }
    #expect(interim == Self.lines("HTTP/1.1 103 Early Hints", "Link: </a>"))
  }
}
