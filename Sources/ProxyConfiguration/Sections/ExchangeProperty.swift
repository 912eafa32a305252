extension Configuration {
  /// A property of an event that stands for an exchange.
  package enum ExchangeProperty: String, Sendable, CaseIterable {
    case method, url, status
    case durationMilliseconds = "duration_ms"
    case rules, injected
    case requestBytes = "request_bytes"
    case responseBytes = "response_bytes"
    case mode, error
    case connectMilliseconds = "connect_ms"
    case firstByteMilliseconds = "first_byte_ms"
    case reusedConnection = "reused_connection"
    case user
    case visitorID = "visitor_id"

    /// Those that are sent unless others are named: none that tells of a person.
    package static let usual: [ExchangeProperty] = [
      .method, .url, .status, .durationMilliseconds, .rules, .injected, .requestBytes, .responseBytes, .mode, .error,
    ]
  }
}

extension ValueKind where Value == [Configuration.ExchangeProperty] {
  /// A list of properties of an exchange.
  static var exchangeProperties: Self {
    .list(.choice(Configuration.ExchangeProperty.allCases.map { ($0.rawValue, $0) }), 0...32, of: "names")
  }
}
