import Glibc
import LoopRuntime
import Testing

@Suite struct TransferPipeTests {
  /// A chain: what `writer` sends arrives at `source`, is relayed to `sink`, and comes out at `reader`.
  private struct Chain {
    let loop: EventLoop
    let writer: ProbeSocket
    let source: ProbeSocket
    let sink: ProbeSocket
    let reader: ProbeSocket

    init() throws {
      loop = try EventLoop()
      let (first, second) = try connectedPair()
      let (third, fourth) = try connectedPair()
      writer = ProbeSocket(loop, descriptor: first)
      source = ProbeSocket(loop, descriptor: second)
      sink = ProbeSocket(loop, descriptor: third)
      reader = ProbeSocket(loop, descriptor: fourth)
    }

    func close() { for socket in [writer, source, sink, reader] { socket.close() } }
  }

  @Test func relaysEveryByteInOrderThroughOnePipe() throws {
    let chain = try Chain()
    let pool = TransferPipePool(limit: 1)
    let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    #expect(chain.writer.send(bytes))
    chain.source.onReadable = { [sink = chain.sink] source in
      guard let pipe = pool.take() else { return source.setReading(false) }
      let (received, isSound) = sink.relay(from: source, TransferPipe.capacity, through: pool, pipe)
      #expect(received > 0 && isSound)
      if !sink.pending.isEmpty { source.setReading(false) }
    }
    chain.sink.onDrained = { [source = chain.source] _ in source.setReading(true) }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 30_000)
    chain.reader.onReadable = { [loop = chain.loop] reader in
      let count = buffer.withUnsafeMutableBufferPointer { $0.baseAddress.map { reader.receive($0, 30_000) } ?? 0 }
      if count > 0 { received += buffer[..<count] }
      if received.count == bytes.count { loop.stop() }
    }
    chain.source.setReading(true)
    chain.reader.setReading(true)
    #expect(chain.loop.runUntilStopped())
    #expect(received == bytes)
    #expect(chain.sink.pending.isEmpty)
    #expect(pool.take() != nil, "the pipe came back")
    chain.close()
  }

  @Test func sendsWhatIsInThePipeBeforeWhatIsSentLater() throws {
    let chain = try Chain()
    let pool = TransferPipePool(limit: 1)
    // More than the kernel takes while nobody reads, so that the pipe keeps some.
    let large = [UInt8](repeating: 7, count: 8_000_000)
    #expect(chain.writer.send(large))
    var relayed = 0
    chain.source.onReadable = { [sink = chain.sink, loop = chain.loop] source in
      guard sink.pending.isEmpty, let pipe = pool.take() else { return loop.stop() }
      relayed += max(sink.relay(from: source, TransferPipe.capacity, through: pool, pipe).received, 0)
    }
    chain.source.setReading(true)
    #expect(chain.loop.runUntilStopped())
    chain.source.setReading(false)
    #expect(chain.sink.pending.count > 0)
    #expect(pool.take() == nil, "its only pipe is in use")
    #expect(chain.sink.send([1, 2, 3]))
    let expected = relayed + 3
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    chain.reader.onReadable = { [loop = chain.loop] reader in
      let count = buffer.withUnsafeMutableBufferPointer { $0.baseAddress.map { reader.receive($0, 65_536) } ?? 0 }
      if count > 0 { received += buffer[..<count] }
      if received.count == expected { loop.stop() }
    }
    chain.reader.setReading(true)
    #expect(chain.loop.runUntilStopped())
    #expect(received.count == expected)
    #expect(received.suffix(4) == [7, 1, 2, 3])
    chain.close()
  }

  @Test func closesAPipeWithBytesOfAConnectionThatIsOver() throws {
    let chain = try Chain()
    let pool = TransferPipePool(limit: 1)
    #expect(chain.writer.send([UInt8](repeating: 7, count: 8_000_000)))
    chain.source.onReadable = { [sink = chain.sink, loop = chain.loop] source in
      guard sink.pending.isEmpty, let pipe = pool.take() else { return loop.stop() }
      _ = sink.relay(from: source, TransferPipe.capacity, through: pool, pipe)
    }
    chain.source.setReading(true)
    #expect(chain.loop.runUntilStopped())
    chain.sink.close()
    let next = try #require(pool.take(), "another may be made in its place")
    #expect(next.held == 0)
    pool.giveBack(next)
    chain.close()
  }

  @Test func tellsTheEndAndNothingToRead() throws {
    let chain = try Chain()
    let pool = TransferPipePool(limit: 1)
    let empty = try #require(pool.take())
    #expect(
      chain.sink.relay(from: chain.source, 100, through: pool, empty).received == SocketOutcome.wouldBlock.rawValue)
    chain.writer.close()
    let same = try #require(pool.take())
    #expect(same === empty)
    #expect(chain.sink.relay(from: chain.source, 100, through: pool, same).received == 0)
    #expect(chain.sink.pending.isEmpty)
    chain.close()
  }

  @Test func makesNoMorePipesThanAllowed() throws {
    let pool = TransferPipePool(limit: 2)
    let first = try #require(pool.take())
    #expect(pool.take() != nil)
    #expect(pool.take() == nil)
    pool.giveBack(first)
    #expect(pool.take() === first)
  }

  @Test func keepsAFewSparePipesAndGivesThemUpWhenAsked() throws {
    let limit = TransferPipePool.spareLimit + 2
    let pool = TransferPipePool(limit: limit)
    for _ in 0..<2 {
      let pipes = try (0..<limit).map { _ in try #require(pool.take()) }
      #expect(pool.take() == nil)
      #expect(pool.closeSpare() == 0, "those in use stay")
      for pipe in pipes { pool.giveBack(pipe) }
      #expect(pool.closeSpare() == TransferPipePool.spareLimit)
      #expect(pool.closeSpare() == 0)
    }
  }
}
