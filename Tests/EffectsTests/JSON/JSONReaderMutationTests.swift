import Effects
import Testing

/// No input makes the reader trap or run away. The seed makes a failure repeatable.
@Suite struct JSONReaderMutationTests {
  private static let text = Array(
    #"""
    {"a": [1, -2.5e3, true, false, null, "x\u00e9\ud83d\ude00\n"], "b": {"c": "é😀", "d": [[], {}]}, // no
      'e': 01, f = NaN, "g": "\ud800", "a": 2,,}
    """#.utf8)

  /// Steele and Vigna's SplitMix64.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var value = state
      value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
      value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
      return value ^ (value >> 31)
    }
  }

  @Test func everyPrefixIsRefusedOrRead() {
    for count in 0...Self.text.count {
      #expect(!JSONReader().read(Array(Self.text.prefix(count))).issues.isEmpty)
    }
  }

  @Test(arguments: 0..<8)
  func mutatedTextsNeverTrap(_ seed: Int) throws {
    var generator = Generator(state: UInt64(seed))
    let alphabet = Array("{}[]:,\"'\\u0dD/*#\n\t\r e+-.tfn\u{1}".utf8) + [0x80, 0xc3, 0xed, 0xf4, 0xff, 0xef]
    for _ in 0..<500 {
      var bytes = Self.text
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        let byte = try #require(alphabet.randomElement(using: &generator))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] = byte
        case 1: bytes.insert(byte, at: place)
        case 2: bytes.remove(at: place)
        default: bytes.insert(contentsOf: bytes[place...].prefix(8), at: place)
        }
      }
      let reading = JSONReader().read(bytes)
      #expect(reading.issues.count <= 101)
      #expect(reading.issues.map(\.position.offset).allSatisfy { $0 <= bytes.count })
      // What is accepted is what the writer writes: a second reading says the same.
      if reading.issues.isEmpty, let value = reading.root?.value {
        #expect(try JSONReader().value(JSONWriter.text(value)) == value)
      }
    }
  }

  @Test func pathologicalTextsTakeLinearTime() {
    for text in ["[", "\"\\", "{\"a\":1 ", "/*", "[1}", "\"a,\n", "1"] {
      let bytes = Array(String(repeating: text, count: 1 << 17).utf8)
      #expect(!JSONReader().read(bytes).issues.isEmpty)
    }
  }
}
