/// How the end of a message body is found (RFC 9112, section 6.3).
package enum BodyFraming: Sendable, Equatable {
  /// There is no body.
  case none
  /// So many bytes follow; more than 0.
  case length(Int64)
  /// The chunked transfer coding.
  case chunked
  /// A response that ends when its connection does.
  case untilClose
}

/// What the fields of a head say together; gathered while parsing so that nobody reads them twice.
package struct FieldDigest: Sendable {
  /// The number of field lines.
  package var count = 0
  /// The valid `Content-Length`, or -1 when there is none. Several equal values collapse to one in a response only.
  package var contentLength: Int64 = -1
  /// `Transfer-Encoding` is exactly `chunked`, in any case.
  package var isChunked = false
  /// `Transfer-Encoding` is there and is not exactly `chunked`; possible in a response only.
  package var hasOtherCoding = false
  /// `Connection` (or `Proxy-Connection`, requests only) has the option `close`.
  package var connectionClose = false
  /// The same with `keep-alive`.
  package var connectionKeepAlive = false
  /// `Connection` has the option `upgrade`.
  package var connectionUpgrade = false
  /// `Connection` names other fields, which must be removed (RFC 9110, section 7.6.1).
  package var connectionNominates = false
  /// The number of `Host` lines.
  package var hostCount = 0
  /// The index of the `Host` line, or -1.
  package var hostIndex = -1
  /// There is an `Upgrade` field.
  package var hasUpgrade = false
  /// `TE` has the member `trailers` (RFC 9110, section 10.1.4); told of requests only.
  package var acceptsTrailers = false
  /// There is a `Via` field.
  package var hasVia = false
  /// There is a `Trailer` field.
  package var hasTrailer = false
  /// `Expect: 100-continue` (RFC 9110, section 10.1.1).
  package var expectsContinue = false
  /// `Expect` with anything else.
  package var hasOtherExpectation = false
  /// The index of the first `Expect` line, or -1.
  package var expectIndex = -1
  /// The index of the `Max-Forwards` line, or -1.
  package var maxForwardsIndex = -1
  /// There is a `Date` field.
  package var hasDate = false
  /// The request carries credentials that its connection keeps for what follows.
  package var authenticatesConnection = false
  /// White space stands before the colon of a field; possible in a response only, and never to be sent on
  /// (RFC 9112, section 5.1).
  package var hasSpacedName = false

  package init() {}
}

/// A parsed request head: offsets into its bytes and what its fields say.
package struct RequestHead: Sendable {
  package var method = Method.other
  package var methodLength = 0
  package var targetStart = 0
  package var targetLength = 0
  /// 0 for HTTP/1.0, 1 for HTTP/1.1.
  package var minorVersion: UInt8 = 1
  /// Bytes before the request line that RFC 9112, section 2.2, lets a client send: empty lines. All offsets count them.
  package var start = 0
  /// The bytes of the head with its empty line.
  package var length = 0
  package var fields = FieldDigest()

  package init() {}

  /// The body that follows (RFC 9112, section 6.3, points 3 to 6; the parser has refused what is faulty).
  @inlinable package var body: BodyFraming {
    if fields.isChunked { return .chunked }
    return fields.contentLength > 0 ? .length(fields.contentLength) : .none
  }

  /// Whether the client wants the connection kept (RFC 9112, section 9.3).
  @inlinable package var wantsKeepAlive: Bool {
    minorVersion == 1 ? !fields.connectionClose : fields.connectionKeepAlive && !fields.connectionClose
  }
}

/// A parsed response head: offsets into its bytes and what its fields say.
package struct ResponseHead: Sendable {
  package var status = 0
  package var reasonStart = 0
  package var reasonLength = 0
  /// 0 for HTTP/1.0, 1 for HTTP/1.1.
  package var minorVersion: UInt8 = 1
  /// The bytes of the head with its empty line.
  package var length = 0
  package var fields = FieldDigest()

  package init() {}

  /// An interim response, followed by another (RFC 9110, section 15.2). 101 is final for HTTP.
  @inlinable package var isInterim: Bool { status >= 100 && status < 200 && status != 101 }

  /// The body that follows the response to that method (RFC 9112, section 6.3).
  @inlinable package func body(inResponseTo method: Method) -> BodyFraming {
    if method == .head || status < 200 || status == 204 || status == 304 { return .none }
    if method == .connect && status < 300 { return .none }
    if fields.isChunked { return .chunked }
    if fields.hasOtherCoding { return .untilClose }
    switch fields.contentLength {
    case -1: return .untilClose
    case 0: return .none
    default: return .length(fields.contentLength)
    }
  }

  /// Whether the origin keeps its connection after this response (RFC 9112, section 9.3).
  @inlinable package var wantsKeepAlive: Bool {
    minorVersion == 1 ? !fields.connectionClose : fields.connectionKeepAlive && !fields.connectionClose
  }
}
