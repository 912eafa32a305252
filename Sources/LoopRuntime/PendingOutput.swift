import CLibevent
import Glibc

/// Bytes that the kernel would not take yet: first those in a pipe, if there is one, then those of one growing block.
/// Pipe and block are given back when empty.
package struct PendingOutput {
  private var block: UnsafeMutablePointer<UInt8>?
  private var offset = 0
  private var capacity = 0
  private var blockCount = 0
  private var pipe: TransferPipe?
  private var pool: TransferPipePool?

  package var isEmpty: Bool { blockCount == 0 && pipe == nil }

  /// The bytes waiting.
  package var count: Int { blockCount + (pipe?.held ?? 0) }

  /// The memory that this costs: the block, and what the pipe holds.
  var held: Int { capacity &+ (pipe?.held ?? 0) }

  /// Sends with the two functions, each of which returns the number of bytes taken or a `SocketOutcome`, until all is
  /// sent (then the answer is 1), nothing is taken, or the connection is broken.
  mutating func flush(to descriptor: CInt, _ write: (UnsafePointer<UInt8>, Int) -> Int) -> Int {
    while let pipe {
      let moved = pipe.drain(to: descriptor)
      if moved <= 0 { return moved }
      if pipe.held == 0 { releasePipe() }
    }
    while blockCount > 0, let block {
      let written = write(UnsafePointer(block + offset), blockCount)
      if written <= 0 { return written }
      consume(written)
    }
    return 1
  }

  /// Takes over a pipe with bytes in it; only when nothing else waits.
  mutating func hold(_ pipe: TransferPipe, of pool: TransferPipePool) {
    self.pipe = pipe
    self.pool = pool
  }

  mutating func append(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
    guard length > 0 else { return }
    if block == nil || offset + blockCount + length > capacity {
      let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: max(blockCount + length, 4096))
      if let block {
        memcpy(grown, block + offset, blockCount)
        block.deallocate()
      }
      capacity = max(blockCount + length, 4096)
      block = grown
      offset = 0
    }
    if let block { memcpy(block + offset + blockCount, bytes, length) }
    blockCount += length
  }

  private mutating func consume(_ length: Int) {
    offset += length
    blockCount -= length
    if blockCount == 0 { releaseBlock() }
  }

  mutating func discard() {
    releasePipe()
    releaseBlock()
  }

  private mutating func releasePipe() {
    if let pipe { pool?.giveBack(pipe) }
    pipe = nil
    pool = nil
  }

  private mutating func releaseBlock() {
    block?.deallocate()
    block = nil
    offset = 0
    blockCount = 0
    capacity = 0
  }
}
