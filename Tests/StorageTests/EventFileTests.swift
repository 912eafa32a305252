import Effects
import Testing

@testable import Storage

@Suite struct EventFileTests {
  let directory: TemporaryDirectory
  var files: DatabaseFiles { DatabaseFiles(directory: directory.path, name: EventFile.name) }

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ change: (inout EventDatabaseOptions) -> Void = { _ in }) throws -> EventFile {
    var options = EventDatabaseOptions()
    change(&options)
    return try EventFile(files, options: options, firstSequence: 1)
  }

  @Test func numbersRowsOnwardsAlsoWhenNoneIsLeft() throws {
    do {
      let file = try open()
      _ = try file.insert((0..<10).map { row($0) })
    }
    try SQLiteConnection(path: files.path, access: .readWrite).execute("DELETE FROM events")
    let file = try open()
    #expect(file.lastSequence == 10)
    #expect(file.rows == 0)
    _ = try file.insert([row(10)])
    #expect(try storedEvents(directory).map(\.sequence) == [11])
  }

  @Test func deletesTheOldestRowsBeyondTheRowLimit() throws {
    let file = try open { $0.retainedRows = 100 }
    var expired: Int64 = 0
    for start in stride(from: 0, to: 1000, by: 50) {
      expired += try file.insert((start..<(start + 50)).map { row($0) })
    }
    #expect(expired == 900)
    #expect(file.rows == 100)
    #expect(try storedEvents(directory).map(\.row) == (900..<1000).map { row($0) })
  }

  @Test func keepsTheFileNearTheByteLimit() throws {
    let limit: Int64 = 1 << 20
    let file = try open { $0.retainedBytes = limit }
    for start in stride(from: 0, to: 20_000, by: 500) {
      _ = try file.insert((start..<(start + 500)).map { row($0, bytes: 400) })
      try file.checkpointIfDue()
    }
    #expect(file.fileBytes < limit * 3 / 2)
    #expect(file.rows > 1_000)
    let events = try storedEvents(directory)
    #expect(Int64(events.count) == file.rows)
    #expect(events.last?.row == row(19_999, bytes: 400))
  }

  @Test func deletesInBoundedSteps() throws {
    do {
      let file = try open()
      for number in 0..<200 { _ = try file.insert([row(number)]) }
    }
    let file = try open { $0.retainedRows = 10 }
    // One block more than the step, because one was added.
    #expect(try file.insert([row(200)]) == 65)
    #expect(file.rows == 136)
    #expect(try file.insert([row(201)]) == 65)
    #expect(try file.insert([row(202)]) == 63)
    #expect(file.rows == 10)
  }

  @Test func keepsAtLeastTheNewestRow() throws {
    let file = try open { $0.retainedRows = 0 }
    _ = try file.insert([row(1)])
    _ = try file.insert([row(2, bytes: 300_000)])
    #expect(file.rows == 1)
    #expect(try storedEvents(directory).map(\.row.id) == ["id-2"])
  }

  @Test func insertsAllRowsOfATransactionOrNone() throws {
    let faults = FaultyFileSystem()
    let file = try open { $0.fileSystem = faults.name }
    _ = try file.insert([row(1)])
    faults.fail(.write, code: 13)
    #expect(throws: SQLiteFailure.self) { _ = try file.insert((2..<100).map { row($0) }) }
    #expect(file.lastSequence == 1)
    faults.heal()
    #expect(try storedEvents(directory).map(\.row) == [row(1)])
  }
}
