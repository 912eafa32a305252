import Effects
import Glibc
import HTTPWire
import LoopRuntime
import ProxyCore
import URLRules

// Starting an exchange: the target, the verdict, the head for the origin, and the body behind it.
extension ClientConnection {
  /// Starts the exchange of a complete head; `count` bytes are at hand, the head's and what follows it.
  func begin(
    _ head: RequestHead, _ bytes: MutableBytes, _ count: Int, _ snapshot: InjectionSnapshot, _ now: Int64
  ) {
    if snapshot.checksRequests, !admits(head, bytes, count, snapshot, now) { return }
    self.snapshot = snapshot
    startedAt = EventLoop.nanoseconds()
    exchange = Exchange(head, keepsAlive: !worker.isDraining)
    upstreamEnded = false
    entry = RecordBatch.Entry()
    entry.startedAtMilliseconds = now
    entry.requestBytes = Int64(head.length)
    verdict = Verdict()
    urlLength = 0
    requestHeadLength = 0
    requestMethodLength = head.methodLength
    phase = .connecting
    worker.counters.requests &+= 1

    if head.method == .connect { return beginTunnel(head, bytes, count) }
    var target = CanonicalURL()
    if let fault = TargetParser.parseAbsolute(
      bytes + head.targetStart, head.targetLength, fragment: .refuse, subject: &worker.subject, into: &target)
    {
      noteRequest(bytes + head.start, head.methodLength, url: nil, 0)
      return fail(targetError(fault, bytes + head.targetStart, head.targetLength), detail: fault.explanation)
    }
    let subject = UnsafePointer(worker.subject.base)
    let lines = worker.requestParser.lines
    let inspection = RequestInspection(bytes, head, lines)
    let isWebSocket = head.fields.hasUpgrade && inspection.asksForWebSocket
    if !isWebSocket { verdict = snapshot.rules.verdict(subject, target) }
    countRules()

    if let error = refusal(of: head, target, inspection) {
      noteRequest(bytes + head.start, head.methodLength, url: subject, recordedLength(target))
      return fail(error)
    }
    var maxForwards: Int64?
    if head.fields.maxForwardsIndex >= 0, head.method == .trace || head.method == .options,
      let hops = inspection.maxForwards
    {
      if hops == 0 { return answerLocally(head, bytes, count, target) }
      maxForwards = hops - 1
    }

    let origin = worker.origins.origin(subject, target)
    var carrier = origin
    if let parent = snapshot.settings.parent {
      switch worker.route(to: origin, snapshot) {
      case .direct: break
      case .parent: carrier = worker.origins.parent(parent)
      case .refused(let error):
        noteRequest(bytes + head.start, head.methodLength, url: subject, recordedLength(target))
        return fail(error, detail: origin.host)
      }
    }

    if head.fields.hasUpgrade {
      upgrade = UpgradeOffer(bytes, head, lines, allowed: snapshot.settings.upgrades)
    }
    urlLength = recordedLength(target)
    var buffer = worker.takeBuffer(for: head.length + urlLength)
    worker.shared.requestRewriter.append(
      to: &buffer, bytes, head, lines, target: target, verdict: verdict.effects, snapshot: snapshot,
      maxForwards: maxForwards, upgrade: upgrade, parent: carrier === origin ? nil : snapshot.settings.parent)
    requestHeadLength = buffer.count
    buffer.append(subject, urlLength)
    requestBuffer = buffer
    guard !buffer.overflowed else { return fail(.headTooLarge) }

    switch head.body {
    case .length(let length): requestRemaining = length
    case .chunked:
      var stream = ChunkedStream(output: .chunked)
      stream.dropTrailers(named: trailersToDrop)
      if head.fields.connectionNominates {
        stream.dropTrailers(named: head.fields.nominatedNames(in: bytes, worker.requestParser.lines))
      }
      requestChunks = stream
    default: break
    }
    if let connection = takeIdle(carrier) {
      attach(connection)
      sendRequest(with: bytes + head.length, count - head.length)
    } else {
      input.keep(bytes + head.length, count - head.length)
      dialOrigin(carrier)
    }
  }

  private func refusal(
    of head: RequestHead, _ target: CanonicalURL, _ inspection: RequestInspection
  ) -> ProxyError? {
    if target.isSecure { return .httpsNeedsConnect }
    if head.fields.hasVia, inspection.viaNames(worker.shared.viaPseudonym) { return .loopDetected }
    if head.fields.hasOtherExpectation { return .unsupportedExpectation }
    if let limit = settings.limits.requestBody, head.fields.contentLength > limit { return .bodyTooLarge }
    return nil
  }

