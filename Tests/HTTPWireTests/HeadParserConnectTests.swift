import HTTPWire
import Testing

@Suite struct HeadParserConnectTests {
  private func parse(_ text: String, limits: HeadLimits = HeadLimits()) throws -> (ParseOutcome, ResponseHead) {
    let raw = Array(text.utf8)
    return try raw.withUnsafeBufferPointer { buffer in
      var head = ResponseHead()
      let bytes = try #require(buffer.baseAddress)
      return (HeadParser(limits: limits).parseConnectResponse(bytes, buffer.count, into: &head), head)
    }
  }

  @Test(arguments: [
    "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
    "Content-Length: x", "Content-Length: 5\r\nContent-Length: 6", "Transfer-Encoding: \u{1f}x, chunked, chunked",
    "Content-Length: 5", "X: y",
  ])
  func ignoresFramingInA2xx(fields: String) throws {
    let text = "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n"
    let (outcome, head) = try parse(text + "tunnel\r\n\r\nbytes")
    guard !fields.utf8.contains(0x1f) else {
      // A byte that no value may have is no matter of framing.
      #expect(outcome == .refused(.forbiddenByteInValue))
      return
    }
    #expect(outcome == .complete)
    #expect(head.status == 200)
    #expect(head.length == text.utf8.count)
    for end in 1..<text.utf8.count {
      #expect(try parse(String(decoding: text.utf8.prefix(end), as: UTF8.self)).0 == .incomplete)
    }
  }

  @Test func holdsOtherAnswersToTheRules() throws {
    let both = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(try parse("HTTP/1.1 403 No\r\n" + both).0 == .refused(.transferCodingAndContentLength))
    #expect(try parse("HTTP/1.1 200 OK\r\n X: y\r\n\r\n").0 == .refused(.whitespaceBeforeFirstField))
  }

  @Test func holdsA2xxToTheLimit() throws {
    let long = "HTTP/1.1 200 OK\r\nContent-Length: x\r\nX: " + String(repeating: "y", count: 400)
    #expect(try parse(long, limits: HeadLimits(requestLine: 64, head: 256, fields: 10)).0 == .refused(.headTooLarge))
  }
}
