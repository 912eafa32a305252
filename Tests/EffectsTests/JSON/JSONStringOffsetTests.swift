import Effects
import Testing

@Suite struct JSONStringOffsetTests {
  static let cases: [(text: String, offset: Int, column: Int)] = [
    (#""abc""#, 0, 2), (#""abc""#, 2, 4), (#""abc""#, 3, 5), (#""a\\.b""#, 2, 5), (#""a\\.b""#, 3, 6),
    (#""éx""#, 2, 3), (#""éx""#, 1, 2), (#""\u00e9x""#, 2, 8), (#""\u0041x""#, 1, 8), (#""\u20acx""#, 3, 8),
    (#""\ud83d\ude00x""#, 4, 14), (#""😀x""#, 4, 3), (#""abc""#, 99, 1), (#""abc""#, -1, 1), ("12", 1, 1),
  ]

  @Test(arguments: cases)
  func findsWhereAByteWasWritten(_ text: String, _ offset: Int, _ column: Int) throws {
    let bytes = Array("\n \(text)".utf8)
    let node = try #require(JSONReader().read(bytes).root)
    let place = node.position(ofUTF8Offset: offset, in: bytes)
    #expect(place.line == 2)
    #expect(place.column == column + 1)
  }
}
