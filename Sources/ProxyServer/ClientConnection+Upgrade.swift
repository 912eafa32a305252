import HTTPWire
import LoopRuntime
import ProxyCore

// A switch of protocols on a connection that began with HTTP (RFC 9110, section 7.8): the client asks, the origin
// decides, and nothing passes unread before it has.
extension ClientConnection {
  /// Whether a 101 names what was offered to the origin.
  func isOffered(_ bytes: Bytes, _ head: ResponseHead) -> Bool {
    upgrade?.covers(bytes, head, worker.responseParser.lines) ?? false
  }

  /// The origin has switched. `count` bytes are at hand, the head's and what follows it in the new protocol.
  func switched(_ bytes: MutableBytes, _ count: Int, _ head: ResponseHead) {
    worker.output.reset()
    worker.shared.responseRewriter.appendSwitch(
      to: &worker.output, bytes, head, worker.responseParser.lines)
    guard !worker.output.overflowed else { return upstreamRefused(.responseHeadTooLarge) }
    entry.responseBytes += Int64(worker.output.count)
    enterTunnel(status: UInt16(clamping: head.status), behind: bytes + head.length, count - head.length)
  }
}
