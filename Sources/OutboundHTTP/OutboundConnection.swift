import Effects
import Glibc
import HTTPWire
import LoopRuntime

/// A connection to an origin: on its way, serving one exchange, or idle; on the loop's thread.
final class OutboundConnection: StreamSocket {
  private enum Phase { case connecting, serving, idle }

  /// What became of a request that was handed over.
  enum Sending {
    /// The connection is broken, and no byte was put on it.
    case untouched
    /// Bytes have been given to the kernel.
    case begun
    /// All bytes wait for the kernel.
    case waiting
  }

  let endpoint: Endpoint
  let origin: OutboundOrigin
  private unowned let engine: OutboundEngine
  private var exchange: OutboundExchange?
  private var phase = Phase.connecting
  /// The connection has served another request before.
  private(set) var isReused = false
  /// The connection counts among those of its origin, until it is closed.
  var holdsRoom = false
  private var cannotSend = false

  init(
    _ engine: OutboundEngine, descriptor: CInt, to endpoint: Endpoint, of origin: OutboundOrigin,
    for exchange: OutboundExchange
  ) {
    self.engine = engine
    self.endpoint = endpoint
    self.origin = origin
    self.exchange = exchange
    super.init(engine.loop, descriptor: descriptor)
    setWriting(true)
  }

  override func close(reset: Bool = false) {
    guard !isClosed else { return }
    exchange = nil
    if phase == .idle { origin.remove(self) }
    super.close(reset: reset)
    guard holdsRoom else { return }
    holdsRoom = false
    origin.release()
    engine.tidy(origin)
  }

  // MARK: The pool

  /// Lies down until the next request, the idle time or the peer's end.
  func rest() {
    exchange = nil
    guard !isClosed, pending.isEmpty, !cannotSend, engine.keep(self) else { return end() }
    phase = .idle
    isReused = true
    loop.setDeadline(
      self, at: EventLoop.nanoseconds() &+ UInt64(clamping: engine.options.idleMilliseconds) &* 1_000_000)
    origin.serve()
  }

  /// Takes up an exchange; the connection is not idle any more.
  func wake(for exchange: OutboundExchange) {
    self.exchange = exchange
    phase = .serving
    loop.clearDeadline(self)
  }

  /// Whether another request may be sent: the peer has neither ended the connection nor said anything unasked.
  var isUsable: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count < 0 && errno == EAGAIN
  }

  /// Closes as one who has nothing more to say.
  func end() { close() }

  override func deadlineReached() { if phase == .idle { end() } }

  // MARK: Sending

  override func writable() {
    guard phase == .connecting else {
      if !pending.isEmpty { exchange?.requestMoved() }
      return flushPending()
    }
    guard let exchange else { return close() }
    if let failure = Dialer.outcome(descriptor) { return exchange.attemptFailed(self, failure) }
    setWriting(false)
    phase = .serving
    setReading(true)
    exchange.connected(self)
  }

  /// Sends a request.
  func send(_ bytes: [UInt8]) -> Sending {
    let isSound = bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { super.send($0, buffer.count) } ?? true
    }
    guard isSound else { return .untouched }
    return pending.count < bytes.count ? .begun : .waiting
  }

  // What the peer has said before it closed is still there to be read, and so is the end or the error.
  override func writeFailed() { cannotSend = true }

  // MARK: Receiving

  override func readable() {
    guard phase == .serving, let exchange else { return end() }
    let bytes = engine.scratch
    let count = receive(bytes, OutboundEngine.readSize)
    switch count {
    case SocketOutcome.wouldBlock.rawValue: return
    case SocketOutcome.failed.rawValue: exchange.streamBroke("the connection was reset")
    case 0: exchange.streamEnded()
    default: exchange.received(bytes, count)
    }
  }
}
