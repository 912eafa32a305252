/// What is kept of one finished exchange: no query (unless configured), no field value, no body.
package struct ExchangeRecord: Sendable, Hashable {
  /// What the proxy did with the request.
  package enum Mode: UInt8, Sendable, BitwiseCopyable {
    /// Forwarded to an origin.
    case forward
    /// A CONNECT whose bytes were passed on unread.
    case tunnel
    /// Answered by the proxy itself: an error, a refusal, TRACE with `Max-Forwards: 0`.
    case local
  }

  /// When the request head was complete, milliseconds since the epoch.
  package var startedAtMilliseconds: Int64 = 0
  package var mode = Mode.forward
  package var method = ""
  /// The canonical URL without its query, unless the configuration keeps it; `host:port` for a tunnel.
  package var url = ""
  /// Who the client proved to be; nil without passwords.
  package var user: String?
  /// The final status sent to the client, or 0 when none was.
  package var status = 0
  /// Why the exchange failed: the stable code of a `ProxyError`; nil when it did not.
  package var errorCode: String?
  /// From the complete request head to the last byte of the response, microseconds.
  package var durationMicroseconds: Int64 = 0
  /// Name resolution and connecting, microseconds; nil on a reused connection and when nothing was dialled.
  package var connectMicroseconds: Int64?
  /// From the complete request head to the first byte of the response, microseconds; nil when none came.
  package var firstByteMicroseconds: Int64?
  /// Bytes received from the client: head and body, or the tunnel's bytes.
  package var requestBytes: Int64 = 0
  /// Bytes sent to the client: head and body, or the tunnel's bytes.
  package var responseBytes: Int64 = 0
  /// The request travelled on a pooled connection.
  package var reusedConnection = false
  /// The names of the rules that matched, in the order of the configuration.
  package var rules: [String] = []
  /// The names of the fields that were injected.
  package var injected: [String] = []
  /// The visitor id current when the request was dispatched; nil when the feature is off.
  package var visitorID: String?

  package init() {}
}
