import CSQLite
import Effects
import Testing

@testable import Storage

@Suite struct SQLiteConnectionTests {
  let directory: TemporaryDirectory
  let connection: SQLiteConnection

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("a.sqlite3", [])
    connection = try SQLiteConnection(path: directory.path + "/a.sqlite3", access: .readWrite)
    try connection.execute("CREATE TABLE t (a INTEGER UNIQUE, b)")
  }

  @Test func commitsATransactionThatReturns() throws {
    try connection.transaction { () throws(SQLiteFailure) in try connection.execute("INSERT INTO t VALUES (1, 2)") }
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
  }

  @Test func rollsBackATransactionThatThrows() throws {
    #expect(throws: SQLiteFailure.self) {
      try connection.transaction { () throws(SQLiteFailure) in
        try connection.execute("INSERT INTO t VALUES (1, 2)")
        try connection.execute("INSERT INTO t VALUES (1, 3)")
      }
    }
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    try connection.transaction { () throws(SQLiteFailure) in try connection.execute("INSERT INTO t VALUES (1, 2)") }
  }

  @Test func answersNothingAsZeroAndEmpty() throws {
    #expect(try connection.integer("SELECT a FROM t") == 0)
    #expect(try connection.text("SELECT b FROM t") == "")
  }

  @Test func doesNotCreateFiles() throws {
    #expect(throws: SQLiteFailure.self) {
      _ = try SQLiteConnection(path: directory.path + "/missing", access: .readWrite)
    }
    #expect(try !directory.names().contains("missing"))
  }

  @Test func refusesToWriteWhenOpenedForReading() throws {
    let reader = try SQLiteConnection(path: directory.path + "/a.sqlite3", access: .readOnly)
    let failure = #expect(throws: SQLiteFailure.self) { try reader.execute("INSERT INTO t VALUES (1, 2)") }
    #expect(failure?.primaryCode == SQLITE_READONLY)
    #expect(failure?.storeError.code == .denied)
  }

  @Test func saysWhatFailed() throws {
    let failure = #expect(throws: SQLiteFailure.self) { try connection.execute("SELECT x FROM t") }
    #expect(failure?.message == "SELECT x FROM t: no such column: x")
  }
}
