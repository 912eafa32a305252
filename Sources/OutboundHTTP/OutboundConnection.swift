import Effects
import Glibc
import HTTPWire
import LoopRuntime
import TLSEngine

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
  /// What encrypts; nil without TLS.
  private var tls: TLSSession?

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
    let isSound = !isClosed && pending.isEmpty && !cannotSend && (tls.map { $0.phase == .established } ?? true)
    guard isSound, engine.keep(self) else { return end() }
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
    if let tls, tls.hasPartialRecord { return false }
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count < 0 && errno == EAGAIN
  }

  /// Closes as one who has nothing more to say.
  func end() {
    if let tls, !isClosed, !cannotSend, pending.isEmpty {
      tls.finish()
      sendOutput(of: tls)
    }
    close()
  }

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

  /// Begins to speak TLS with that host.
  func secure(_ context: TLSContext, host: String) throws(TLSFault) {
    let session = try TLSSession(client: context, host: host)
    tls = session
    try session.start()
    sendOutput(of: session)
  }

  /// Sends a request.
  func send(_ bytes: [UInt8]) -> Sending {
    guard let tls else {
      let isSound = bytes.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { super.send($0, buffer.count) } ?? true
      }
      return sending(isSound, bytes.count)
    }
    do throws(TLSFault) { try tls.encrypt(bytes) } catch {
      cannotSend = true
      return .untouched
    }
    let result = tls.takeOutput { bytes, count in sending(super.send(bytes, count), count) }
    return result ?? .untouched
  }

  private func sending(_ isSound: Bool, _ count: Int) -> Sending {
    guard isSound else {
      cannotSend = true
      return .untouched
    }
    return pending.count < count ? .begun : .waiting
  }

  private func sendOutput(of session: TLSSession) {
    let isSound = session.takeOutput { bytes, count in super.send(bytes, count) }
    if isSound == false { cannotSend = true }
  }

  // What the peer has said before it closed is still there to be read, and so is the end or the error.
  override func writeFailed() { cannotSend = true }

  // MARK: Receiving

  override func readable() {
    guard phase == .serving || phase == .idle && tls != nil else { return end() }
    let count = receive(engine.scratch, OutboundEngine.readSize)
    if count == SocketOutcome.wouldBlock.rawValue { return }
    if let tls { return receive(count, through: tls) }
    switch count {
    case SocketOutcome.failed.rawValue: exchange?.streamBroke("the connection was reset")
    case 0: exchange?.streamEnded()
    default: exchange?.received(engine.scratch, count)
    }
  }

  private func receive(_ count: Int, through tls: TLSSession) {
    guard count > 0 else {
      guard let exchange else { return end() }
      if count < 0 { return exchange.streamBroke("the connection was reset") }
      if let fault = tls.inputEnded() { return exchange.secureChannelFailed(fault) }
      return exchange.streamEnded()
    }
    let wasSecured = tls.phase != .handshaking
    // The room takes all that so much ciphertext can hold, so that whoever is served next never gets a rest of it.
    let result = tls.receive(engine.scratch, count, into: engine.plaintext, OutboundEngine.plaintextSize)
    // The request goes with the last words of the handshake.
    if !wasSecured, tls.phase != .handshaking, result.fault == nil { exchange?.secured() }
    sendOutput(of: tls)
    guard let exchange else {
      // Nothing may come without a request but what TLS says to itself.
      if result.produced > 0 || result.fault != nil || tls.phase != .established { end() }
      return
    }
    if result.produced > 0 {
      exchange.received(engine.plaintext, result.produced)
      // It may be over, or another one's turn, to whom none of this belongs.
      guard self.exchange === exchange, !isClosed else { return }
    }
    if let fault = result.fault {
      exchange.secureChannelFailed(fault)
    } else if tls.phase == .ended {
      exchange.streamEnded()
    }
  }
}
