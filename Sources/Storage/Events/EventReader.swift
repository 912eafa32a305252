package import Effects

/// Reads stored events from any process: while the proxy runs, and after it has ended.
///
/// Not sendable; one thread uses it. A database that does not exist yet has no events, so that a reader may be started
/// first. A file that was replaced (after damage) is noticed and opened.
package struct EventReader {
  private let files: DatabaseFiles
  private var opened: (connection: SQLiteConnection, identity: FileIdentity)?

  /// A reader of the database in a state directory.
  package init(directory: String) { files = DatabaseFiles(directory: directory, name: EventFile.name) }

  /// The events after a sequence number (0: from the oldest), oldest first: at most `limit`, and no further one once
  /// `bytes` of payload are reached.
  ///
  /// - Throws: `denied` when access is refused, `newer` when a newer version made the file, `corrupt` when it cannot be read as a
  ///   database, `busy` when it is locked for longer than a second.
  package mutating func read(afterSequence sequence: Int64, limit: Int, bytes: Int = .max) throws(StoreError)
    -> EventPage
  {
    try page(after: sequence) { scan throws(SQLiteFailure) in
      try scan.events(after: sequence, limit: max(0, limit), bytes: bytes)
    }
  }

  /// The newest events, oldest of them first.
  package mutating func readNewest(_ limit: Int) throws(StoreError) -> EventPage {
    try page(after: 0) { scan throws(SQLiteFailure) in try scan.newest(max(0, limit)) }
  }

  private mutating func page(
    after sequence: Int64, _ read: (StoredEventScan) throws(SQLiteFailure) -> EventPage
  ) throws(StoreError) -> EventPage {
    guard let identity = files.identity else {
      opened = nil
      return EventPage(events: [], lastSequence: sequence, damaged: 0, isAtEnd: true)
    }
    let version: Int64
    do throws(SQLiteFailure) {
      if opened?.identity != identity {
        opened = nil
        let connection = try SQLiteConnection(path: files.path, access: .readOnly)
        connection.setBusyTimeout(milliseconds: 1_000)
        opened = (connection, identity)
      }
      guard let connection = opened?.connection else {
        return EventPage(events: [], lastSequence: sequence, damaged: 0, isAtEnd: true)
      }
      version = try connection.integer("PRAGMA user_version")
      // The file exists a moment before its schema does.
      guard version > 0 else { return EventPage(events: [], lastSequence: sequence, damaged: 0, isAtEnd: true) }
      if version <= EventFile.schema.version { return try read(StoredEventScan(connection)) }
    } catch {
      opened = nil
      throw error.storeError
    }
    opened = nil
    throw StoreError(
      .newer, "the database has schema \(version), and this version knows \(EventFile.schema.version)")
  }
}
