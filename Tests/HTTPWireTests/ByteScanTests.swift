import TestKit
import Testing

@testable import HTTPWire

/// The word-wise scans against what they stand for, said byte by byte.
@Suite struct ByteScanTests {
  private static let tokens = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  @Test(arguments: UInt8(0)...0xff) func stopsAtTheFirstByteOfTheOtherKind(byte: UInt8) throws {
    for before in 0..<20 {
      for after in [0, 1, 7, 8, 9] {
        let bytes =
          [UInt8](repeating: 0x78, count: before) + [byte] + [UInt8](repeating: 0x79, count: after)
        let (value, target, token) = try GuardedBytes.with(bytes) { guarded in
          (
            ByteScan.endOfValueRun(guarded.start, 0, guarded.count),
            ByteScan.endOfTarget(guarded.start, 0, guarded.count), ByteScan.endOfToken(guarded.start, 0, guarded.count)
          )
        }
        #expect(value == (byte < 0x20 || byte == 0x7f ? before : bytes.count))
        #expect(target == (byte <= 0x20 || byte == 0x7f ? before : bytes.count))
        #expect(token == (Self.tokens.contains(byte) ? bytes.count : before))
      }
    }
  }

  @Test(arguments: [1] as [UInt64]) func agreesWithAByteLoopOnRandomBytes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3000 {
      let bytes = (0..<Int.random(in: 0...30, using: &random)).map { _ -> UInt8 in
        Int.random(in: 0..<8, using: &random) == 0
          ? UInt8.random(in: 0...255, using: &random) : UInt8.random(in: 0x61...0x7a, using: &random)
      }
      let found = try GuardedBytes.with(bytes) { guarded in
        [
          ByteScan.endOfValueRun(guarded.start, 0, guarded.count),
          ByteScan.endOfTarget(guarded.start, 0, guarded.count), ByteScan.endOfToken(guarded.start, 0, guarded.count),
        ]
      }
      #expect(
        found == [
          bytes.firstIndex { $0 < 0x20 || $0 == 0x7f } ?? bytes.count,
          bytes.firstIndex { $0 <= 0x20 || $0 == 0x7f } ?? bytes.count,
          bytes.firstIndex { !Self.tokens.contains($0) } ?? bytes.count,
        ])
    }
  }

  @Test func comparesWithoutRegardToCase() throws {
    func isEqual(_ text: String, _ literal: StaticString) throws -> Bool {
      try GuardedBytes.with(Array(text.utf8)) { equalIgnoringCase($0.start, $0.count, literal) }
    }
    let literals: [StaticString] = [
      "te", "via", "host", "proxy", "expect", "upgrade", "trailer1", "keep-alive", "content-length",
      "proxy-connection", "transfer-encoding", "proxy-authentication-info",
    ]
    for literal in literals {
      let text = literal.description
      #expect(try isEqual(text, literal) && isEqual(text.uppercased(), literal))
      #expect(try !isEqual(text + "x", literal) && !isEqual(String(text.dropLast()), literal))
      for index in text.indices {
        let other = text.replacingCharacters(at: index, with: "~")
        #expect(try !isEqual(other, literal))
      }
    }
  }
}

extension String {
  fileprivate func replacingCharacters(at index: Index, with character: Character) -> String {
    String(self[..<index]) + String(character) + String(self[self.index(after: index)...])
  }
}
