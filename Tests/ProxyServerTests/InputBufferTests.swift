import Glibc
import LoopRuntime
import Testing

@testable import ProxyServer

@Suite struct InputBufferTests {
  private func keep(_ bytes: [UInt8], in buffer: inout InputBuffer) {
    bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { buffer.keep(start, $0.count) } }
  }

  private func contents(_ buffer: InputBuffer) -> [UInt8] {
    buffer.bytes.map { Array(UnsafeBufferPointer(start: $0, count: buffer.count)) } ?? []
  }

  @Test func keepsPartOfItselfFromAnyPlace() throws {
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
    for (start, length) in [(0, 5000), (1, 4999), (2500, 2500), (4999, 1), (100, 3000), (5000, 0)] {
      var buffer = InputBuffer()
      keep(bytes, in: &buffer)
      let place = try #require(buffer.bytes)
      buffer.keep(place + start, length)
      #expect(contents(buffer) == Array(bytes[start..<start + length]))
      #expect(buffer.isEmpty == (length == 0))
      buffer.clear()
    }
  }

  @Test func growsWithoutLosingWhatItHas() throws {
    var pair: [CInt] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
    let socket = StreamSocket(try EventLoop(), descriptor: pair[0])
    defer {
      socket.close()
      close(pair[1])
    }
    var buffer = InputBuffer()
    #expect(buffer.fill(from: socket) == SocketOutcome.wouldBlock.rawValue && buffer.isEmpty)
    var expected: [UInt8] = []
    for round in 0..<50 {
      let piece = [UInt8](repeating: UInt8(round), count: 1 + round * 97)
      #expect(write(pair[1], piece, piece.count) == piece.count)
      expected += piece
      while buffer.count < expected.count { #expect(buffer.fill(from: socket) > 0) }
      #expect(contents(buffer) == expected)
    }
    buffer.clear()
    #expect(buffer.isEmpty && buffer.bytes == nil)
  }

  @Test func replacesWhatItHasByMore() {
    var buffer = InputBuffer()
    keep([1, 2, 3], in: &buffer)
    let larger = [UInt8](repeating: 9, count: 100_000)
    keep(larger, in: &buffer)
    #expect(contents(buffer) == larger)
    keep([7], in: &buffer)
    #expect(contents(buffer) == [7])
    keep([], in: &buffer)
    buffer.clear()
  }
}
