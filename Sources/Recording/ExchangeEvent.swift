package import ProxyCore

/// A finished exchange as an event: what the local database keeps and `footfall events` shows.
package struct ExchangeEvent: Sendable, Hashable {
  /// The name of the event, in its member `event`.
  package static let name = "proxy.request"

  /// The event's id for life: a UUID version 7 in lower case.
  package var id: String
  /// What happened.
  package var record: ExchangeRecord

  package init(id: String, record: ExchangeRecord) {
    self.id = id
    self.record = record
  }
}

extension ExchangeRecord.Mode {
  /// The mode in events and logs.
  package var name: String {
    switch self {
    case .forward: "forward"
    case .tunnel: "tunnel"
    case .local: "local"
    }
  }

  /// The mode of that name.
  package init?(name: String) {
    switch name {
    case "forward": self = .forward
    case "tunnel": self = .tunnel
    case "local": self = .local
    default: return nil
    }
  }
}

extension ExchangeEvent {
  /// The properties that backends may be told of an exchange, and the members of a stored event that they stand in.
  package static let propertyMembers = [
    "connect_ms": "connectMs", "duration_ms": "durationMs", "error": "error", "first_byte_ms": "firstByteMs",
    "injected": "injected", "method": "method", "mode": "mode", "request_bytes": "requestBytes",
    "response_bytes": "responseBytes", "reused_connection": "reusedConnection", "rules": "rules", "status": "status",
    "url": "url", "user": "user", "visitor_id": "visitorID",
  ]
}
