import Effects
import Glibc
import HTTPWire
import LoopRuntime
import ProxyCore
import URLRules

// Starting an exchange: the target, the verdict and the head for the origin.
extension ClientConnection {
  /// Starts the exchange of a complete head; `count` bytes are at hand, the head's and what follows it.
  func begin(
    _ head: RequestHead, _ bytes: MutableBytes, _ count: Int, _ snapshot: InjectionSnapshot, _ now: Int64
  ) {
    if snapshot.checksRequests, !admits(head, bytes, count, snapshot, now) { return }
    startExchange(Exchange(head, keepsAlive: !worker.isDraining), snapshot, now, received: head.length)
    requestMethodLength = head.methodLength

    if head.method == .connect { return beginTunnel(head, bytes, count) }
    var target = CanonicalURL()
    if let fault = TargetParser.parseAbsolute(
      bytes + head.targetStart, head.targetLength, fragment: .refuse, subject: &worker.subject, into: &target)
    {
      noteRequest(bytes + head.start, head.methodLength, url: nil, 0)
      return fail(
        targetError(fault, bytes + head.targetStart, head.targetLength),
        detail: fault.explanation(of: bytes + head.targetStart, head.targetLength))
    }
    let subject = UnsafePointer(worker.subject.base)
    let lines = worker.requestParser.lines
    let inspection = RequestInspection(bytes, head, lines)
    let isWebSocket = head.fields.hasUpgrade && inspection.asksForWebSocket
    if !isWebSocket {
      verdict = snapshot.rules.verdict(subject, target)
      if let reserved = snapshot.reserved, !verdict.effects.isDisjoint(with: reserved.effect),
        reserved.covers(subject, target)
      {
        verdict.effects.subtract(reserved.effect)
      }
      if !verdict.effects.isDisjoint(with: snapshot.awaited) { worker.shared.awaited() }
    }
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

    var origin = worker.origins.origin(subject, target)
    var parent = snapshot.settings.parent
    if let known = parent {
      switch worker.route(to: origin, snapshot) {
      case .direct: parent = nil
      case .parent: origin = worker.origins.parent(known)
      case .refused(let error):
        noteRequest(bytes + head.start, head.methodLength, url: subject, recordedLength(target))
        return fail(error, detail: origin.host)
      }
    }

    if head.fields.hasUpgrade {
      upgrade = UpgradeOffer(bytes, head, lines, allowed: snapshot.settings.upgrades)
    }
    var trailers: TrailerFilter?
    if case .chunked = head.body {
      let filter = trailerFilter(bytes, head.fields, lines)
      requestChunks = ChunkedStream(output: .chunked, trailers: filter)
      if snapshot.settings.trailers == .forward { trailers = filter }
    }
    urlLength = recordedLength(target)
    var buffer = worker.takeBuffer(for: head.length + urlLength)
    worker.shared.requestRewriter.append(
      to: &buffer, bytes, head, lines, target: target, verdict: verdict.effects, snapshot: snapshot,
      maxForwards: maxForwards, upgrade: upgrade, trailers: trailers, parent: parent)
    requestHeadLength = buffer.count
    buffer.append(subject, urlLength)
    requestBuffer = buffer
    guard !buffer.overflowed else { return fail(.headTooLarge) }

    if case .length(let length) = head.body { requestRemaining = length }
    if let connection = takeReserved(origin) ?? takeIdle(origin) {
      attach(connection)
      sendRequest(with: bytes + head.length, count - head.length)
    } else {
      input.keep(bytes + head.length, count - head.length)
      dialOrigin(origin)
    }
  }

  private func refusal(
    of head: RequestHead, _ target: CanonicalURL, _ inspection: RequestInspection
  ) -> ProxyError? {
    if target.isSecure { return .httpsNeedsConnect }
    if head.fields.hasVia, inspection.viaNames(worker.shared.viaPseudonym) { return .loopDetected }
    if head.fields.hasOtherExpectation, head.minorVersion == 1 { return .unsupportedExpectation }
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

  /// What passes of the trailers of a message with that head: nothing that could be taken for an injected field, and
  /// nothing that `Connection` names.
  func trailerFilter(_ bytes: Bytes, _ fields: FieldDigest, _ lines: UnsafeMutablePointer<FieldLine>) -> TrailerFilter {
    var names = snapshot?.injections.map(\.name) ?? []
    if fields.connectionNominates { names += fields.nominatedNames(in: bytes, lines) }
    return TrailerFilter(dropping: names)
  }

  private func answerLocally(_ head: RequestHead, _ bytes: MutableBytes, _ count: Int, _ target: CanonicalURL) {
    let subject = UnsafePointer(worker.subject.base)
    noteRequest(bytes + head.start, head.methodLength, url: subject, recordedLength(target))
    let keeps = head.wantsKeepAlive && head.minorVersion == 1 && head.body == .none && !worker.isDraining
    worker.output.reset()
    if head.method == .trace {
      LocalAnswer.appendTrace(
        to: &worker.output, bytes, head, worker.requestParser.lines, date: worker.dateLine(), closes: !keeps)
    } else {
      LocalAnswer.appendOptions(to: &worker.output, date: worker.dateLine(), closes: !keeps)
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
}
