import CSQLite
import Effects
import Testing

@testable import Storage

/// What the writer does when the disk fails (the file system under SQLite is made to fail, SQLite is the real one).
@Suite struct EventWriterTests {
  let directory: TemporaryDirectory
  let faults = FaultyFileSystem()
  let incidents = IncidentLog()

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ change: (inout EventDatabaseOptions) -> Void = { _ in }) throws -> EventDatabase {
    var options = quickOptions()
    options.fileSystem = faults.name
    options.onIncident = { [incidents] in incidents.add($0) }
    change(&options)
    return try EventDatabase.open(directory: directory.path, options: options)
  }

  @Test(arguments: [(SQLITE_FULL, StoreError.Code.full), (SQLITE_IOERR | (3 << 8), .inputOutput)])
  func keepsRowsWhileTheDiskRefusesThemAndWritesThemLater(code: Int32, expected: StoreError.Code) throws {
    let database = try open()
    faults.fail(.write, code: code)
    database.append((0..<50).map { row($0) })
    #expect(!database.flush(timeoutMilliseconds: 100))
    let during = database.status
    #expect(during.isFailing)
    #expect(during.lastError?.code == expected)
    #expect(during.pending == 50)
    #expect(during.committed == 0)
    #expect(during.failures > 0)
    faults.heal()
    #expect(database.flush(timeoutMilliseconds: 30_000))
    let after = database.status
    #expect(!after.isFailing)
    #expect(after.lastError?.code == expected, "the last error stays readable")
    database.close()
    #expect(try storedEvents(directory).map(\.row) == (0..<50).map { row($0) })
    #expect(incidents.names == ["failing", "recovered"])
    #expect(try integrity(directory) == "ok")
  }

  @Test func dropsTheNewestWhileTheDiskIsFullAndSaysHowMany() throws {
    let database = try open { $0.pendingRows = 20 }
    faults.fail(.write, code: SQLITE_FULL)
    database.append((0..<50).map { row($0) })
    #expect(database.status.droppedFull == 30)
    faults.heal()
    #expect(database.flush(timeoutMilliseconds: 30_000))
    #expect(try storedEvents(directory).map(\.row) == (0..<20).map { row($0) })
  }

  @Test func closesThoughTheDiskIsFullAndCountsWhatWasLost() throws {
    let database = try open { $0.retryMilliseconds = 100_000...100_000 }
    faults.fail(.write, code: SQLITE_FULL)
    database.append((0..<5).map { row($0) })
    database.close()
    #expect(database.status.droppedError == 5)
    #expect(database.status.pending == 0)
  }

  @Test func survivesTheFailureOfAnySingleOperation() throws {
    for code in [SQLITE_FULL, SQLITE_IOERR | (3 << 8)] {
      var step = 0
      var isExhausted = false
      while !isExhausted {
        step += 1
        let directory = try TemporaryDirectory(inMemory: true)
        var options = quickOptions()
        options.fileSystem = faults.name
        options.checkpointBytes = 40_000
        let database = try EventDatabase.open(directory: directory.path, options: options)
        faults.failOnce(after: step, code: code)
        // Enough for checkpoints, so that every kind of operation has its turn.
        for group in 0..<3 {
          database.append((0..<20).map { row(group * 20 + $0, bytes: 3_000) })
          #expect(database.flush(timeoutMilliseconds: 30_000))
        }
        database.close()
        isExhausted = faults.isArmed
        faults.heal()
        let numbers = try storedEvents(directory).map(\.row.id)
        #expect(numbers == (0..<60).map { "id-\($0)" }, "operation \(step), code \(code)")
        #expect(try integrity(directory) == "ok", "operation \(step), code \(code)")
      }
      #expect(step > 40)
    }
  }

  @Test func movesTheRowsToANewFileAfterAFailedSync() throws {
    let database = try open()
    database.append((0..<10).map { row($0) })
    #expect(database.flush(timeoutMilliseconds: 30_000))
    let before = try #require(DatabaseFiles(directory: directory.path, name: EventFile.name).identity)
    faults.fail(.sync, code: SQLITE_IOERR | (4 << 8))
    // More than a checkpoint's worth, 4 MiB: the rows are committed, the checkpoint fails.
    database.append((10..<60).map { row($0, bytes: 100_000) })
    #expect(database.flush(timeoutMilliseconds: 30_000))
    #expect(database.status.lastError?.code == .inputOutput)
    faults.heal()
    database.append(row(60))
    #expect(database.flush(timeoutMilliseconds: 30_000))
    let after = try #require(DatabaseFiles(directory: directory.path, name: EventFile.name).identity)
    #expect(before != after)
    #expect(try storedEvents(directory).map(\.row.id) == (0...60).map { "id-\($0)" })
    database.close()
    #expect(try directory.names() == ["events.sqlite3", "lock"])
    #expect(try directory.mode("events.sqlite3") == 0o600)
    #expect(try storedEvents(directory).map(\.sequence) == Array(1...61))
  }

  @Test func replacesAFileThatIsDamagedWhileItIsOpen() throws {
    let database = try open()
    database.append((0..<100).map { row($0) })
    #expect(database.flush(timeoutMilliseconds: 30_000))
    // What a write reports when SQLite finds a page that cannot be.
    faults.failOnce(after: 1, code: SQLITE_CORRUPT)
    database.append(row(100))
    #expect(database.flush(timeoutMilliseconds: 30_000))
    #expect(database.status.quarantined == 1)
    database.append(row(101))
    database.close()
    #expect(incidents.names == ["quarantined"])
    let events = try storedEvents(directory)
    #expect(events.map(\.row.id) == ["id-100", "id-101"])
    #expect(try #require(events.first).sequence > 100, "a reader that continues after 100 misses nothing")
    let aside = try #require(try directory.names().first { $0.contains(".corrupt-") && !$0.hasSuffix("-shm") })
    #expect(try integrity(directory, aside.replacing("-wal", with: "")) == "ok")
  }

  @Test func waitsForAForeignLockWithoutGivingUpTheFile() throws {
    let database = try EventDatabase.open(directory: directory.path, options: quickOptions())
    let other = try SQLiteConnection(path: "\(directory.path)/\(EventFile.name)", access: .readWrite)
    try other.execute("BEGIN IMMEDIATE")
    database.append(row(1))
    #expect(!database.flush(timeoutMilliseconds: 600))
    #expect(database.status.lastError?.code == .busy)
    try other.execute("COMMIT")
    #expect(database.flush(timeoutMilliseconds: 30_000))
  }
}
