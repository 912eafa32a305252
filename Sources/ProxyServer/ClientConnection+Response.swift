import Effects
import Glibc
import HTTPWire
import LoopRuntime
import ProxyCore
import URLRules

// The way back: response heads and bodies, own answers, and the end of an exchange.
extension ClientConnection {
  var delivery: Exchange.Delivery { exchange.delivery }

  /// Bytes came from the origin.
  func answerArrived() {
    progress()
    guard !exchange.answerBegan else { return }
    exchange.answerArrived()
    entry.firstByteMicroseconds = Int64((EventLoop.nanoseconds() &- startedAt) / 1000)
  }

  func receivedHead(_ bytes: Bytes, _ head: ResponseHead) -> Exchange.HeadDecision {
    // What the parent proxy asks of this proxy is not the client's business (RFC 9110, section 11.7.1).
    if head.status == 407, upstream?.origin.kind == .parent { return .refused(.parentAuthenticationFailed) }
    return exchange.received(
      head, isOfferedSwitch: head.status == 101 && isOffered(bytes, head),
      unsentBody: requestChunks == nil ? requestRemaining : nil)
  }

  /// Sends an interim response; false when the client has gone.
  func sendInterim(_ bytes: Bytes, _ head: ResponseHead) -> Bool {
    worker.output.reset()
    worker.shared.responseRewriter.appendInterim(
      to: &worker.output, bytes, head, worker.responseParser.lines)
    return deliver(UnsafePointer(worker.output.base), worker.output.count, nil, 0)
  }

  /// Writes the final head into the worker's output; false when it does not fit.
  func renderHead(
    _ bytes: Bytes, _ head: ResponseHead, _ delivery: Exchange.Delivery, keepsClient: Bool, trailers: TrailerFilter?
  ) -> Bool {
    worker.output.reset()
    worker.shared.responseRewriter.appendFinal(
      to: &worker.output, bytes, head, worker.responseParser.lines, method: exchange.method, delivery: delivery,
      keepsClient: keepsClient, trailers: trailers, date: head.fields.hasDate ? nil : worker.dateLine())
    guard !worker.output.overflowed else { return false }
    exchange.headWasSent()
    entry.status = UInt16(clamping: head.status)
    return true
  }

  /// Sends a head, a body part, or both; false when the client has gone.
  func deliver(_ head: Bytes?, _ headLength: Int, _ body: MutableBytes?, _ bodyLength: Int) -> Bool {
    let sent: Bool
    if let head {
      sent = send(head, headLength, body.map { UnsafePointer($0) }, bodyLength)
    } else if let body, bodyLength > 0 {
      sent = send(UnsafePointer(body), bodyLength)
    } else {
      return true
    }
    entry.responseBytes += Int64(headLength + bodyLength)
    progress()
    if !sent { abandon(.clientClosed) }
    return sent
  }

  /// Notes a part of the body that went through a pipe; false when the client has gone.
  func relayed(_ count: Int, _ isSound: Bool) -> Bool {
    entry.responseBytes += Int64(count)
    progress()
    if !isSound { abandon(.clientClosed) }
    return isSound
  }

  /// The last byte of the response was sent or queued.
  func responseEnded(upstreamIsClean: Bool) {
    let completion = exchange.completed(upstreamIsClean: upstreamIsClean)
    if let upstream {
      self.upstream = nil
      if !completion.keepsUpstream || !upstream.pending.isEmpty {
        upstream.close()
      } else if !upstream.isPersonal {
        upstream.rest()
      } else if completion.keepsClient, !clientEnded {
        reserved = upstream
        upstream.rest(for: self)
      } else {
        upstream.close()
      }
    }
    finishRecord(nil)
    releaseExchange()
    if completion.drains, !clientEnded { return drainRequest() }
    guard completion.keepsClient, !clientEnded || !input.isEmpty else {
      // More than was answered may be on its way, and would reset the connection if it met a closed one.
      return closeWhenSent(lingers: completion.lingers || !input.isEmpty)
    }
    becomeIdle()
  }

  /// Waits for the next request, or takes the one that is already there.
  func becomeIdle() {
    phase = .idle
    // The client takes its answers before it gets more of them: a pipeline must not fill the memory.
    guard pending.isEmpty else {
      setReading(false)
      return progress()
    }
    if !input.isEmpty { return serveInput() }
    if worker.isDraining { return closeWhenSent(lingers: false) }
    loop.setDeadline(self, at: EventLoop.nanoseconds() &+ settings.timeouts.idle)
    setReading(true)
  }

