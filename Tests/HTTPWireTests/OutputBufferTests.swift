import HTTPWire
import TestKit
import Testing

@Suite struct OutputBufferTests {
  private func text(_ buffer: OutputBuffer) -> String {
    String(decoding: UnsafeBufferPointer(start: buffer.base, count: buffer.count), as: UTF8.self)
  }

  @Test func appendsWhatItIsGiven() {
    var buffer = OutputBuffer(capacity: 64)
    defer { buffer.deallocate() }
    buffer.append("GET ")
    buffer.append(0x2f)
    buffer.append(Array(" HTTP".utf8))
    buffer.append([UInt8]())
    #expect(text(buffer) == "GET / HTTP")
    #expect(!buffer.overflowed)
    buffer.reset()
    #expect(buffer.count == 0)
  }

  @Test(
    arguments: [
      (0, "0"), (7, "7"), (10, "10"), (-1, "-1"), (.max, "9223372036854775807"), (.min, "-9223372036854775808"),
      (65535, "65535"),
    ] as [(Int64, String)])
  func writesDecimals(number: Int64, digits: String) {
    var buffer = OutputBuffer(capacity: digits.utf8.count)
    defer { buffer.deallocate() }
    buffer.append(decimal: number)
    #expect(text(buffer) == digits && !buffer.overflowed)
    var small = OutputBuffer(capacity: digits.utf8.count - 1)
    defer { small.deallocate() }
    small.append(decimal: number)
    #expect(small.count == 0 && small.overflowed)
  }

  @Test(arguments: [(0, "0"), (15, "f"), (16, "10"), (48879, "beef"), (.max, "7fffffffffffffff"), (-1, "0")])
  func writesHexadecimals(number: Int, digits: String) {
    var buffer = OutputBuffer(capacity: 16)
    defer { buffer.deallocate() }
    buffer.append(hexadecimal: number)
    #expect(text(buffer) == digits)
  }

  @Test func writesNothingOfWhatDoesNotFit() {
    var buffer = OutputBuffer(capacity: 4)
    defer { buffer.deallocate() }
    buffer.append("abc")
    buffer.append("de")
    #expect(text(buffer) == "abc" && buffer.overflowed)
    buffer.append(0x64)
    buffer.append(0x65)
    #expect(text(buffer) == "abcd" && buffer.overflowed)
    buffer.reset()
    #expect(!buffer.overflowed)
    buffer.append(buffer.base, -1)
    #expect(buffer.count == 0 && buffer.overflowed)
    let none = OutputBuffer(capacity: -1)
    defer { none.deallocate() }
    #expect(none.capacity == 0)
  }

  /// Every length has its own way of copying; none may touch a byte beyond either end.
  @Test(arguments: 0...80) func copiesEveryLengthExactly(length: Int) throws {
    let source = (0..<length).map { UInt8($0 + 1) }
    let copied = try GuardedBytes.with(source) { from in
      try GuardedBytes.with([0xee] + [UInt8](repeating: 0, count: length)) { into in
        copyShort(UnsafePointer(from.start), to: into.start + 1, length)
        return Array(UnsafeBufferPointer(start: into.start, count: into.count))
      }
    }
    #expect(copied == [0xee] + source)
  }
}
