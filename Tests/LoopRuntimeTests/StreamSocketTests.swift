import Glibc
import LoopRuntime
import Testing

@Suite struct StreamSocketTests {
  private func pair(_ loop: EventLoop) throws -> (ProbeSocket, ProbeSocket) {
    let (one, other) = try connectedPair()
    return (ProbeSocket(loop, descriptor: one), ProbeSocket(loop, descriptor: other))
  }

  @Test func sendsBothPiecesInOrder() throws {
    let loop = try EventLoop()
    let (one, other) = try pair(loop)
    var received = ""
    other.onReadable = { socket in
      received += socket.text() ?? ""
      if received.utf8.count >= 6 { loop.stop() }
    }
    other.setReading(true)
    let isSent = [UInt8]("abc".utf8).withUnsafeBufferPointer { first in
      [UInt8]("def".utf8).withUnsafeBufferPointer { second in
        first.baseAddress.map { one.send($0, 3, second.baseAddress, 3) }
      }
    }
    #expect(isSent == true)
    #expect(one.pending.isEmpty)
    #expect(loop.runUntilStopped())
    #expect(received == "abcdef")
    one.close()
    other.close()
  }

  @Test func queuesWhatTheKernelDoesNotTakeAndDrainsIt() throws {
    let loop = try EventLoop()
    let (one, other) = try pair(loop)
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    #expect(one.send(Array(bytes[..<1_000_000])))
    #expect(!one.pending.isEmpty)
    #expect(one.isWriting)
    #expect(one.send(Array(bytes[1_000_000..<1_000_001])))
    #expect(one.send(Array(bytes[1_000_001...])))
    var received: [UInt8] = []
    var drains = 0
    one.onDrained = { socket in
      drains += 1
      #expect(socket.pending.isEmpty)
      #expect(!socket.isWriting)
    }
    var buffer = [UInt8](repeating: 0, count: 50_000)
    other.onReadable = { socket in
      let count = buffer.withUnsafeMutableBufferPointer { $0.baseAddress.map { socket.receive($0, 50_000) } ?? 0 }
      if count > 0 { received += buffer[..<count] }
      if received.count == bytes.count { loop.stop() }
    }
    other.setReading(true)
    #expect(loop.runUntilStopped())
    #expect(received == bytes)
    #expect(drains == 1)
    one.close()
    other.close()
  }

  @Test func queuesTheRestOfTwoPieces() throws {
    let loop = try EventLoop()
    let (one, other) = try pair(loop)
    let head = [UInt8](repeating: 1, count: 10)
    let body = [UInt8](repeating: 2, count: 2_000_000)
    let isSent = head.withUnsafeBufferPointer { first in
      body.withUnsafeBufferPointer { second in
        first.baseAddress.map { one.send($0, 10, second.baseAddress, second.count) }
      }
    }
    #expect(isSent == true)
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    other.onReadable = { socket in
      let count = buffer.withUnsafeMutableBufferPointer { $0.baseAddress.map { socket.receive($0, 65_536) } ?? 0 }
      if count > 0 { received += buffer[..<count] }
      if received.count == 2_000_010 { loop.stop() }
    }
    other.setReading(true)
    #expect(loop.runUntilStopped())
    #expect(received == head + body)
    one.close()
    other.close()
  }

  @Test func tellsTheEndAndLetsTheOtherWayGoOn() throws {
    let loop = try EventLoop()
    let (one, other) = try pair(loop)
    one.shutdownWriting()
    var buffer = [UInt8](repeating: 0, count: 10)
    other.onReadable = { socket in
      #expect(buffer.withUnsafeMutableBufferPointer { $0.baseAddress.map { socket.receive($0, 10) } } == 0)
      socket.setReading(false)
      #expect(socket.send(Array("still".utf8)))
    }
    one.onReadable = { socket in
      #expect(socket.text() == "still")
      loop.stop()
    }
    one.setReading(true)
    other.setReading(true)
    #expect(loop.runUntilStopped())
    one.close()
    other.close()
  }

  @Test func tellsWouldBlockAndFailure() throws {
    let loop = try EventLoop()
    let (one, other) = try pair(loop)
    var buffer = [UInt8](repeating: 0, count: 10)
    let nothing = buffer.withUnsafeMutableBufferPointer { $0.baseAddress.map { one.receive($0, 10) } }
    #expect(nothing == SocketOutcome.wouldBlock.rawValue)
    other.close()
    #expect(!one.send([1]))
    one.close()
  }

  @Test func reportsAWriteThatFailsLater() throws {
    let loop = try EventLoop()
    let (one, other) = try pair(loop)
    var failures = 0
    one.onWriteFailed = { socket in
      failures += 1
      #expect(socket.pending.isEmpty)
      socket.close()
      loop.stop()
    }
    #expect(one.send([UInt8](repeating: 1, count: 2_000_000)))
    #expect(!one.pending.isEmpty)
    other.close()
    #expect(loop.runUntilStopped())
    #expect(failures == 1)
  }

  @Test func goesWhenItIsClosedAndNotBefore() throws {
    let loop = try EventLoop()
    var gone = 0
    do {
      let (one, other) = try pair(loop)
      one.onGone = { gone += 1 }
      other.onGone = { gone += 1 }
      other.onReadable = { socket in
        // Closed inside its own callback, twice, with the last reference outside long dropped.
        socket.close()
        socket.close()
        loop.stop()
      }
      other.setReading(true)
      #expect(one.send([1]))
      loop.setDeadline(one, at: EventLoop.nanoseconds() + 60_000_000_000)
      one.close()
    }
    #expect(gone == 1)
    #expect(loop.runUntilStopped())
    #expect(gone == 2)
    #expect(loop.deadlines.count == 0)
  }

  @Test func doesNotCallASocketThatAnotherClosedInTheSameRound() throws {
    let loop = try EventLoop()
    let (one, other) = try pair(loop)
    let (third, fourth) = try pair(loop)
    var calls = 0
    other.onReadable = { socket in
      calls += 1
      socket.close()
      fourth.close()
    }
    fourth.onReadable = { socket in
      calls += 1
      socket.close()
      other.close()
    }
    other.setReading(true)
    fourth.setReading(true)
    #expect(one.send([1]))
    #expect(third.send([1]))
    let end = LoopTimer(loop) { loop.stop() }
    end.start(afterMilliseconds: 50)
    #expect(loop.runUntilStopped())
    #expect(calls == 1)
    // Each holds the other.
    other.onReadable = { _ in }
    fourth.onReadable = { _ in }
    one.close()
    third.close()
  }

  @Test func ignoresWhatIsAskedOfItAfterClose() throws {
    let loop = try EventLoop()
    let (one, other) = try pair(loop)
    other.close()
    one.close()
    one.setReading(true)
    one.setWriting(true)
    #expect(!one.isReading && !one.isWriting && one.isClosed)
  }
}
