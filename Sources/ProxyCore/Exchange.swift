package import HTTPWire

/// One request and its response, seen from the middle: what has passed, and what follows from each event.
///
/// Events in, decisions out; the driver moves the bytes. The law of the file:
/// - A response head goes out at most once; after it no error page can, only an abort.
/// - A client connection is kept only when both messages ended where their framing says.
/// - A request is sent again at most once, only if it is idempotent, has no body, travelled on a pooled connection and
///   not one byte of an answer came (RFC 9110, section 9.2.2).
package struct Exchange: Sendable {
  /// How the body leaves towards the client.
  package enum Delivery: Sendable, Equatable {
    case none
    /// As many bytes as the response's Content-Length says.
    case length(Int64)
    /// Chunked in, chunked out.
    case relayedChunks
    /// Until-close in, chunked out.
    case encodedChunks
    /// Chunked in, until-close out, for an HTTP/1.0 client.
    case decodedChunks
    /// Until-close in and out.
    case untilClose
  }

  /// What to do with a response head.
  package enum HeadDecision: Sendable, Equatable {
    /// An interim response: send it on, or drop it for a client of HTTP/1.0.
    case interim(forward: Bool)
    /// The origin switches to a protocol that was offered to it: what follows is a tunnel.
    case switched
    /// The final response.
    case final(delivery: Delivery, keepsClient: Bool)
    /// Not acceptable; see `loss(_:)` for what to do.
    case refused(ProxyError)
  }

  /// What to do when the upstream side fails or ends.
  package enum LossDecision: Sendable, Equatable {
    /// Send the request again on a new connection.
    case retry
    /// Answer the client with the error.
    case answer(ProxyError)
    /// The response cannot be completed: cut the client off, with a reset where an end would look like a whole message.
    case abort(ProxyError, reset: Bool)
    /// The end of the connection was the end of the body.
    case finish
  }

  /// What to do when the response is complete.
  package struct Completion: Sendable, Equatable {
    /// The client may send another request.
    package var keepsClient: Bool
    /// The upstream connection may go to the pool.
    package var keepsUpstream: Bool
    /// The rest of the request is to be read and dropped before the next request (RFC 9112, section 9.3).
    package var drains: Bool
    /// The client still sends; read and discard for a while before closing (RFC 9112, section 9.6).
    package var lingers: Bool
  }

  /// The most interim responses before one final; more are an attack or a fault.
  package static let interimLimit = 64
  /// The most bytes of a request body that are read after the answer so that the connection can be kept.
  package static let drainLimit: Int64 = 64 << 10

  package let method: Method
  package let clientMinorVersion: UInt8
  /// The client asked for more requests on its connection, and may have them.
  package private(set) var clientAllowsKeepAlive: Bool
  private let hasRequestBody: Bool
  /// The origin may take the connection for the client's from now on, whoever's requests come on it.
  package let authenticatesConnection: Bool
  /// The request body has been received to its end.
  package private(set) var requestIsComplete: Bool
  /// The head of the final response has been sent to the client.
  package private(set) var headIsSent = false
  /// At least one byte came from upstream.
  package private(set) var answerBegan = false
  package private(set) var delivery = Delivery.none
  private var keepsClient = false
  private var keepsUpstream = false
  private var interimCount = 0
  /// The client may hold its body back until it sees a 100 (RFC 9110, section 10.1.1).
  package private(set) var awaitsContinue: Bool
  private var wasRetried = false

  /// The exchange that a request head begins. Without `keepsAlive` it is the last of its connection.
  package init(_ head: RequestHead, keepsAlive: Bool = true) {
    method = head.method
    clientMinorVersion = head.minorVersion
    // No persistent connection with a client of HTTP/1.0: it could be a proxy that passed `keep-alive` on unread
    // (RFC 9112, section 9.3 and appendix C.2.2).
    clientAllowsKeepAlive = keepsAlive && head.minorVersion == 1 && head.wantsKeepAlive
    if case .none = head.body { hasRequestBody = false } else { hasRequestBody = true }
    requestIsComplete = !hasRequestBody
    awaitsContinue = head.fields.expectsContinue && head.minorVersion == 1 && hasRequestBody
    authenticatesConnection = head.fields.authenticatesConnection
  }

  /// The connection is to end with this exchange; without effect once the head of the response is decided.
  package mutating func endsConnection() { clientAllowsKeepAlive = false }

  /// Some of the request body came: the client waits for nothing.
  package mutating func requestBodyBegan() { awaitsContinue = false }

  /// The origin says nothing about an expectation: whether the proxy is to say `100 Continue` itself, so that nobody
  /// waits for ever.
  package mutating func originIsSilent() -> Bool {
    defer { awaitsContinue = false }
    return awaitsContinue && !headIsSent
  }

  /// The last byte of the request body came.
  package mutating func requestEnded() { requestIsComplete = true }

  /// A byte of an answer came.
  package mutating func answerArrived() { answerBegan = true }

  /// A response head is complete.
  ///
  /// - Parameters:
  ///   - isOfferedSwitch: a 101 names a protocol that was offered; see `UpgradeOffer`.
  ///   - unsentBody: how much of the request body is still to come; nil when that is not known.
  package mutating func received(
    _ head: ResponseHead, isOfferedSwitch: Bool = false, unsentBody: Int64? = nil
  ) -> HeadDecision {
    // Between proxies alone (RFC 9110, section 11.7.1): passed on, it would ask the client for the password of this one.
    if head.status == 407 { return .refused(.unexpectedChallenge) }
    if head.status == 101 {
      // Both sides speak the new protocol from here on, so the request must be over (RFC 9110, section 7.8), and
      // HTTP/1.0 knows no such answer.
      return isOfferedSwitch && requestIsComplete && head.minorVersion == 1
        ? .switched : .refused(.unexpectedSwitch)
    }
    if head.isInterim {
      interimCount += 1
      guard interimCount <= Exchange.interimLimit else { return .refused(.tooManyInterimResponses) }
      if head.status == 100 { awaitsContinue = false }
      return .interim(forward: clientMinorVersion == 1)
    }
    let body = head.body(inResponseTo: method)
    if head.fields.hasOtherCoding && body != .none { return .refused(.malformedResponse) }
    // An answer before the end of the request body: the rest of the body has no place to go any more. A little of it
    // is read; otherwise, and when it might never come, the connection ends with this response (RFC 9110, section
    // 10.1.1; RFC 9112, section 9.3).
    let restIsLittle = !awaitsContinue && unsentBody.map { $0 <= Exchange.drainLimit } ?? false
    keepsClient = clientAllowsKeepAlive && (requestIsComplete || restIsLittle)
    keepsUpstream = head.wantsKeepAlive
    switch body {
    case .none: delivery = .none
    case .length(let count): delivery = .length(count)
    case .chunked:
      if clientMinorVersion == 1 {
        delivery = .relayedChunks
      } else {
        delivery = .decodedChunks
        keepsClient = false
      }
    case .untilClose:
      keepsUpstream = false
      if clientMinorVersion == 1 {
        delivery = .encodedChunks
      } else {
        delivery = .untilClose
        keepsClient = false
      }
    }
    return .final(delivery: delivery, keepsClient: keepsClient)
  }

  /// The final response head was handed to the client's connection.
  package mutating func headWasSent() { headIsSent = true }

  /// The upstream connection ended or failed, or its answer is not acceptable.
  ///
  /// - Parameters:
  ///   - error: what it was; `.connectionLost` for an end without a reason.
  ///   - cleanly: the origin ended its stream in order (FIN), so that a body until close is complete.
  ///   - reused: the request had been sent on a pooled connection.
  package mutating func loss(_ error: ProxyError, cleanly: Bool, reused: Bool) -> LossDecision {
    if headIsSent {
      switch delivery {
      case .untilClose, .encodedChunks: if cleanly { return .finish }
      default: break
      }
      return .abort(headIsSent && error == .connectionLost ? .responseIncomplete : error, reset: delivery.endsWithClose)
    }
    if reused, !answerBegan, !wasRetried, method.isIdempotent, !hasRequestBody, error == .connectionLost {
      wasRetried = true
      return .retry
    }
    return .answer(answerBegan && error == .connectionLost ? .responseIncomplete : error)
  }

  /// The last byte of the response was handed to the client's connection.
  ///
  /// - Parameter upstreamIsClean: nothing was left on the upstream connection after the response.
  package func completed(upstreamIsClean: Bool) -> Completion {
    Completion(
      keepsClient: keepsClient && requestIsComplete,
      keepsUpstream: keepsUpstream && requestIsComplete && upstreamIsClean,
      drains: keepsClient && !requestIsComplete,
      lingers: !keepsClient && !requestIsComplete)
  }
}

extension Exchange.Delivery {
  /// The client takes the end of the connection for the end of the body.
  package var endsWithClose: Bool { self == .untilClose || self == .decodedChunks }
}