  private func targetError(_ fault: TargetFault, _ bytes: Bytes, _ count: Int) -> ProxyError {
    if count > 0, bytes[0] == UInt8(ascii: "/") || (count == 1 && bytes[0] == UInt8(ascii: "*")) {
      return .notAProxyRequest
    }
    switch fault {
    case .notHTTP: return .unsupportedScheme
    case .userinfo: return .userinfoInTarget
    default: return .malformedTarget
    }
  }

  /// How much of the canonical URL the record keeps.
  private func recordedLength(_ target: CanonicalURL) -> Int {
    settings.keepsQuery ? target.length : target.originLength + target.pathLength
  }

  private func countRules() {
    if verdict.prefixNode >= 0 {
      for rule in snapshot?.rules.prefixRules(verdict) ?? [] { worker.counters.ruleMatches[Int(rule)] &+= 1 }
    }
    if !verdict.patternRules.isEmpty {
      for rule in verdict.patternRules { worker.counters.ruleMatches[Int(rule)] &+= 1 }
    }
    if !verdict.failedRules.isEmpty {
      for rule in verdict.failedRules { worker.counters.ruleFailures[Int(rule)] &+= 1 }
    }
  }

  /// Keeps what the record needs of a request that gets no head for an origin.
  func noteRequest(_ method: Bytes, _ methodLength: Int, url: Bytes?, _ length: Int) {
    var buffer = worker.takeBuffer(for: methodLength + length)
    buffer.append(method, methodLength)
    requestHeadLength = buffer.count
    if let url { buffer.append(url, length) }
    urlLength = length
    requestBuffer = buffer
  }

  /// The lower-case names that no trailer section passes on.
  var trailersToDrop: [[UInt8]] {
    guard let snapshot else { return [] }
    return snapshot.injections.map(\.name)
  }

  /// What is sent of a trailer section: all that was kept, or its empty line alone.
  func trailerToSend(_ section: [UInt8]) -> [UInt8] {
    section.isEmpty || settings.trailers == .forward ? section : [0x0d, 0x0a]
  }

  private func answerLocally(_ head: RequestHead, _ bytes: MutableBytes, _ count: Int, _ target: CanonicalURL) {
    let subject = UnsafePointer(worker.subject.base)
    noteRequest(bytes + head.start, head.methodLength, url: subject, recordedLength(target))
    let keeps = head.wantsKeepAlive && head.minorVersion == 1 && head.body == .none && !worker.isDraining
    worker.output.reset()
    if head.method == .trace {
      LocalAnswer.appendTrace(to: &worker.output, bytes, head, worker.requestParser.lines, closes: !keeps)
    } else {
      LocalAnswer.appendOptions(to: &worker.output, closes: !keeps)
    }
    entry.mode = .local
    entry.status = 200
    entry.responseBytes = Int64(worker.output.count)
    let sent = send(UnsafePointer(worker.output.base), worker.output.count)
    finishRecord(nil)
    releaseExchange()
    guard sent else { return close() }
    guard keeps else { return closeWhenSent(lingers: head.body != .none) }
    input.keep(bytes + head.length, count - head.length)
    becomeIdle()
  }

  // MARK: The body

  /// Sends the head and as much of the body as is at hand; the connection stands.
  func sendRequest(with bytes: MutableBytes, _ count: Int) {
    guard let buffer = requestBuffer, let upstream else { return }
    phase = .exchanging
    noteInjections()
    progress()
    if exchange.requestIsComplete {
      input.keep(bytes, count)
      let sent = upstream.send(UnsafePointer(buffer.base), requestHeadLength)
      upstream.setReading(true)
      if !sent { requestUnsendable() } else { setReading(true) }
      return
    }
    guard let body = nextBody(bytes, count) else { return }
    let sent = upstream.send(UnsafePointer(buffer.base), requestHeadLength, UnsafePointer(bytes), body.length)
    upstream.setReading(true)
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
    setReading(exchange.requestIsComplete || upstream?.pending.isEmpty ?? true)
  }

  /// The origin's connection took everything: the client may send more.
  func requestDrained() {
    guard phase == .exchanging else { return }
    progress()
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
}
