/// Carries one HTTP request to a backend and brings its response: the seam between what the clients say and how it
/// travels.
package protocol Transport: Sendable {
  /// Sends the request and returns the final response.
  ///
  /// Follows no redirect, keeps no cookie, sends nothing twice. A cancelled task ends the exchange.
  func send(_ request: OutboundRequest) async throws(TransportError) -> OutboundResponse
}

/// A request to a backend, complete but for `Host`, `Content-Length` and `Connection`, which the transport adds.
package struct OutboundRequest: Sendable, Hashable {
  /// `GET`, `POST`, as on the wire.
  package var method: String
  /// `http` or `https` with host, optional port, path and query; no user information, no fragment.
  package var url: String
  /// Field names and values in the order in which they are sent.
  package var fields: [OutboundField]
  package var body: [UInt8]
  /// From the start to the last byte of the response; then the exchange ends with `timedOut`.
  package var timeoutMilliseconds: Int

  package init(
    method: String = "POST", url: String, fields: [OutboundField] = [], body: [UInt8] = [],
    timeoutMilliseconds: Int = 30_000
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.timeoutMilliseconds = timeoutMilliseconds
  }
}

/// A field line (RFC 9110, section 5).
package struct OutboundField: Sendable, Hashable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// What a backend answered.
package struct OutboundResponse: Sendable, Hashable {
  /// The status of the final response, 200 to 599.
  package var status: Int
  package var fields: [OutboundField]
  /// The content, cut at the transport's limit: answers of backends are short.
  package var body: [UInt8]

  package init(status: Int, fields: [OutboundField] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The value of the first field of that name, whatever its case.
  package func field(_ name: String) -> String? {
    let wanted = name.lowercased()
    return fields.first { $0.name.lowercased() == wanted }?.value
  }
}

/// Why no response came.
package struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure; stable, used by tests and as a metric label.
  package enum Code: String, Sendable, CaseIterable {
    /// The URL or a field cannot be sent.
    case invalidRequest = "invalid_request"
    /// The name has no address.
    case unresolved
    /// No connection came about.
    case unreachable
    /// The certificate or the handshake was no good.
    case untrusted
    /// The time was over.
    case timedOut = "timed_out"
    /// The connection ended before the response was complete.
    case interrupted
    /// What came was not HTTP/1.1.
    case malformedResponse = "malformed_response"
    /// The caller gave up, or the transport is stopped.
    case cancelled
  }

  package var code: Code
  /// What happened, in words for an operator.
  package var detail: String
  /// Whether the backend may have acted on the request all the same.
  package var mayHaveArrived: Bool

  package init(_ code: Code, _ detail: String, mayHaveArrived: Bool = false) {
    self.code = code
    self.detail = detail
    self.mayHaveArrived = mayHaveArrived
  }

  package var description: String { "\(code.rawValue): \(detail)" }
}
