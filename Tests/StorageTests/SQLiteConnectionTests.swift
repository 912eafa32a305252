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

  @Test func bindsAndReadsEveryKindOfValue() throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
    for (number, value) in [
      (Int64.min, .blob([0, 1, 255])), (.max, .text("é\u{0}x")), (0, .utf8([])), (1, .blob([])), (2, .text("")),
    ] as [(Int64, SQLiteStatement.Value)] {
      try insert.bind(number, at: 1)
      #expect(try !insert.step(binding: value, at: 2))
    }
    let select = try connection.prepare("SELECT b, typeof(b) FROM t ORDER BY rowid")
    var rows: [String] = []
    while try select.step() { rows.append("\(select.bytes(0)) \(select.text(1))") }
    #expect(rows == ["[0, 1, 255] blob", "[195, 169, 0, 120] text", "[] text", "[] blob", "[] text"])
  }

  @Test func isReadyAgainAfterAFailedStep() throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
    try insert.bind(1, at: 1)
    #expect(try !insert.step(binding: .text("a"), at: 2))
    #expect(throws: SQLiteFailure.self) { _ = try insert.step(binding: .text("b"), at: 2) }
    try insert.bind(2, at: 1)
    #expect(try !insert.step(binding: .text("c"), at: 2))
    #expect(try connection.integer("SELECT count(*) FROM t") == 2)
  }
}

@Suite struct SQLiteFailureTests {
  @Test(
    arguments: [
      (SQLITE_FULL, 0, .full), (SQLITE_IOERR | (3 << 8), 28, .full), (SQLITE_IOERR | (3 << 8), 5, .inputOutput),
      (SQLITE_CORRUPT, 0, .corrupt), (SQLITE_NOTADB, 0, .corrupt), (SQLITE_BUSY | (1 << 8), 0, .busy),
      (SQLITE_READONLY, 0, .denied), (SQLITE_CANTOPEN, 13, .denied), (SQLITE_CANTOPEN, 24, .inputOutput),
      (SQLITE_NOMEM, 0, .inputOutput),
    ] as [(Int32, Int32, StoreError.Code)])
  func mapsToTheSeam(code: Int32, systemError: Int32, expected: StoreError.Code) {
    let failure = SQLiteFailure(code: code, systemError: systemError, message: "m")
    #expect(failure.storeError.code == expected)
    #expect(failure.storeError.detail.contains("SQLite \(code)"))
  }

  @Test func knowsASyncFailure() {
    #expect(SQLiteFailure(code: 1034, message: "").isSyncFailure)
    #expect(SQLiteFailure(code: 1290, message: "").isSyncFailure)
    #expect(!SQLiteFailure(code: 778, message: "").isSyncFailure)
  }
}
