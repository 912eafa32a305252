import Effects
import Glibc
import HTTPWire
import LoopRuntime
import ProxyCore

// A blind tunnel, byte for byte, each direction ending by itself (RFC 9110, section 9.3.6): for CONNECT, and behind a
// switch of protocols.
extension ClientConnection {
  /// Starts to connect a tunnel.
  func beginTunnel(_ head: RequestHead, _ bytes: MutableBytes, _ count: Int) {
    entry.mode = .tunnel
    let subject = UnsafePointer(worker.subject.base)
    var authority = Authority()
    if let fault = TargetParser.parseAuthority(
      bytes + head.targetStart, head.targetLength, subject: &worker.subject, into: &authority)
    {
      noteRequest(bytes + head.start, head.methodLength, url: nil, 0)
      return fail(.malformedTarget, detail: fault.explanation(of: bytes + head.targetStart, head.targetLength))
    }
    noteRequest(bytes + head.start, head.methodLength, url: subject, worker.subject.count)
    // A tunnel has no request body: bytes after the head are the tunnel's (RFC 9110, section 9.3.6).
    guard head.body == .none else { return fail(.malformedRequest, detail: "CONNECT has no body") }
    if head.fields.hasVia,
      RequestInspection(bytes, head, worker.requestParser.lines).viaNames(worker.shared.viaPseudonym)
    {
      return fail(.loopDetected)
    }
    guard settings.tunnelPorts.allow(authority.port) else {
      return fail(.portProhibited, detail: "port \(authority.port)")
    }
    var origin = Origin.tunnel(
      host: OriginTable.hostText(subject, authority.hostStart, authority.hostLength), port: authority.port)
    if let parent = settings.parent {
      switch Route(to: origin.host, literal: origin.literal, port: origin.port, settings) {
      case .direct: break
      case .parent:
        origin = worker.origins.parent(parent)
        guard renderConnect(head, bytes, for: parent) else { return fail(.headTooLarge) }
      case .refused(let error): return fail(error, detail: origin.host)
      }
    }
    input.keep(bytes + head.length, count - head.length)
    dialOrigin(origin)
  }

  /// The far end is connected, and has perhaps sent bytes already.
  func tunnelStands(behind bytes: MutableBytes? = nil, _ count: Int = 0) {
    worker.output.reset()
    worker.output.append("HTTP/1.1 200 Connection Established\r\n\r\n")
    enterTunnel(status: 200, behind: bytes, count)
  }

  /// Answers with the head in the worker's output and the far end's bytes behind it, passes on what the client sent
  /// early, and from here on everything.
  func enterTunnel(status: UInt16, behind bytes: MutableBytes?, _ count: Int) {
    guard let upstream else { return }
    phase = .tunnel
    worker.counters.tunnelsOpen &+= 1
    upstream.becomeTunnel()
    entry.status = status
    exchange.headWasSent()
    guard
      send(UnsafePointer(worker.output.base), worker.output.count, bytes.map { UnsafePointer($0) }, count)
    else { return endTunnel(.clientClosed) }
    entry.responseBytes += Int64(count)
    if let early = input.bytes {
      entry.requestBytes += Int64(input.count)
      guard upstream.send(UnsafePointer(early), input.count) else { return endTunnel(.connectionLost) }
      input.clear()
    }
    tunnelProgress()
    upstream.setReading(pending.isEmpty)
    if clientEnded {
      // What is still pending goes first; `tunnelDrained` ends the direction then.
      if upstream.pending.isEmpty { upstream.shutdownWriting() }
    } else {
      setReading(upstream.pending.isEmpty)
    }
  }

  private func tunnelProgress() { loop.setDeadline(self, at: EventLoop.nanoseconds() &+ settings.timeouts.tunnel) }

  /// Passes on what one end has sent.
  func pump(from source: StreamSocket) {
    guard let upstream else { return endTunnel(.internalError) }
    let fromClient = source === self
    let sink: StreamSocket = fromClient ? upstream : self
    let count: Int
    var isSound = true
    if source.sendsInBulk, sink.pending.isEmpty, let pipe = worker.pipes.take() {
      (count, isSound) = sink.relay(from: source, TransferPipe.capacity, through: worker.pipes, pipe)
    } else {
      count = source.receive(worker.scratch, worker.gauge.readLimit)
      if count > 0 { isSound = sink.send(UnsafePointer(worker.scratch), count) }
    }
    if count == SocketOutcome.wouldBlock.rawValue { return }
    if count < 0 { return endTunnel(fromClient ? .clientClosed : .connectionLost, reset: true) }
    if count == 0 {
      source.setReading(false)
      if fromClient { clientEnded = true } else { upstreamEnded = true }
      if clientEnded, upstreamEnded, pending.isEmpty, upstream.pending.isEmpty { return endTunnel(nil) }
      if sink.pending.isEmpty { sink.shutdownWriting() }
      return
    }
    tunnelProgress()
    if fromClient { entry.requestBytes += Int64(count) } else { entry.responseBytes += Int64(count) }
    source.sendsInBulk = count >= Worker.bulkRead
    guard isSound else {
      return endTunnel(fromClient ? .connectionLost : .clientClosed, reset: true)
    }
    if !sink.pending.isEmpty {
      source.setReading(false)
      worker.lookAtMemory()
    }
  }

  /// One end took everything: its other end may send more, or has ended.
  func tunnelDrained(to sink: StreamSocket) {
    guard let upstream else { return }
    tunnelProgress()
    let towardsClient = sink === self
    let sourceEnded = towardsClient ? upstreamEnded : clientEnded
    guard sourceEnded else { return (towardsClient ? upstream : self).setReading(true) }
    sink.shutdownWriting()
    if clientEnded, upstreamEnded, pending.isEmpty, upstream.pending.isEmpty { endTunnel(nil) }
  }

  func tunnelFailed() { endTunnel(.connectionLost, reset: true) }

  /// Closes both ends and writes the tunnel down.
  func endTunnel(_ error: ProxyError?, reset: Bool = false) {
    finishRecord(error)
    phase = .closing
    close(reset: reset)
  }
}
