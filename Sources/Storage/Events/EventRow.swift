/// One event on its way to the database.
package struct EventRow: Sendable, Hashable {
  /// The event's id for life: a UUID version 7 in lower case.
  package var id: String
  /// When the event happened, milliseconds since the epoch.
  package var timeMilliseconds: Int64
  /// The event itself, a JSON object.
  package var payload: [UInt8]

  package init(id: String, timeMilliseconds: Int64, payload: [UInt8]) {
    self.id = id
    self.timeMilliseconds = timeMilliseconds
    self.payload = payload
  }

  /// Whether the event can be stored: its id has bytes, and none of them is blank.
  var isStorable: Bool { !id.isEmpty && id.utf8.allSatisfy { $0 > 0x20 } }
}

/// One event as it lies in the database.
package struct StoredEvent: Sendable, Hashable {
  /// The row's place in the order of arrival; it only grows, also across a file that had to be replaced.
  package let sequence: Int64
  package let row: EventRow
}
