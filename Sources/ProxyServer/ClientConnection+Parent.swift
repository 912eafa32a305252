import HTTPWire
import LoopRuntime
import ProxyCore

// A tunnel through the parent proxy: CONNECT to it, and its answer (RFC 9110, section 9.3.6).
extension ClientConnection {
  /// Writes the CONNECT for the parent proxy, with what the record needs behind it; false when it does not fit.
  func renderConnect(_ head: RequestHead, _ bytes: Bytes, for parent: ParentProxy) -> Bool {
    let authority = UnsafePointer(worker.subject.base)
    let length = worker.subject.count
    var buffer = worker.takeBuffer(for: head.length + length)
    worker.shared.requestRewriter.appendConnect(
      to: &buffer, bytes, head, worker.requestParser.lines, authority: authority, length, parent: parent)
    if let noted = requestBuffer { worker.giveBack(noted) }
    requestHeadLength = buffer.count
    buffer.append(authority, length)
    requestBuffer = buffer
    return !buffer.overflowed
  }

  /// Sends the CONNECT for the parent proxy; the connection to it stands.
  func askForTunnel(_ dial: Dial, _ connection: UpstreamConnection) {
    guard let buffer = requestBuffer else { return fail(.internalError) }
    dial.stage = .negotiating
    loop.setDeadline(self, at: EventLoop.nanoseconds() &+ settings.timeouts.read)
    connection.phase = .negotiating
    guard connection.send(UnsafePointer(buffer.base), requestHeadLength) else {
      return fail(.connectionLost, detail: dial.place)
    }
    connection.setReading(true)
  }

  /// The parent proxy has answered; what came behind the head belongs to the tunnel.
  func parentAnswered(_ status: Int, _ rest: MutableBytes, _ count: Int) {
    guard let dial else { return fail(.internalError) }
    switch status {
    case 200..<300:
      endDial()
      tunnelStands(behind: rest, count)
    case 407: fail(.parentAuthenticationFailed, detail: dial.place)
    default: fail(.parentRefused, detail: "\(dial.place) answered \(status)")
    }
  }

  /// The parent proxy has not answered as a proxy does.
  func parentFailed(_ error: ProxyError) { fail(error, detail: dial?.place ?? "") }
}

extension UpstreamConnection {
  /// Reads the parent proxy's answer to CONNECT.
  func receiveParentAnswer() {
    guard let client else { return close() }
    let before = partialHead.count
    let received = partialHead.fill(from: self)
    if received == SocketOutcome.wouldBlock.rawValue { return }
    guard received > 0, let bytes = partialHead.bytes else { return client.parentFailed(.connectionLost) }
    let count = partialHead.count
    guard before == 0 || worker.responseParser.isWorthParsing(bytes, count, after: before) else { return }
    var offset = 0
    while true {
      var head = ResponseHead()
      switch worker.responseParser.parseConnectResponse(bytes + offset, count - offset, into: &head) {
      case .incomplete:
        // What has been read is over: an endless row of interim answers must not fill the memory.
        partialHead.keep(bytes + offset, count - offset)
        return
      case .refused: return client.parentFailed(.malformedResponse)
      case .complete:
        offset += head.length
        if head.isInterim {
          interimCount &+= 1
          guard interimCount <= Exchange.interimLimit else { return client.parentFailed(.tooManyInterimResponses) }
          continue
        }
        client.parentAnswered(head.status, bytes + offset, count - offset)
        partialHead.clear()
        return
      }
    }
  }
}
