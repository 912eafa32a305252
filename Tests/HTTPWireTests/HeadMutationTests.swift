import HTTPWire
import TestKit
import Testing

/// Heads damaged at random, from fixed seeds: nothing crashes, nothing is read past the end, and what is accepted
/// holds to the grammar as an independent, naive reading has it.
@Suite struct HeadMutationTests {
  private static let interesting: [UInt8] = [
    0x00, 0x09, 0x0a, 0x0d, 0x0d, 0x0a, 0x20, 0x2c, 0x3a, 0x3b, 0x2f, 0x40, 0x5b, 0x5d, 0x7f, 0x80, 0xff, 0x30, 0x43,
  ]

  private static func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let at = Int.random(in: 0..<bytes.count, using: &random)
      let byte = interesting.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[at] = byte
      case 1: bytes.insert(byte, at: at)
      case 2: bytes.remove(at: at)
      case 3: bytes.removeLast(bytes.count - at)
      default:
        let end = min(at + Int.random(in: 1...20, using: &random), bytes.count)
        bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0...bytes.count, using: &random))
      }
    }
    return bytes
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func acceptsOnlyHeadsThatANaiveReadingReadsAlike(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let requests = SegmentationTests.requests.map { message($0) }
    let responses = SegmentationTests.responses.map { message($0) }
    var accepted = 0
    for _ in 0..<2000 {
      let bytes = Self.mutated(requests.randomElement(using: &random) ?? [], &random)
      let parsed = try parseRequest(bytes)
      if parsed.outcome == .complete {
        accepted += 1
        expectNaive(bytes, from: parsed.head.start, length: parsed.head.length, parsed.fields)
      }
      let answer = Self.mutated(responses.randomElement(using: &random) ?? [], &random)
      let response = try parseResponse(answer)
      if response.outcome == .complete {
        accepted += 1
        expectNaive(answer, from: 0, length: response.head.length, response.fields)
      }
    }
    // Else this would test nothing.
    #expect(accepted > 50)
  }

  @Test(arguments: [5, 6] as [UInt64]) func survivesRandomBytes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let count = Int.random(in: 0...40, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(try parseRequest(bytes).outcome != .complete)
      #expect(try parseResponse(bytes).outcome != .complete)
    }
  }

  /// Splits the head at CRLF and each line at its first colon, and compares.
  private func expectNaive(_ bytes: [UInt8], from start: Int, length: Int, _ fields: [ParsedRequest.Field]) {
    let head = bytes[start..<length]
    #expect(head.suffix(4) == [0x0d, 0x0a, 0x0d, 0x0a])
    var lines: [[UInt8]] = [[]]
    for byte in head {
      if byte == 0x0a {
        #expect(lines[lines.count - 1].last == 0x0d)
        lines[lines.count - 1].removeLast()
        lines.append([])
      } else {
        lines[lines.count - 1].append(byte)
      }
    }
    #expect(!lines.joined().contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f })
    #expect(lines.suffix(2) == [[], []])
    let read = lines.dropFirst().dropLast(2).map { line -> [String] in
      let colon = line.firstIndex(of: 0x3a) ?? 0
      var value = line[(colon + 1)...]
      while let byte = value.first, byte == 0x20 || byte == 0x09 { value.removeFirst() }
      while let byte = value.last, byte == 0x20 || byte == 0x09 { value.removeLast() }
      var name = line[..<colon]
      // A request with white space there is not accepted, and a response is read without it.
      while let byte = name.last, byte == 0x20 || byte == 0x09 { name.removeLast() }
      return [String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)]
    }
    #expect(Array(read) == fields.map { [$0.name, $0.value] })
  }
}
