import CSQLite
import Effects
import Foundation
import Synchronization
import Testing

@testable import Storage

@Suite struct SQLiteKeyValueStoreTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ faults: FaultyFileSystem? = nil) throws -> SQLiteKeyValueStore {
    try SQLiteKeyValueStore(directory: directory.path, fileSystem: faults?.name)
  }

  @Test func removesSeveralKeysAtOnce() throws {
    let directory = try TemporaryDirectory()
    let store = try SQLiteKeyValueStore(directory: directory.path)
    for key in ["a", "b", "c"] { try store.set([1], forKey: key) }
    try store.removeValues(forKeys: ["a", "never there", "c"])
    try store.removeValues(forKeys: [])
    #expect(try ["a", "b", "c"].map { try store.value(forKey: $0) } == [nil, [1], nil])
  }

  @Test func keepsValuesAcrossARestart() throws {
    do {
      let store = try open()
      try store.set([1, 2, 3], forKey: "visitor")
      try store.set([], forKey: "empty")
      try store.set([9], forKey: "gone")
      try store.set([4, 0, 255], forKey: "visitor")
      try store.removeValue(forKey: "gone")
      try store.removeValue(forKey: "never there")
    }
    let store = try open()
    #expect(try store.value(forKey: "visitor") == [4, 0, 255])
    #expect(try store.value(forKey: "empty") == [])
    #expect(try store.value(forKey: "gone") == nil)
  }

  @Test func createsPrivateFiles() throws {
    let store = try open()
    try store.set([1], forKey: "a")
    for name in ["state.sqlite3", "state.sqlite3-wal", "state.sqlite3-shm"] {
      #expect(try directory.mode(name) == 0o600)
    }
  }

  @Test func refusesAfterTheClose() throws {
    let store = try open()
    store.close()
    #expect(throws: StoreError(.closed, "")) { _ = try store.value(forKey: "a") }
    #expect(throws: StoreError(.closed, "")) { try store.set([], forKey: "a") }
  }

  @Test func answersBusyInBoundedTime() throws {
    let store = try open()
    let other = try SQLiteConnection(path: directory.path + "/state.sqlite3", access: .readWrite)
    try other.execute("BEGIN IMMEDIATE")
    #expect(throws: StoreError(.busy, "")) { try store.set([1], forKey: "a") }
    #expect(try store.value(forKey: "a") == nil, "reading goes on")
    try other.execute("COMMIT")
    try store.set([1], forKey: "a")
    #expect(try store.value(forKey: "a") == [1])
  }

  @Test func reportsAFullDiskAndGoesOnWhenThereIsSpace() throws {
    let faults = FaultyFileSystem()
    let store = try open(faults)
    try store.set([1], forKey: "a")
    faults.fail(.write, code: SQLITE_FULL)
    #expect(throws: StoreError(.full, "")) { try store.set([2], forKey: "a") }
    faults.heal()
    #expect(try store.value(forKey: "a") == [1])
    try store.set([2], forKey: "a")
    #expect(try store.value(forKey: "a") == [2])
  }

  @Test func startsANewFileAfterAFailedSync() throws {
    let faults = FaultyFileSystem()
    let store = try open(faults)
    try store.set([1], forKey: "a")
    let before = DatabaseFiles(directory: directory.path, name: "state.sqlite3").identity
    faults.fail(.sync, code: SQLITE_IOERR | (4 << 8))
    #expect(throws: StoreError(.inputOutput, "")) { try store.set([2], forKey: "b") }
    faults.heal()
    #expect(try store.value(forKey: "a") == [1])
    #expect(DatabaseFiles(directory: directory.path, name: "state.sqlite3").identity != before)
    try store.set([2], forKey: "b")
    #expect(try open().value(forKey: "b") == [2])
  }

  @Test func reportsADamagedValueUntilItIsSetAgain() throws {
    let store = try open()
    try store.set([1, 2, 3], forKey: "a")
    try store.set([7], forKey: "b")
    try SQLiteConnection(path: directory.path + "/state.sqlite3", access: .readWrite)
      .execute("UPDATE state SET value = x'010203ff' WHERE key = 'a'")
    #expect(throws: StoreError(.corrupt, "")) { _ = try store.value(forKey: "a") }
    #expect(try store.value(forKey: "b") == [7])
    try store.set([4], forKey: "a")
    #expect(try store.value(forKey: "a") == [4])
  }

  @Test func movesADamagedFileAside() throws {
    try directory.write("state.sqlite3", [UInt8](repeating: 0xaa, count: 5000))
    let store = try open()
    #expect(store.quarantined.count == 1)
    #expect(try directory.read(try #require(store.quarantined.first)) == [UInt8](repeating: 0xaa, count: 5000))
    try store.set([1], forKey: "a")
    #expect(try store.value(forKey: "a") == [1])
  }

  @Test func movesAsideWhatTurnsOutDamagedWhileItIsOpen() throws {
    let faults = FaultyFileSystem()
    let told = Mutex<[String]>([])
    let store = try SQLiteKeyValueStore(directory: directory.path, fileSystem: faults.name) { name in
      told.withLock { $0.append(name) }
    }
    try store.set([1], forKey: "a")
    #expect(told.withLock { $0 }.isEmpty)
    faults.failOnce(after: 1, code: SQLITE_CORRUPT)
    try store.set([2], forKey: "b")
    #expect(store.quarantined.count == 1)
    #expect(told.withLock { $0 } == store.quarantined)
    #expect(try store.value(forKey: "b") == [2])
    #expect(try store.value(forKey: "a") == nil)
  }

  @Test func refusesANewerSchemaAndLeavesItAlone() throws {
    do { try open().set([1], forKey: "a") }
    let connection = try SQLiteConnection(path: directory.path + "/state.sqlite3", access: .readWrite)
    try connection.execute("PRAGMA user_version = 2; UPDATE meta SET value = 2 WHERE key = 'schema'")
    let error = #expect(throws: StoreError.self) { _ = try open() }
    #expect(error?.code == .newer)
    #expect(error?.detail.contains("schema 2") == true)
    #expect(try !directory.names().contains { $0.contains("corrupt") })
  }

  @Test func takesAFlippedVersionForDamage() throws {
    do { try open().set([1], forKey: "a") }
    try SQLiteConnection(path: directory.path + "/state.sqlite3", access: .readWrite).execute(
      "PRAGMA user_version = 65")
    #expect(try open().quarantined.count == 1)
  }

  @Test func survivesTheFailureOfAnySingleOperation() throws {
    let faults = FaultyFileSystem()
    let store = try open(faults)
    var expected: [UInt8] = []
    for step in 1...40 {
      faults.failOnce(after: step, code: SQLITE_IOERR | (3 << 8))
      for value in 0..<4 {
        do {
          try store.set([UInt8(step), UInt8(value)], forKey: "a")
          expected = [UInt8(step), UInt8(value)]
        } catch {
          // Refused: the old value or, when the failure came late, the new one.
          let now = try store.value(forKey: "a") ?? []
          #expect(now == expected || now == [UInt8(step), UInt8(value)])
          expected = now
        }
        #expect(try store.value(forKey: "a") ?? [] == expected)
      }
      faults.heal()
    }
    store.close()
    #expect(try integrity(directory, "state.sqlite3") == "ok")
  }
}