  // MARK: Failing

  /// The origin's stream ended, in order or not.
  func upstreamEnded(cleanly: Bool) { lose(.connectionLost, cleanly: cleanly) }

  /// What the origin sent is not acceptable.
  func upstreamRefused(_ error: ProxyError) { lose(error, cleanly: false) }

  private func lose(_ error: ProxyError, cleanly: Bool) {
    switch exchange.loss(error, cleanly: cleanly, reused: upstream?.isReused ?? false) {
    case .retry: dialAgain()
    case .answer(let error): fail(error)
    case .abort(let error, let reset): abandon(error, reset: reset)
    case .finish:
      if exchange.delivery == .encodedChunks {
        var end = OutputBuffer(capacity: 8)
        defer { end.deallocate() }
        end.append(ChunkedEncoder.end)
        guard deliver(UnsafePointer(end.base), end.count, nil, 0) else { return }
      }
      responseEnded(upstreamIsClean: false)
    }
  }

  /// Answers the exchange at hand with an error, or cuts it off when the answer has begun.
  func fail(_ error: ProxyError, detail: String = "") {
    if exchange.headIsSent { return abandon(error, reset: exchange.delivery.endsWithClose) }
    if let upstream {
      self.upstream = nil
      upstream.close()
    }
    endDial()
    entry.status = UInt16(clamping: error.status)
    if error.blame != .upstream { entry.mode = .local }
    // The connection can go on only if the whole request was read and was sound. After a CONNECT it cannot: what comes
    // next may be meant for the tunnel.
    let keeps =
      exchange.requestIsComplete && exchange.clientMinorVersion == 1 && error.keepsClient && !worker.isDraining
      && exchange.clientAllowsKeepAlive && (exchange.method != .connect || error.blame == .client)
    worker.output.reset()
    ErrorPage.append(
      to: &worker.output, error, date: worker.dateLine(), detail: detail, withoutBody: exchange.method == .head,
      closes: !keeps, challenge: error == .authenticationRequired ? settings.users?.challenge : nil)
    entry.responseBytes = Int64(worker.output.count)
    let sent = send(UnsafePointer(worker.output.base), worker.output.count)
    finishRecord(error)
    releaseExchange()
    guard sent else { return close() }
    if keeps { becomeIdle() } else { closeWhenSent(lingers: true) }
  }

  /// Answers outside of an exchange and ends the connection.
  func answerAndClose(_ error: ProxyError, detail: String) {
    worker.output.reset()
    ErrorPage.append(
      to: &worker.output, error, date: worker.dateLine(), detail: detail, withoutBody: false, closes: true)
    worker.counters.responses[WorkerCounters.slot(.local, status: error.status)] &+= 1
    guard send(UnsafePointer(worker.output.base), worker.output.count) else { return close() }
    closeWhenSent(lingers: true)
  }

  /// Writes the exchange down.
  func finishRecord(_ error: ProxyError?) {
    let duration = (EventLoop.nanoseconds() &- startedAt) / 1000
    entry.durationMicroseconds = Int64(duration)
    entry.error = error
    if let error { worker.counters.errors[Int(error.rawValue)] &+= 1 }
    worker.counters.responses[WorkerCounters.slot(entry.mode, status: Int(entry.status))] &+= 1
    if phase == .tunnel { worker.counters.tunnelsOpen &-= 1 }
    worker.counters.bytesFromClients &+= Int(entry.requestBytes)
    worker.counters.bytesToClients &+= Int(entry.responseBytes)
    worker.counters.durationMicroseconds &+= Int(duration)
    var bucket = 0
    while bucket < WorkerCounters.durationBounds.count, duration > WorkerCounters.durationBounds[bucket] { bucket += 1 }
    worker.counters.durations[bucket] &+= 1

    guard let snapshot, let buffer = requestBuffer else { return }
    switch snapshot.settings.recording {
    case .none: return
    case .matched: if !verdict.effects.contains(.record) { return }
    case .all:
      if !verdict.effects.contains(.record), verdict.prefixNode >= 0 || !verdict.patternRules.isEmpty { return }
    }
    worker.record(
      entry, method: UnsafeBufferPointer(start: buffer.base, count: requestMethodLength),
      url: UnsafeBufferPointer(start: buffer.base + requestHeadLength, count: urlLength),
      rules: snapshot.rules.prefixRules(verdict), moreRules: verdict.patternRules,
      user: snapshot.settings.users == nil ? [] : user,
      snapshot: snapshot)
  }
}
