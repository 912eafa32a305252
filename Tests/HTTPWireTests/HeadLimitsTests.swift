import HTTPWire
import TestKit
import Testing

/// Limits are exact: what fills them passes, one more is refused, and refused before the rest has arrived.
@Suite struct HeadLimitsTests {
  private let limits = HeadLimits(requestLine: 64, head: 256, fields: 4)

  /// A request whose line has `length` bytes.
  private func request(lineLength length: Int) -> String {
    "GET /" + String(repeating: "a", count: length - 14) + " HTTP/1.1"
  }

  @Test func refusesARequestLineAboveTheLimitAsTargetTooLong() throws {
    #expect(request(lineLength: 64).utf8.count == 64)
    #expect(try parseRequest(request(lineLength: 64) + "¶Host: h¶¶", limits: limits).outcome == .complete)
    for length in 65...80 {
      #expect(
        try parseRequest(request(lineLength: length) + "¶Host: h¶¶", limits: limits).outcome == .refused(.targetTooLong)
      )
    }
  }

  @Test func refusesAnEndlessRequestLineWithoutWaitingForItsEnd() throws {
    let endless = "GET /" + String(repeating: "a", count: 60)
    #expect(try parseRequest(String(endless.prefix(64)), limits: limits).outcome == .incomplete)
    #expect(try parseRequest(String(endless.prefix(65)), limits: limits).outcome == .refused(.targetTooLong))
    let method = String(repeating: "M", count: 65)
    #expect(try parseRequest(String(method.prefix(64)), limits: limits).outcome == .incomplete)
    #expect(try parseRequest(method, limits: limits).outcome == .refused(.targetTooLong))
  }

  @Test func doesNotCountEmptyLinesBeforeTheRequestLine() throws {
    #expect(try parseRequest("¶¶" + request(lineLength: 64) + "¶Host: h¶¶", limits: limits).outcome == .complete)
  }

  @Test func refusesMoreEmptyLinesThanFour() throws {
    #expect(try parseRequest("¶¶¶¶GET / HTTP/1.0¶¶").outcome == .complete)
    #expect(try parseRequest("¶¶¶¶").outcome == .incomplete)
    #expect(try parseRequest("¶¶¶¶\r").outcome == .refused(.malformedRequestLine))
  }

  /// A response head of `length` bytes in one field.
  private func response(headLength length: Int) -> [UInt8] {
    let start = message("HTTP/1.1 200 OK¶X: ")
    return start + [UInt8](repeating: 0x61, count: length - start.count - 4) + message("¶¶")
  }

  @Test func refusesAHeadAboveTheLimit() throws {
    #expect(try parseResponse(response(headLength: 256), limits: limits).outcome == .complete)
    #expect(try parseResponse(response(headLength: 257), limits: limits).outcome == .refused(.headTooLarge))
    let request = message("GET / HTTP/1.1¶Host: h¶X: ") + [UInt8](repeating: 0x61, count: 300)
    #expect(try parseRequest(Array(request.prefix(256)), limits: limits).outcome == .incomplete)
    #expect(try parseRequest(Array(request.prefix(257)), limits: limits).outcome == .refused(.headTooLarge))
  }

  @Test func looksForFaultsOnlyInsideTheLimit() throws {
    var bytes = response(headLength: 300)
    bytes[270] = 0
    #expect(try parseResponse(bytes, limits: limits).outcome == .refused(.headTooLarge))
    bytes[200] = 0
    #expect(try parseResponse(bytes, limits: limits).outcome == .refused(.forbiddenByteInValue))
  }

  @Test func refusesTheFirstByteOfAFieldTooMany() throws {
    let four = "GET / HTTP/1.1¶Host: h¶A: 1¶B: 2¶C: 3¶"
    #expect(try parseRequest(four + "¶", limits: limits).outcome == .complete)
    #expect(try parseRequest(four + "D", limits: limits).outcome == .refused(.tooManyFields))
    #expect(try parseRequest(four + "D: 4¶¶", limits: limits).outcome == .refused(.tooManyFields))
  }

  @Test func hasTheDocumentedDefaults() throws {
    #expect(HeadLimits() == HeadLimits(requestLine: 8192, head: 65536, fields: 100))
    let line = "GET /" + String(repeating: "a", count: 8192 - 14) + " HTTP/1.1"
    #expect(try parseRequest(line + "¶Host: h¶¶").outcome == .complete)
    let fields = (0..<99).map { "F\($0): v¶" }.joined()
    #expect(try parseRequest("GET / HTTP/1.1¶Host: h¶" + fields + "¶").outcome == .complete)
    #expect(try parseRequest("GET / HTTP/1.1¶Host: h¶F: v¶" + fields + "¶").outcome == .refused(.tooManyFields))
    #expect(try parseResponse(response(headLength: 65536)).outcome == .complete)
    #expect(try parseResponse(response(headLength: 65537)).outcome == .refused(.headTooLarge))
  }

  @Test(arguments: [Int.min, -1, 0, 1, Int.max]) func survivesAbsurdLimits(limit: Int) throws {
    let limits = HeadLimits(requestLine: limit, head: limit, fields: min(limit, 1000))
    let outcome = try parseRequest("GET / HTTP/1.1¶Host: h¶¶", limits: limits).outcome
    #expect(limit == Int.max ? outcome == .complete : outcome != .complete)
  }

  @Test func answersFaultsWithTheirStatus() {
    #expect(WireFault.targetTooLong.requestStatus == 414)
    #expect(WireFault.headTooLarge.requestStatus == 431)
    #expect(WireFault.tooManyFields.requestStatus == 431)
    #expect(WireFault.unsupportedVersion.requestStatus == 505)
    #expect(WireFault.unsupportedTransferCoding.requestStatus == 501)
    #expect(WireFault.malformedTransferCoding.requestStatus == 400)
    #expect(WireFault.missingHost.requestStatus == 400)
  }
}
