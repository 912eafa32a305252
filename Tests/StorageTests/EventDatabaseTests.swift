import Effects
import Foundation
import Testing

@testable import Storage

@Suite struct EventDatabaseTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func keepsEveryRowInOrderAcrossARestart() throws {
    for start in [0, 500] {
      let database = try EventDatabase.open(directory: directory.path)
      for number in start..<(start + 500) { database.append(row(number)) }
      database.close()
      #expect(database.status.committed == 500)
    }
    let events = try storedEvents(directory)
    #expect(events.map(\.row) == (0..<1000).map { row($0) })
    #expect(events.map(\.sequence) == Array(1...1000))
    #expect(try integrity(directory) == "ok")
  }

  @Test func commitsWithoutBeingAsked() throws {
    let database = try EventDatabase.open(directory: directory.path)
    database.append([row(1)])
    // A deadline far beyond the 200 ms, so that a loaded machine does not fail the test.
    let deadline = Date(timeIntervalSinceNow: 30)
    while database.status.committed == 0, Date() < deadline { usleep(5_000) }
    #expect(try storedEvents(directory).map(\.row) == [row(1)])
  }

  @Test func commitsAFullGroupBeforeItsTime() throws {
    var options = EventDatabaseOptions()
    options.groupCommitMilliseconds = 3_600_000
    options.groupCommitRows = 10
    let database = try EventDatabase.open(directory: directory.path, options: options)
    database.append((0..<10).map { row($0) })
    let deadline = Date(timeIntervalSinceNow: 30)
    while database.status.committed < 10, Date() < deadline { usleep(5_000) }
    #expect(database.status.committed == 10)
  }

  @Test func flushesOnRequest() throws {
    var options = EventDatabaseOptions()
    options.groupCommitMilliseconds = 3_600_000
    let database = try EventDatabase.open(directory: directory.path, options: options)
    database.append(row(1))
    #expect(database.flush(timeoutMilliseconds: 30_000))
    #expect(database.status.committed == 1)
    #expect(database.status.pending == 0)
    #expect(database.flush(timeoutMilliseconds: 0), "nothing is pending")
  }

  @Test func losesNoRowOfManyThreads() async throws {
    let database = try EventDatabase.open(directory: directory.path)
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask { for number in 0..<2_500 { database.append(row(thread * 2_500 + number)) } }
      }
    }
    database.close()
    #expect(Set(try storedEvents(directory).map(\.row.id)).count == 10_000)
    #expect(database.status.committed == 10_000)
  }

  @Test func refusesASecondInstance() throws {
    let first = try EventDatabase.open(directory: directory.path)
    #expect(throws: StoreError(.busy, "")) { _ = try EventDatabase.open(directory: directory.path) }
    first.close()
    let second = try EventDatabase.open(directory: directory.path)
    second.close()
  }

  @Test func countsRowsThatComeAfterTheClose() throws {
    let database = try EventDatabase.open(directory: directory.path)
    database.close()
    database.append([row(1), row(2)])
    database.close()
    #expect(database.status.droppedClosed == 2)
    #expect(database.flush(timeoutMilliseconds: 1_000))
  }

  @Test func createsPrivateFilesWhateverTheUmask() throws {
    let previous = umask(0)
    defer { umask(previous) }
    let path = directory.path + "/new/state"
    let database = try EventDatabase.open(directory: path)
    database.append(row(1))
    #expect(database.flush(timeoutMilliseconds: 30_000))
    #expect(try directory.mode("new") == 0o700)
    #expect(try directory.mode("new/state") == 0o700)
    for name in ["events.sqlite3", "events.sqlite3-wal", "events.sqlite3-shm", "lock"] {
      #expect(try directory.mode("new/state/\(name)") == 0o600, "\(name)")
    }
  }

  @Test func leavesOneFileAfterACleanClose() throws {
    let database = try EventDatabase.open(directory: directory.path)
    database.append(row(1))
    database.close()
    #expect(try directory.names() == ["events.sqlite3", "lock"])
  }

  @Test func reportsRowsAndSize() throws {
    let database = try EventDatabase.open(directory: directory.path)
    database.append((0..<300).map { row($0) })
    #expect(database.flush(timeoutMilliseconds: 30_000))
    #expect(database.status.rows == 300)
    #expect(database.status.fileBytes > 60_000)
    #expect(database.status.lastError == nil)
  }
}
