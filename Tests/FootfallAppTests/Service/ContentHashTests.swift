import Testing

@testable import FootfallApp

@Suite struct ContentHashTests {
  // The reference values of the authors of FNV-1a for 64 bits.
  @Test(arguments: [
    ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
  ])
  func isFNV1a(_ text: String, _ hash: String) {
    #expect(ContentHash.text(Array(text.utf8)) == hash)
  }

  @Test func alwaysHasSixteenDigits() {
    for number in 0..<5_000 {
      let hash = ContentHash.text(Array("\(number)".utf8))
      #expect(hash.utf8.count == 16)
      #expect(UInt64(hash, radix: 16) != nil)
    }
  }

  @Test func tellsTextsApart() {
    let hashes = Set((0..<1_000).map { ContentHash.text([UInt8](repeating: 0x20, count: $0)) })
    #expect(hashes.count == 1_000)
  }
}
