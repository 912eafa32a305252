/// Reads stored events in order and holds each against its checksum.
struct StoredEventScan {
  private let connection: SQLiteConnection
  private static let columns = "SELECT seq, id, time, checksum, payload FROM events"

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// What ``countAll()`` found.
  struct Count {
    var rows: Int64 = 0
    var damaged: Int64 = 0
    var lastSequence: Int64 = 0
  }

  /// Reads every row.
  func countAll() throws(SQLiteFailure) -> Count {
    var count = Count()
    let statement = try connection.prepare(Self.columns + " ORDER BY seq")
    while try statement.step() {
      count.rows += 1
      if Self.event(statement) == nil { count.damaged += 1 }
      count.lastSequence = statement.integer(0)
    }
    return count
  }

  /// The events after a sequence number, oldest first, and how many damaged ones were passed over.
  func events(after sequence: Int64, limit: Int) throws(SQLiteFailure) -> EventPage {
    let statement = try connection.prepare(Self.columns + " WHERE seq > ?1 ORDER BY seq LIMIT ?2")
    try statement.bind(sequence, at: 1)
    try statement.bind(Int64(limit), at: 2)
    return try page(statement, after: sequence)
  }

  /// The newest events, oldest of them first, and how many damaged ones were passed over.
  func newest(_ limit: Int) throws(SQLiteFailure) -> EventPage {
    let statement = try connection.prepare("SELECT * FROM (\(Self.columns) ORDER BY seq DESC LIMIT ?1) ORDER BY seq")
    try statement.bind(Int64(limit), at: 1)
    return try page(statement, after: 0)
  }

  private func page(_ statement: SQLiteStatement, after sequence: Int64) throws(SQLiteFailure) -> EventPage {
    var page = EventPage(events: [], lastSequence: sequence, damaged: 0)
    while try statement.step() {
      page.lastSequence = statement.integer(0)
      if let event = Self.event(statement) { page.events.append(event) } else { page.damaged += 1 }
    }
    return page
  }

  /// The event of the current row, or nil when its checksum does not match.
  private static func event(_ statement: SQLiteStatement) -> StoredEvent? {
    let row = EventRow(id: statement.text(1), timeMilliseconds: statement.integer(2), payload: statement.bytes(4))
    let sequence = statement.integer(0)
    guard RowChecksum.ofEvent(sequence: sequence, row: row) == statement.integer(3) else { return nil }
    return StoredEvent(sequence: sequence, row: row)
  }
}

/// A run of stored events.
package struct EventPage: Sendable, Hashable {
  /// The events, oldest first.
  package var events: [StoredEvent]
  /// The sequence number to continue after: that of the last row read, damaged or not.
  package var lastSequence: Int64
  /// Rows passed over because their checksum did not match.
  package var damaged: Int64
}
