import Effects
import Testing

@testable import Storage

@Suite struct DatabaseSchemaTests {
  let directory: TemporaryDirectory
  let schema = DatabaseSchema(
    version: 3, tables: "CREATE TABLE t (a INTEGER)", pageBytes: 8192, synchronous: .full)
  var files: DatabaseFiles { DatabaseFiles(directory: directory.path, name: "a.sqlite3") }

  init() throws { directory = try TemporaryDirectory() }

  private func open() throws -> SQLiteConnection { try schema.open(files, fileSystem: nil) }

  /// Changes the file between two opens.
  private func change(_ sql: String) throws {
    try SQLiteConnection(path: files.path, access: .readWrite).execute(sql)
  }

  private func isTakenForDamage() -> Bool {
    do throws(OpenFailure) {
      _ = try schema.open(files, fileSystem: nil)
      return false
    } catch {
      if case .damaged = error { return true }
      return false
    }
  }

  @Test func makesANewFileAndOpensItAgain() throws {
    do {
      let connection = try open()
      #expect(try connection.integer("PRAGMA user_version") == 3)
      #expect(try connection.integer("PRAGMA application_id") == 0x466f_6f74)
      #expect(try connection.integer("PRAGMA page_size") == 8192)
      #expect(try connection.integer("PRAGMA synchronous") == 2)
      #expect(try connection.text("PRAGMA journal_mode") == "wal")
      try connection.execute("INSERT INTO t VALUES (7)")
    }
    #expect(try open().integer("SELECT a FROM t") == 7)
  }

  @Test func refusesANewerSchemaInWords() throws {
    do { _ = try open() }
    try change("PRAGMA user_version = 4; UPDATE meta SET value = 4 WHERE key = 'schema'")
    do throws(OpenFailure) {
      _ = try schema.open(files, fileSystem: nil)
      Issue.record("opened a newer schema")
    } catch {
      guard case .store(let refusal) = error else {
        Issue.record("took a newer schema for damage")
        return
      }
      #expect(refusal.code == .newer)
      #expect(refusal.detail.contains("schema 4") && refusal.detail.contains("knows 3"))
    }
  }

  @Test(arguments: [
    "PRAGMA user_version = 4", "PRAGMA user_version = 0", "PRAGMA application_id = 1", "DROP TABLE meta",
    "DELETE FROM meta", "PRAGMA user_version = -3; UPDATE meta SET value = -3",
  ])
  func takesContradictionsForDamage(sql: String) throws {
    do { _ = try open() }
    try change(sql)
    #expect(isTakenForDamage())
  }

  /// The header names the encoding of all text in four bytes from 56 on. A file that ends behind its header counts as
  /// empty, and would be filled in that encoding.
  @Test(arguments: [115, 8192]) func takesAnotherTextEncodingForDamage(length: Int) throws {
    do { _ = try open() }
    try change("PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = Array(try directory.read("a.sqlite3").prefix(length))
    bytes[59] = 2
    try directory.write("a.sqlite3", bytes)
    #expect(isTakenForDamage())
  }

  @Test func leavesADatabaseOfAnotherProgramAlone() throws {
    try createPrivateFile(files.path)
    try change("CREATE TABLE theirs (a)")
    #expect(isTakenForDamage(), "it is moved aside, not written to")
  }

  @Test func rebuildsIntoANewFileWithTheSameContent() throws {
    do { try open().execute("INSERT INTO t VALUES (1), (2), (3)") }
    let before = files.identity
    try schema.rebuild(files, fileSystem: nil)
    #expect(files.identity != before)
    #expect(try open().integer("SELECT sum(a) FROM t") == 6)
    #expect(try directory.mode("a.sqlite3") == 0o600)
  }
}
