/// Reads stored events in order and holds each against its checksum.
struct StoredEventScan {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// What ``countAll()`` found.
  struct Count {
    var rows: Int64 = 0
    var damaged: Int64 = 0
    var lastSequence: Int64 = 0
  }

  /// Reads every event.
  func countAll() throws(SQLiteFailure) -> Count {
    var count = Count()
    let statement = try connection.prepare("SELECT first, count, lines FROM events ORDER BY first")
    while try statement.step() {
      let block = Self.block(statement)
      count.rows += Int64(block.events.count)
      for event in block.events where event == nil { count.damaged += 1 }
      count.lastSequence = max(count.lastSequence, block.lastSequence)
    }
    return count
  }

  /// The events after a sequence number, oldest first, and how many damaged ones were passed over.
  func events(after sequence: Int64, limit: Int, bytes: Int = .max) throws(SQLiteFailure) -> EventPage {
    var page = EventPage(events: [], lastSequence: sequence, damaged: 0)
    let statement = try connection.prepare(
      """
      SELECT first, count, lines FROM events
      WHERE first >= coalesce((SELECT max(first) FROM events WHERE first <= ?1), 0) ORDER BY first
      """)
    try statement.bind(sequence, at: 1)
    var room = bytes
    while page.events.count < limit, room > 0 {
      guard try statement.step() else {
        page.isAtEnd = true
        break
      }
      let block = Self.block(statement)
      for (index, event) in block.events.enumerated() {
        let position = block.firstSequence.addingReportingOverflow(Int64(index))
        guard !position.overflow, position.partialValue > sequence else { continue }
        guard page.events.count < limit, room > 0 else { break }
        page.lastSequence = position.partialValue
        if let event {
          page.events.append(event)
          room -= event.row.payload.count
        } else {
          page.damaged += 1
        }
      }
    }
    return page
  }

  /// The newest events, oldest of them first, and how many damaged ones were passed over.
  func newest(_ limit: Int) throws(SQLiteFailure) -> EventPage {
    var page = EventPage(events: [], lastSequence: 0, damaged: 0)
    let statement = try connection.prepare("SELECT first, count, lines FROM events ORDER BY first DESC")
    while page.events.count < limit, try statement.step() {
      let block = Self.block(statement)
      page.lastSequence = max(page.lastSequence, block.lastSequence)
      for event in block.events.reversed() where page.events.count < limit {
        if let event { page.events.append(event) } else { page.damaged += 1 }
      }
    }
    page.events.reverse()
    return page
  }

  private struct Block {
    let firstSequence: Int64
    let events: [StoredEvent?]

    var lastSequence: Int64 {
      let last = firstSequence.addingReportingOverflow(Int64(events.count) - 1)
      return last.overflow ? .max : last.partialValue
    }
  }

  private static func block(_ statement: SQLiteStatement) -> Block {
    let first = statement.integer(0)
    let count = statement.integer(1)
    return Block(
      firstSequence: first,
      events: statement.withBytes(2) { EventBlock.decode(firstSequence: first, count: count, $0) })
  }
}

/// A run of stored events.
package struct EventPage: Sendable, Hashable {
  /// The events, oldest first.
  package var events: [StoredEvent]
  /// The sequence number to continue after: that of the last event read, damaged or not.
  package var lastSequence: Int64
  /// Events passed over because their checksum did not match.
  package var damaged: Int64
  /// There was nothing beyond the page when it was read.
  package var isAtEnd = false
}
