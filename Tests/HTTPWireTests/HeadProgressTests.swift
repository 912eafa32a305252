import HTTPWire
import Testing

@Suite struct HeadProgressTests {
  /// Feeds the bytes one by one, parsing only when told to; the outcome, when it came, and the number of parses.
  private func feed(_ bytes: [UInt8], limits: HeadLimits = HeadLimits()) -> (ParseOutcome, at: Int, parses: Int) {
    let parser = HeadParser(limits: limits)
    return bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return (.incomplete, 0, 0) }
      var head = RequestHead()
      var parses = 0
      for count in 1...buffer.count where parser.isWorthParsing(start, count, after: count - 1) {
        parses += 1
        let outcome = parser.parseRequest(start, count, into: &head)
        if outcome != .incomplete { return (outcome, count, parses) }
      }
      return (.incomplete, buffer.count, parses)
    }
  }

  @Test func completesAtTheLastByteWithAFewParsesPerLine() {
    let bytes = message("GET http://h/ HTTP/1.1¶Host: h¶X:\ta\tb¶" + String(repeating: "Y: z¶", count: 20) + "¶")
    let result = feed(bytes)
    #expect(result.0 == .complete && result.at == bytes.count)
    #expect(result.parses <= 2 * 24 + 1)
  }

  @Test func parsesOncePerKibibyteOfOneLongValue() {
    let bytes = message("GET / HTTP/1.1¶Host: h¶X: ") + [UInt8](repeating: 0x61, count: 60000) + message("¶¶")
    let result = feed(bytes)
    #expect(result.0 == .complete && result.at == bytes.count)
    #expect(result.parses < 75)
  }

  @Test func refusesAtMostOneKibibyteLate() {
    let faulty = message("GET / HTTP/1.1¶Host: h¶X Y: ") + [UInt8](repeating: 0x61, count: 5000)
    let result = feed(faulty)
    #expect(result.0 == .refused(.whitespaceBeforeColon) && result.at <= 26 + 1024)
    let control = feed(message("GET / HTTP/1.1¶Host: h\u{0}") + [UInt8](repeating: 0x61, count: 5000))
    #expect(control.0 == .refused(.forbiddenByteInValue) && control.at == 24)
    let large = feed([UInt8](repeating: 0x61, count: 300), limits: HeadLimits(requestLine: 1000, head: 200))
    #expect(large.0 == .refused(.headTooLarge) && large.at == 201)
  }

  @Test func isNotWorthItWithoutNewBytes() {
    let parser = HeadParser()
    let bytes = message("GET ")
    bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      #expect(!parser.isWorthParsing(start, 0, after: 0))
      #expect(!parser.isWorthParsing(start, 4, after: 4))
      #expect(parser.isWorthParsing(start, 4, after: 0))
      #expect(!parser.isWorthParsing(start, 4, after: 2))
    }
  }
}
