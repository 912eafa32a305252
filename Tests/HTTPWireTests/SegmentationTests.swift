import HTTPWire
import TestKit
import Testing

/// However a head is cut, it is read alike: a prefix is incomplete or refused as the whole is, never complete.
@Suite struct SegmentationTests {
  static let requests: [String] =
    [
      "GET http://h.example/a?b HTTP/1.1¶Host: h.example¶User-Agent: some client 1.0¶Accept: */*¶¶",
      "¶¶POST http://[::1]:8080/ HTTP/1.1¶Host: [::1]:8080¶Connection: a, close¶Transfer-Encoding: chunked¶¶",
      "CONNECT h:443 HTTP/1.1¶Host: h:443¶Proxy-Connection: keep-alive¶Expect: 100-continue¶¶early",
      "GET / HTTP/1.0¶Content-Length: 12¶¶",
      "GET / HTTP/1.1¶X: y¶¶",
    ] + HeadParserTests.faultyFields.map { "GET / HTTP/1.1¶" + $0.0 + "¶¶" }
    + StartLineTests.faultyRequestLines.map { $0.0 + "¶Host: h¶¶" }
    + FieldDigestReadingTests.invalidHosts.map { "GET / HTTP/1.1¶Host: \($0)¶¶" }
    + FieldDigestReadingTests.faultyLengths.map { "GET / HTTP/1.1¶Content-Length: \($0)¶¶" }
    + FieldDigestReadingTests.otherCodings.map { "GET / HTTP/1.1¶Host: h¶Transfer-Encoding: \($0.0)¶¶" }
    + FieldDigestReadingTests.bothFramings.map { "GET / HTTP/1.1¶Host: h¶" + $0 + "¶¶" }

  static let responses: [String] =
    [
      "HTTP/1.1 200 OK¶Server: s¶Content-Length: 3, 3¶Connection: keep-alive¶¶abc", "HTTP/1.0 304¶¶",
      "HTTP/1.1 100 Continue¶¶HTTP/1.1 200 OK¶¶",
    ] + StartLineTests.faultyStatusLines.map { $0.0 + "¶¶" }
    + HeadParserTests.faultyFields.map { "HTTP/1.1 200 OK¶" + $0.0 + "¶¶" }
    + FieldDigestReadingTests.faultyResponseLengths.map { "HTTP/1.1 200 OK¶Content-Length: " + $0.0 + "¶¶" }

  @Test(arguments: requests) func readsARequestAlikeHoweverItIsCut(text: String) throws {
    try expectOneOutcome(message(text), limits: HeadLimits()) { try parseRequest($0, limits: $1) }
    // With limits that bite, the fault that comes first still wins at every cut.
    try expectOneOutcome(message(text), limits: HeadLimits(requestLine: 24, head: 60, fields: 2)) {
      try parseRequest($0, limits: $1)
    }
  }

  @Test(arguments: responses) func readsAResponseAlikeHoweverItIsCut(text: String) throws {
    let parse = { (bytes: [UInt8], limits: HeadLimits) in
      let parsed = try parseResponse(bytes, limits: limits)
      var one = ParsedRequest(outcome: parsed.outcome, fields: parsed.fields, target: parsed.reason)
      one.head.length = parsed.head.length
      return one
    }
    try expectOneOutcome(message(text), limits: HeadLimits(), parse)
    try expectOneOutcome(message(text), limits: HeadLimits(requestLine: 24, head: 60, fields: 2), parse)
  }
}

func expectOneOutcome(
  _ bytes: [UInt8], limits: HeadLimits, _ parse: ([UInt8], HeadLimits) throws -> ParsedRequest
) throws {
  let whole = try parse(bytes, limits)
  var decided = false
  for cut in 0..<bytes.count {
    let part = try parse(Array(bytes[..<cut]), limits)
    switch part.outcome {
    case .incomplete:
      #expect(!decided, "undecided again at \(cut)")
      #expect(whole.outcome != .complete || cut < whole.head.length)
      #expect(cut <= limits.head)
    case .refused:
      decided = true
      #expect(part.outcome == whole.outcome, "at \(cut)")
    case .complete:
      decided = true
      #expect(part == whole, "at \(cut)")
      #expect(cut >= part.head.length)
    }
  }
}
