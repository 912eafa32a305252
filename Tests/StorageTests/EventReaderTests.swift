import Effects
import Testing

@testable import Storage

@Suite struct EventReaderTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func readsWhileTheDatabaseIsBeingWritten() throws {
    let database = try EventDatabase.open(directory: directory.path)
    var reader = EventReader(directory: directory.path)
    var seen: [EventRow] = []
    var last: Int64 = 0
    for group in 0..<20 {
      database.append((0..<25).map { row(group * 25 + $0) })
      database.flush(timeoutMilliseconds: 30_000)
      let page = try reader.read(afterSequence: last, limit: 1_000)
      last = page.lastSequence
      seen += page.events.map(\.row)
    }
    #expect(seen == (0..<500).map { row($0) })
  }

  @Test func readsAPageAtATime() throws {
    let database = try EventDatabase.open(directory: directory.path)
    database.append((0..<10).map { row($0) })
    database.close()
    var reader = EventReader(directory: directory.path)
    let first = try reader.read(afterSequence: 0, limit: 4)
    #expect(first.events.map(\.sequence) == [1, 2, 3, 4])
    let second = try reader.read(afterSequence: first.lastSequence, limit: 100)
    #expect(second.events.map(\.sequence) == [5, 6, 7, 8, 9, 10])
    let third = try reader.read(afterSequence: second.lastSequence, limit: 100)
    #expect(third == EventPage(events: [], lastSequence: 10, damaged: 0, isAtEnd: true))
    #expect(try reader.read(afterSequence: 0, limit: -5).events.isEmpty)
  }

  @Test func readsTheNewestOldestFirst() throws {
    let database = try EventDatabase.open(directory: directory.path)
    database.append((0..<10).map { row($0) })
    database.close()
    var reader = EventReader(directory: directory.path)
    #expect(try reader.readNewest(3).events.map(\.sequence) == [8, 9, 10])
    #expect(try reader.readNewest(100).events.count == 10)
  }

  @Test func findsNothingBeforeTheDatabaseExists() throws {
    var reader = EventReader(directory: directory.path)
    #expect(
      try reader.read(afterSequence: 7, limit: 10) == EventPage(events: [], lastSequence: 7, damaged: 0, isAtEnd: true))
    let database = try EventDatabase.open(directory: directory.path)
    database.append(row(1))
    database.close()
    #expect(try reader.read(afterSequence: 0, limit: 10).events.map(\.row) == [row(1)])
  }

  @Test func noticesThatTheFileWasReplaced() throws {
    let database = try EventDatabase.open(directory: directory.path)
    database.append((0..<3).map { row($0) })
    database.close()
    var reader = EventReader(directory: directory.path)
    let last = try reader.read(afterSequence: 0, limit: 10).lastSequence
    try directory.write("events.sqlite3", Array("no database at all".utf8))
    let fresh = try EventDatabase.open(directory: directory.path)
    #expect(fresh.status.quarantined == 1)
    fresh.append(row(3))
    fresh.close()
    #expect(try reader.read(afterSequence: last, limit: 10).events.map(\.row) == [row(3)])
  }

  @Test func saysWhenTheFileIsDamaged() throws {
    try directory.write("events.sqlite3", [UInt8](repeating: 7, count: 8192))
    var reader = EventReader(directory: directory.path)
    #expect(throws: StoreError(.corrupt, "")) { _ = try reader.read(afterSequence: 0, limit: 10) }
  }

  @Test func refusesANewerSchema() throws {
    let database = try EventDatabase.open(directory: directory.path)
    database.close()
    try SQLiteConnection(path: directory.path + "/events.sqlite3", access: .readWrite).execute(
      "PRAGMA user_version = 2")
    var reader = EventReader(directory: directory.path)
    #expect(throws: StoreError(.newer, "")) { _ = try reader.read(afterSequence: 0, limit: 10) }
  }
}
