import Effects
import Glibc
import HTTPWire
import LoopRuntime
import ProxyCore
import URLRules

// What follows the head of a request: its body and trailers, passed on as the origin takes them.
extension ClientConnection {
  /// Sends the head and as much of the body as is at hand; the connection stands.
  func sendRequest(with bytes: MutableBytes, _ count: Int) {
    guard let buffer = requestBuffer, let upstream else { return }
    phase = .exchanging
    if exchange.authenticatesConnection { upstream.isPersonal = true }
    noteInjections()
    progress()
    if exchange.requestIsComplete {
      input.keep(bytes, count)
      let sent = upstream.send(UnsafePointer(buffer.base), requestHeadLength)
      upstream.setReading(true)
      if !sent { requestUnsendable() } else { setReading(true) }
      return
    }
    // What the body before was like says nothing of this one, and its beginning is noticed where bytes are read.
    sendsInBulk = false
    uploadPace.start(at: EventLoop.nanoseconds(), patience: settings.timeouts.read)
    guard let body = nextBody(bytes, count) else { return }
    let sent = upstream.send(UnsafePointer(buffer.base), requestHeadLength, UnsafePointer(bytes), body.length)
    upstream.setReading(true)
    if exchange.awaitsContinue { awaitExpectation(upstream) }
    afterBody(sent, bytes + body.used, count - body.used)
  }

  /// From here on the injected fields are on their way; a retry sends the same ones.
  private func noteInjections() {
    guard entry.effects == 0, let snapshot else { return }
    entry.effects = verdict.effects.rawValue
    for (index, injection) in snapshot.injections.enumerated() where verdict.effects.contains(injection.effect) {
      worker.counters.injected[index] &+= 1
    }
  }

  /// Sends more of the body.
  func forwardBody(_ bytes: MutableBytes, _ count: Int) {
    guard let upstream, let body = nextBody(bytes, count) else { return }
    let sent = body.length == 0 || upstream.send(UnsafePointer(bytes), body.length)
    afterBody(sent, bytes + body.used, count - body.used)
  }

  /// Takes what belongs to the body out of the bytes: `length` bytes, to be sent from the same place, made of the first
  /// `used` ones. Nil when the exchange has failed.
  private func nextBody(_ bytes: MutableBytes, _ count: Int) -> (length: Int, used: Int)? {
    let body: (length: Int, used: Int)
    if requestChunks != nil {
      guard let result = requestChunks?.process(bytes, count) else { return nil }
      if let fault = result.fault {
        fail(.malformedRequest, detail: fault.explanation)
        return nil
      }
      body = (result.produced, result.consumed)
      if let limit = settings.limits.requestBody, let stream = requestChunks, stream.payloadBytes > limit {
        fail(.bodyTooLarge)
        return nil
      }
      if requestChunks?.isFinished ?? false { exchange.requestEnded() }
    } else {
      let length = Int(min(Int64(count), requestRemaining))
      body = (length, length)
      requestRemaining -= Int64(length)
      if requestRemaining == 0 { exchange.requestEnded() }
    }
    entry.requestBytes += Int64(body.used)
    if body.used > 0, exchange.awaitsContinue { exchange.requestBodyBegan() }
    return body
  }

  /// Goes on after body bytes were sent, or could not be; the bytes behind them are kept for the next request.
  private func afterBody(_ sent: Bool, _ rest: MutableBytes, _ restCount: Int) {
    guard phase == .exchanging else { return }
    input.keep(rest, restCount)
    guard sent else { return requestUnsendable() }
    if exchange.requestIsComplete, let section = requestChunks?.trailerSection {
      let trailer = trailerToSend(section)
      requestChunks = nil
      let delivered = trailer.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { buffer.isEmpty || (upstream?.send($0, buffer.count) ?? false) } ?? true
      }
      guard delivered else { return requestUnsendable() }
    }
    // The client had finished sending before the connection to the origin stood, and not with the end of the body.
    if clientEnded, !exchange.requestIsComplete { return abandon(.clientClosed) }
    setReading(exchange.requestIsComplete || upstream?.pending.isEmpty ?? true)
  }

  /// Gives the origin a while to answer an expectation, or to refuse it.
  private func awaitExpectation(_ upstream: UpstreamConnection) {
    loop.setDeadline(upstream, at: EventLoop.nanoseconds() &+ settings.timeouts.expectation)
  }

  /// The origin has said nothing for that while: it may not know expectations, and the client may wait for ever.
  func originIsSilent() {
    guard phase == .exchanging, exchange.originIsSilent() else { return }
    worker.output.reset()
    worker.output.append("HTTP/1.1 100 Continue\r\n\r\n")
    _ = deliver(UnsafePointer(worker.output.base), worker.output.count, nil, 0)
  }

  /// The origin's connection took everything: the client may send more.
  func requestDrained() {
    guard phase == .exchanging else { return }
    progress()
    uploadPace.resume(at: EventLoop.nanoseconds())
    setReading(true)
  }

  /// The origin's connection took some.
  func requestMoved() {
    if phase == .exchanging { progress() }
  }

  /// The origin takes no more of the request. Its answer may still be on the way.
  func requestUnsendable() {
    guard phase == .exchanging else { return }
    setReading(false)
  }

  /// What is sent of a trailer section: all that was kept, or its empty line alone.
  func trailerToSend(_ section: [UInt8]) -> [UInt8] {
    section.isEmpty || settings.trailers == .forward ? section : [0x0d, 0x0a]
  }
}
