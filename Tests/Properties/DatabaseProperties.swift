import Effects
import Storage

extension Property {
  /// A damaged event database is read without a crash and never gives an event that was not stored; opening it for
  /// writing succeeds, if need be by moving it aside, and what is then written can be read.
  static let eventDatabase = Property("event-database") { bytes in
    let sound = try SoundDatabase.events.get()
    guard let damaged = DamagedFile(bytes, main: sound.main, log: sound.log) else { return }
    let directory = try ScratchDirectory("events")
    defer { discard(directory) }
    try directory.write("events.sqlite3", damaged.main)
    if !damaged.log.isEmpty { try directory.write("events.sqlite3-wal", damaged.log) }
    try requireTrueEvents(directory)

    var options = EventDatabaseOptions()
    options.retryMilliseconds = 1...4
    let database: EventDatabase
    do throws(StoreError) {
      database = try EventDatabase.open(directory: directory.path, options: options)
    } catch {
      // A file that a newer version made is left alone.
      try require(error.code == .newer, "open: \(error)")
      return
    }
    database.append(SoundDatabase.row(1000))
    let isFlushed = database.flush(timeoutMilliseconds: 20_000)
    let status = database.status
    database.close()
    try require(isFlushed, "the event was not committed: \(status)")
    var reader = EventReader(directory: directory.path)
    let newest = try reader.readNewest(1).events
    try require(newest.first?.row == SoundDatabase.row(1000), "the newest is \(newest)")
    try requireTrueEvents(directory)
  }

  /// The same for the database of small state.
  static let stateDatabase = Property("state-database") { bytes in
    let sound = try SoundDatabase.state.get()
    guard let damaged = DamagedFile(bytes, main: sound.main, log: sound.log) else { return }
    let directory = try ScratchDirectory("state")
    defer { discard(directory) }
    try directory.write("state.sqlite3", damaged.main)
    if !damaged.log.isEmpty { try directory.write("state.sqlite3-wal", damaged.log) }
    let store: SQLiteKeyValueStore
    do throws(StoreError) {
      store = try SQLiteKeyValueStore(directory: directory.path)
    } catch {
      try require(error.code == .newer, "open: \(error)")
      return
    }
    defer { store.close() }
    for key in SoundDatabase.keys {
      do throws(StoreError) {
        let value = try store.value(forKey: key)
        if let value { try requireStored(value, key) }
      } catch {
        try require(error.code == .corrupt, "read: \(error)")
      }
    }
    try store.set([1, 2, 3], forKey: "new")
    try require(try store.value(forKey: "new") == [1, 2, 3], "the new value is not there")
  }

  private static func requireStored(_ value: [UInt8], _ key: String) throws(StoreError) {
    guard value == SoundDatabase.value(key) else {
      throw StoreError(.inputOutput, "damage passed as a value: \(value)")
    }
  }

  private static func requireTrueEvents(_ directory: ScratchDirectory) throws {
    var reader = EventReader(directory: directory.path)
    do throws(StoreError) {
      let page = try reader.read(afterSequence: 0, limit: 1000)
      for event in page.events where !SoundDatabase.rows.contains(event.row) {
        throw StoreError(.full, "damage passed as an event: \(event)")
      }
    } catch {
      try require(error.code == .corrupt || error.code == .newer, "read: \(error)")
    }
  }

  private static func discard(_ directory: ScratchDirectory) {
    do { try directory.remove() } catch { print("left behind: \(directory.path): \(error)") }
  }
}

/// The bytes of databases as the product writes them, main file and log.
private struct SoundDatabase {
  var main: [UInt8]
  var log: [UInt8]

  static let rows = (0..<40).map(row) + [row(1000)]
  static let keys = ["visitor", "other", ""]

  static func row(_ number: Int) -> EventRow {
    EventRow(
      id: "0197f000-0000-7000-8000-0000000\(10_000 + number)", timeMilliseconds: 1_700_000_000_000 + Int64(number),
      payload: Array(#"{"number":\#(number)}"#.utf8))
  }

  static func value(_ key: String) -> [UInt8] { Array("the value of \(key)".utf8) }

  static let events = Result<SoundDatabase, any Error> {
    let directory = try ScratchDirectory("events")
    let database = try EventDatabase.open(directory: directory.path)
    database.append(Array(rows[..<20]))
    database.flush(timeoutMilliseconds: 20_000)
    database.close()
    let again = try EventDatabase.open(directory: directory.path)
    again.append(Array(rows[20..<40]))
    again.flush(timeoutMilliseconds: 20_000)
    let files = SoundDatabase(
      main: try directory.read("events.sqlite3"), log: try directory.read("events.sqlite3-wal"))
    again.close()
    try directory.remove()
    return files
  }

  static let state = Result<SoundDatabase, any Error> {
    let directory = try ScratchDirectory("state")
    let store = try SQLiteKeyValueStore(directory: directory.path)
    for key in keys { try store.set(value(key), forKey: key) }
    let files = SoundDatabase(
      main: try directory.read("state.sqlite3"), log: try directory.read("state.sqlite3-wal"))
    store.close()
    try directory.remove()
    return files
  }
}
