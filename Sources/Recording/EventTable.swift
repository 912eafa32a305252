import Effects
import ProxyCore

/// Events as lines for people: `footfall events`.
package enum EventTable {
  /// The line above the events.
  package static let header =
    "TIME                      STATUS  METHOD   DURATION  URL  (rules, injected fields, error)"

  /// One event on one line, without a line feed. Nothing in it is obeyed by a terminal.
  package static func line(_ event: ExchangeEvent) -> String {
    let record = event.record
    var time: [UInt8] = []
    Timestamp.append(millisecondsSinceEpoch: record.startedAtMilliseconds, to: &time)
    let status = record.status == 0 ? "-" : String(record.status)
    var line = String(decoding: time, as: UTF8.self) + "  "
    line += padded(status, 6) + "  " + padded(TerminalText.printable(record.method), 7) + "  "
    line +=
      padded(duration(record.durationMicroseconds), 8) + "  "
      + (record.url.isEmpty ? "-" : TerminalText.printable(record.url))
    var notes: [String] = []
    if !record.rules.isEmpty { notes.append("rules: " + record.rules.joined(separator: ", ")) }
    if !record.injected.isEmpty { notes.append("injected: " + record.injected.joined(separator: ", ")) }
    if let error = record.errorCode { notes.append("error: " + error) }
    if !notes.isEmpty { line += "  (" + TerminalText.printable(notes.joined(separator: "; ")) + ")" }
    return line
  }

  /// A line for a stored event of another kind: its moment and its name; nil when it is none.
  package static func line(other payload: [UInt8]) -> String? {
    guard let stored = StoredMembers(payload), let kind = stored.string("kind"), let name = stored.string("event"),
      let time = stored.string("time")
    else { return nil }
    return "\(time)  \(TerminalText.printable(name))  (\(TerminalText.printable(kind)))"
  }

  /// A line for a stored event that cannot be read as one of ours.
  package static func line(unreadable id: String, _ fault: ExchangeEvent.Fault) -> String {
    "(event \(TerminalText.printable(id)) is unreadable: \(TerminalText.printable(fault.description)))"
  }

  /// Three significant digits or more, in the unit that suits.
  private static func duration(_ microseconds: Int64) -> String {
    switch max(0, microseconds) {
    case let short where short < 100_000: "\(short / 1_000).\(short / 100 % 10) ms"
    case let medium where medium < 10_000_000: "\(medium / 1_000) ms"
    case let long: "\(long / 1_000_000) s"
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width &- text.unicodeScalars.count))
  }
}
