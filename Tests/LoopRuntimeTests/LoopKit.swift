import Glibc
import LoopRuntime
import Testing

/// A socket of a test that does what its closures say.
final class ProbeSocket: StreamSocket {
  var onReadable: (ProbeSocket) -> Void = { _ in }
  var onDrained: (ProbeSocket) -> Void = { _ in }
  var onWriteFailed: (ProbeSocket) -> Void = { _ in }
  var onDeadline: (ProbeSocket) -> Void = { _ in }
  var onGone: () -> Void = {}

  override func readable() { onReadable(self) }
  override func drained() { onDrained(self) }
  override func writeFailed() { onWriteFailed(self) }
  override func deadlineReached() { onDeadline(self) }
  deinit { onGone() }

  /// Everything at hand, as text; nil at the end of the stream or when nothing is there.
  func text() -> String? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = buffer.withUnsafeMutableBufferPointer { $0.baseAddress.map { receive($0, 65_536) } ?? 0 }
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }

  func send(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { send($0, buffer.count) } ?? true }
  }
}

/// Two ends of a connection, non-blocking.
func connectedPair() throws -> (CInt, CInt) {
  var descriptors: [CInt] = [-1, -1]
  let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
  try #require(socketpair(AF_UNIX, kind, 0, &descriptors) == 0)
  return (descriptors[0], descriptors[1])
}

extension EventLoop {
  /// Runs on the calling thread until `stop()`, but not longer than ten seconds; false when the time was over.
  func runUntilStopped() -> Bool {
    var isInTime = true
    let limit = LoopTimer(self) { [unowned self] in
      isInTime = false
      stop()
    }
    limit.start(afterMilliseconds: 10_000)
    run()
    return isInTime
  }
}
