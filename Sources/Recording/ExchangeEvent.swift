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
    line.member(Key.event, plain: name)
    line.member(Key.id, plain: id)
    line.member(Key.time, momentMilliseconds: record.startedAtMilliseconds)
    line.member(Key.mode, plain: record.mode.name)
    line.member(Key.method, record.method)
    line.member(Key.url, record.url)
    if let user = record.user { line.member(Key.user, user) }
    if record.status == 0 { line.memberNull(Key.status) } else { line.member(Key.status, Int64(record.status)) }
    line.member(Key.requestBytes, record.requestBytes)
    line.member(Key.responseBytes, record.responseBytes)
    line.member(Key.durationMs, durationMicroseconds: record.durationMicroseconds)
    if let connect = record.connectMicroseconds { line.member(Key.connectMs, durationMicroseconds: connect) }
    if let firstByte = record.firstByteMicroseconds { line.member(Key.firstByteMs, durationMicroseconds: firstByte) }
    line.member(Key.reusedConnection, record.reusedConnection)
    line.member(Key.rules, record.rules)
    line.member(Key.injected, record.injected)
    if let visitorID = record.visitorID { line.member(Key.visitorID, plain: visitorID) }
    if let errorCode = record.errorCode { line.member(Key.error, plain: errorCode) }
    line.close()
    return line.bytes
  }
}

/// The names of the members, made once.
private enum Key {
  static let event: JSONLine.Key = "event"
  static let id: JSONLine.Key = "id"
  static let time: JSONLine.Key = "time"
  static let mode: JSONLine.Key = "mode"
  static let method: JSONLine.Key = "method"
  static let url: JSONLine.Key = "url"
  static let user: JSONLine.Key = "user"
  static let status: JSONLine.Key = "status"
  static let requestBytes: JSONLine.Key = "requestBytes"
  static let responseBytes: JSONLine.Key = "responseBytes"
  static let durationMs: JSONLine.Key = "durationMs"
  static let connectMs: JSONLine.Key = "connectMs"
  static let firstByteMs: JSONLine.Key = "firstByteMs"
  static let reusedConnection: JSONLine.Key = "reusedConnection"
  static let rules: JSONLine.Key = "rules"
  static let injected: JSONLine.Key = "injected"
  static let visitorID: JSONLine.Key = "visitorID"
  static let error: JSONLine.Key = "error"
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
