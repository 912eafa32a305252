import HTTPWire
import LoopRuntime
import ProxyCore

// What is left to do when an answer is complete and the request is not, and when the connection is to end.
extension ClientConnection {
  /// Reads what little is left of a request that was answered early, so that the next one can be found behind it
  /// (RFC 9112, section 9.3). It has one `timeouts.read` for all of it.
  func drainRequest() {
    phase = .draining
    progress()
    setReading(true)
  }

  /// Drops what belongs to the answered request.
  func receiveRest() {
    let count = receive(worker.scratch, Worker.smallRead)
    if count == SocketOutcome.wouldBlock.rawValue { return }
    guard count > 0 else { return close() }
    let dropped = Int(min(Int64(count), requestRemaining))
    requestRemaining -= Int64(dropped)
    input.keep(worker.scratch + dropped, count - dropped)
    if requestRemaining == 0 { becomeIdle() }
  }

  /// Closes once everything has been sent; after an answer to an unfinished request the rest of it is read and
  /// discarded for a while, because closing on unread bytes resets the connection and takes the answer along
  /// (RFC 9112, section 9.6).
  func closeWhenSent(lingers: Bool) {
    phase = lingers ? .lingering : .closing
    loop.setDeadline(self, at: EventLoop.nanoseconds() &+ settings.timeouts.read)
    if lingers {
      input.clear()
      if pending.isEmpty { beginLingering() } else { phase = .closing; lingered = -1 }
    } else if pending.isEmpty {
      close()
    }
    if !isClosed, phase == .closing { setReading(false) }
  }

  func finishClosing() {
    if lingered < 0 { beginLingering() } else { close() }
  }

  private func beginLingering() {
    phase = .lingering
    lingered = 0
    shutdownWriting()
    loop.setDeadline(self, at: EventLoop.nanoseconds() &+ 2_000_000_000)
    setReading(true)
  }

  func receiveAndDiscard() {
    let count = receive(worker.scratch, Worker.largeRead)
    if count == SocketOutcome.wouldBlock.rawValue { return }
    lingered += max(count, 0)
    if count <= 0 || lingered > 16 << 20 { close() }
  }
}
