import CLibevent
import CLinux
import Glibc

/// A pipe through which bytes travel from one socket to another without being copied into the process (splice(2)).
package final class TransferPipe {
  /// What the kernel is asked to let the pipe hold, and the most that is moved at once.
  package static let capacity = 1 << 20

  fileprivate let readEnd: CInt
  fileprivate let writeEnd: CInt
  /// Bytes that are in the pipe.
  package fileprivate(set) var held = 0

  /// A new pipe; nil when the process has no descriptors left or may not have a pipe of that size.
  fileprivate init?() {
    var ends: (CInt, CInt) = (-1, -1)
    let made = withUnsafeMutableBytes(of: &ends) { pipe($0.assumingMemoryBound(to: CInt.self).baseAddress) }
    guard made == 0 else { return nil }
    (readEnd, writeEnd) = ends
    for end in [readEnd, writeEnd] {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    // A pipe of the usual 16 pages costs more calls than copying does.
    guard clinux_set_pipe_size(readEnd, CInt(TransferPipe.capacity)) >= 0 else { return nil }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Takes at most `count` bytes from the socket; their number, 0 at the end of the stream, or a `SocketOutcome`.
  func fill(from descriptor: CInt, _ count: Int) -> Int {
    let moved = splice(from: descriptor, to: writeEnd, count)
    if moved > 0 { held += moved }
    return moved
  }

  /// Hands what it holds to the socket; the number of bytes that the kernel took, or a `SocketOutcome`.
  func drain(to descriptor: CInt) -> Int {
    let moved = splice(from: readEnd, to: descriptor, held)
    if moved > 0 { held -= moved }
    return moved
  }

  private func splice(from: CInt, to: CInt, _ count: Int) -> Int {
    while true {
      let moved = clinux_splice(from, to, UInt(count))
      if moved >= 0 { return moved }
      switch errno {
      case EINTR: continue
      case EAGAIN: return SocketOutcome.wouldBlock.rawValue
      default: return SocketOutcome.failed.rawValue
      }
    }
  }
}

/// The pipes of one loop. A socket has one only while bytes are in it, so a few serve any number of sockets.
package final class TransferPipePool {
  /// Pipes that are kept for the next bytes: each costs two descriptors while it waits.
  package static let spareLimit = 4

  private let limit: Int
  private var spare: [TransferPipe] = []
  private var count = 0

  /// A pool that makes pipes as they are needed, at most so many.
  package init(limit: Int) { self.limit = limit }

  /// An empty pipe; nil when all are in use or none can be made, so that bytes have to be copied.
  package func take() -> TransferPipe? {
    if let pipe = spare.popLast() { return pipe }
    guard count < limit else { return nil }
    guard let pipe = TransferPipe() else { return nil }
    count += 1
    return pipe
  }

  /// Takes a pipe back. One with bytes in it is closed: they belong to a connection that is over. So is one more than
  /// are kept.
  package func giveBack(_ pipe: TransferPipe) {
    if pipe.held == 0, spare.count < TransferPipePool.spareLimit { spare.append(pipe) } else { count -= 1 }
  }

  /// Closes the pipes that wait, for their descriptors; how many there were.
  @discardableResult
  package func closeSpare() -> Int {
    let closed = spare.count
    count -= closed
    spare = []
    return closed
  }
}
