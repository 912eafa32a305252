import Effects
import Foundation
import ProxyConfiguration
import Testing

/// No document makes the loader trap. The seed makes a failure repeatable.
@Suite struct ConfigurationMutationTests {
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

  private static func documents() throws -> [[UInt8]] {
    try ["everything.conftest", "cohorly.conftest", "twenty-mistakes.conftest", "rule-urls.conftest"].map { name in
      let file = try #require(GoldenFileTests.files.first { $0.lastPathComponent == name })
      return Array(try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n----------\n")[0].utf8)
    }
  }

  private func check(_ bytes: [UInt8]) {
    let loaded = ConfigurationLoader.forTests.load(bytes, file: "f")
    let isFatal = loaded.issues.contains { $0.impact == .fatal }
    #expect((loaded.configuration == nil) == isFatal)
    for issue in loaded.issues {
      #expect(issue.position.offset <= bytes.count)
      #expect(!issue.description.utf8.contains { $0 < 0x20 })
    }
  }

  @Test(arguments: 0..<6)
  func mutatedTextsNeverTrap(_ seed: Int) throws {
    var generator = Generator(state: UInt64(seed))
    let alphabet = Array("{}[]:,\"'\\u0dD/*#\n\t e+-.19tfn".utf8) + [0x80, 0xc3, 0xff]
    for document in try Self.documents() {
      for _ in 0..<60 {
        var bytes = document
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          let place = Int.random(in: 0..<bytes.count, using: &generator)
          let byte = try #require(alphabet.randomElement(using: &generator))
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: bytes[place] = byte
          case 1: bytes.insert(byte, at: place)
          case 2: bytes.remove(at: place)
          default: bytes.removeLast(min(bytes.count - 1, place / 8))
          }
        }
        check(bytes)
      }
    }
  }

  @Test(arguments: 0..<6)
  func swappedValuesNeverTrap(_ seed: Int) throws {
    var generator = Generator(state: UInt64(seed))
    let strange: [JSONValue] = [
      nil, true, .integer(.min), .integer(.max), 1e308, -1e-300, "", "\u{0}", "~", "http://", "unix:", "[::]:1", [],
      [[]],
      .object([]), ["": nil], ["regex": "("], ["prefix": "http://[::1"], .string(String(repeating: "x", count: 10_000)),
    ]
    func mutated(_ value: JSONValue) -> JSONValue {
      if Int.random(in: 0..<12, using: &generator) == 0 { return strange.randomElement(using: &generator) ?? nil }
      switch value {
      case .array(let elements): return .array(elements.map(mutated))
      case .object(let members): return .object(members.map { JSONMember($0.name, mutated($0.value)) })
      default: return value
      }
    }
    for bytes in try Self.documents().prefix(2) {
      let document = try JSONReader().value(bytes)
      for _ in 0..<100 { check(Array(JSONWriter.text(mutated(document)).utf8)) }
    }
  }
}
