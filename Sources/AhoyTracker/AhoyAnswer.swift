package import Effects

/// What an answer of the server says about a visit.
package enum VisitVerdict: Sendable, Hashable {
  /// The server knows the visit.
  case registered
  /// The server answered as if it did, but for other tokens than ours: trying again would not help.
  case mismatch(reason: String)
  /// Something is wrong for now; the same request may be sent again.
  case retry(afterMilliseconds: Int?, reason: String)
  /// Something is wrong until someone changes it; seldom tries are enough.
  case misconfigured(reason: String)
  /// The request was too large: once more with ``VisitRegistration/withoutParameters``, then it is refused for good.
  case tooLarge(reason: String)
  /// The server will never take this request.
  case refused(reason: String)
}

/// What an answer of the server says about a batch of events.
package enum EventsVerdict: Sendable, Hashable {
  /// They are the server's now.
  case delivered
  /// Something is wrong for now; the same request, with the same ids, may be sent again.
  case retry(afterMilliseconds: Int?, reason: String)
  /// The server will never take this batch; it may take parts of it.
  case split(reason: String)
  /// Something is wrong until someone changes it; seldom tries are enough, and nothing is thrown away.
  case misconfigured(reason: String)
}

/// Reads answers of the server (contract, section 4.2).
package enum AhoyAnswer {
  /// What the outcome of a registration says.
  ///
  /// - Parameter now: the wall clock, for `Retry-After`; nil leaves that field to the caller.
  package static func judge(
    visit outcome: Result<OutboundResponse, TransportError>, for tokens: VisitTokens, at now: Int64? = nil
  ) -> VisitVerdict {
    switch Answer(outcome, now) {
    case .accepted(let response): echo(response, tokens)
    case .retry(let after, let reason): .retry(afterMilliseconds: after, reason: reason)
    case .misconfigured(let reason): .misconfigured(reason: reason)
    case .tooLarge(let reason): .tooLarge(reason: reason)
    case .refused(let reason): .refused(reason: reason)
    }
  }

  /// What the outcome of a request of events says.
  package static func judge(
    events outcome: Result<OutboundResponse, TransportError>, at now: Int64? = nil
  ) -> EventsVerdict {
    switch Answer(outcome, now) {
    case .accepted: .delivered
    case .retry(let after, let reason): .retry(afterMilliseconds: after, reason: reason)
    case .misconfigured(let reason): .misconfigured(reason: reason)
    case .tooLarge(let reason), .refused(let reason): .split(reason: reason)
    }
  }

  /// The tokens that an answer names; nil when it is not what an Ahoy server answers to a visit.
  package static func echoedTokens(_ body: [UInt8]) -> VisitTokens? {
    let value: JSONValue
    do { value = try JSONReader().value(body) } catch { return nil }
    guard let visit = value["visit_token"]?.string, let visitor = value["visitor_token"]?.string else { return nil }
    return VisitTokens(visit: visit, visitor: visitor)
  }

  private static func echo(_ response: OutboundResponse, _ tokens: VisitTokens) -> VisitVerdict {
    guard let echoed = echoedTokens(response.body) else {
      return .mismatch(
        reason: "status \(response.status) without the visit's tokens: is there an Ahoy server at this URL?")
    }
    guard echoed == tokens else {
      return .mismatch(reason: "the server answered for other tokens: something between changes or removes them")
    }
    return .registered
  }
}

/// An answer before it is known what was asked.
private enum Answer {
  case accepted(OutboundResponse)
  case retry(Int?, String)
  case misconfigured(String)
  case tooLarge(String)
  case refused(String)

  init(_ outcome: Result<OutboundResponse, TransportError>, _ now: Int64?) {
    switch outcome {
    case .success(let response): self.init(response, now)
    case .failure(let error):
      switch error.code {
      // What the operator has written down is wrong, or whom it names is not who answers.
      case .invalidRequest, .untrusted: self = .misconfigured("\(error)")
      case .unresolved, .unreachable, .timedOut, .interrupted, .malformedResponse, .cancelled:
        self = .retry(nil, "\(error)")
      }
    }
  }

  private init(_ response: OutboundResponse, _ now: Int64?) {
    let reason = response.summary
    switch response.status {
    case 200..<300: self = .accepted(response)
    // Following would turn the POST into a GET, and lose what it carries.
    case 300..<400:
      let target = response.field("Location").map { " to \(OutboundResponse.printable($0.utf8))" } ?? ""
      self = .misconfigured("status \(response.status): redirected\(target)")
    case 400: self = .refused(reason)
    case 413: self = .tooLarge(reason)
    case 408, 425, 429, 500...:
      self = .retry(now.flatMap { response.retryAfterMilliseconds(nowMilliseconds: $0) }, reason)
    default: self = .misconfigured(reason)
    }
  }
}
