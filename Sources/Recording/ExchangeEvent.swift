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

  /// The event as one line of JSON.
  package var json: [UInt8] { Self.json(record, id: id) }

  /// The event as one line of JSON. Members without a value are left out; `status` is null when none was sent.
  package static func json(_ record: ExchangeRecord, id: String) -> [UInt8] {
    var line = JSONLine(capacity: 448 &+ record.url.utf8.count)
    line.member("event", name)
    line.member("id", id)
    line.member("time", momentMilliseconds: record.startedAtMilliseconds)
    line.member("mode", record.mode.name)
    line.member("method", record.method)
    line.member("url", record.url)
    if record.status == 0 { line.memberNull("status") } else { line.member("status", Int64(record.status)) }
    line.member("requestBytes", record.requestBytes)
    line.member("responseBytes", record.responseBytes)
    line.member("durationMs", durationMicroseconds: record.durationMicroseconds)
    if let connect = record.connectMicroseconds { line.member("connectMs", durationMicroseconds: connect) }
    if let firstByte = record.firstByteMicroseconds { line.member("firstByteMs", durationMicroseconds: firstByte) }
    line.member("reusedConnection", record.reusedConnection)
    line.member("rules", record.rules)
    line.member("injected", record.injected)
    if let visitorID = record.visitorID { line.member("visitorID", visitorID) }
    if let errorCode = record.errorCode { line.member("error", errorCode) }
    line.close()
    return line.bytes
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
