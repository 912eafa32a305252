import CSQLite
import Testing

@testable import Storage

@Suite struct SQLiteStatementTests {
  let directory: TemporaryDirectory
  let connection: SQLiteConnection

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("a.sqlite3", [])
    connection = try SQLiteConnection(path: directory.path + "/a.sqlite3", access: .readWrite)
    try connection.execute("CREATE TABLE t (a INTEGER UNIQUE, b)")
  }

  @Test func bindsAndReadsEveryKindOfValue() throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
    for (number, value) in [
      (Int64.min, .blob([0, 1, 255])), (.max, .text("é\u{0}x")), (0, .utf8([])), (1, .blob([])), (2, .text("")),
    ] as [(Int64, SQLiteStatement.Value)] {
      try insert.bind(number, at: 1)
      try insert.run(binding: value, at: 2)
    }
    let select = try connection.prepare("SELECT b, typeof(b) FROM t ORDER BY rowid")
    var rows: [String] = []
    while try select.step() { rows.append("\(select.bytes(0)) \(select.text(1))") }
    #expect(rows == ["[0, 1, 255] blob", "[195, 169, 0, 120] text", "[] text", "[] blob", "[] text"])
  }

  @Test func isReadyAgainAfterAFailedStep() throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
    try insert.bind(1, at: 1)
    try insert.run(binding: .text("a"), at: 2)
    #expect(throws: SQLiteFailure.self) { try insert.run(binding: .text("b"), at: 2) }
    try insert.bind(2, at: 1)
    try insert.run(binding: .text("c"), at: 2)
    #expect(try connection.integer("SELECT count(*) FROM t") == 2)
  }

  @Test func bindsTwoValuesInTheirOrder() throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (1, ?1 || '|' || ?2)")
    try insert.run(binding: .text("first"), .utf8(Array("second".utf8)), at: 1)
    #expect(try connection.text("SELECT b FROM t") == "first|second")
  }

  @Test func forgetsAValueThatWasBoundInPlace() throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
    try insert.bind(1, at: 1)
    try insert.run(binding: .text("gone"), at: 2)
    try insert.bind(2, at: 1)
    #expect(try !insert.step())
    #expect(try connection.text("SELECT typeof(b) FROM t WHERE a = 2") == "null")
  }

  @Test func forgetsAValueAlsoAfterAFailure() throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
    for number in [1, 1, 2] {
      try insert.bind(Int64(number), at: 1)
      do { try insert.run(binding: .text("gone"), at: 2) } catch {
        #expect(error.primaryCode == SQLITE_CONSTRAINT)
      }
    }
    try insert.bind(3, at: 1)
    #expect(try !insert.step())
    #expect(try connection.integer("SELECT count(*) FROM t WHERE b = 'gone'") == 2)
    #expect(try connection.integer("SELECT count(*) FROM t WHERE b IS NULL") == 1)
  }

  @Test func readsARowWhileItsParameterIsThereAndForgetsItThen() throws {
    try connection.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    let select = try connection.prepare("SELECT b, ?1 FROM t WHERE b >= ?1 ORDER BY b")
    #expect(try select.firstRow(binding: .text("x"), at: 1) { [$0.text(0), $0.text(1)] } == ["x", "x"])
    #expect(try select.firstRow(binding: .text("y"), at: 1) { [$0.text(0), $0.text(1)] } == ["y", "y"])
    #expect(try select.firstRow(binding: .text("z"), at: 1) { $0.text(0) } == nil)
    #expect(try !select.step(), "NULL is not comparable: the parameter is gone")
    #expect(throws: SQLiteFailure.self) { try select.firstRow(binding: .text("x"), at: 2) { $0.text(0) } }
  }

  @Test func letsGoOfAParameterOfARowThatNobodyReads() throws {
    let select = try connection.prepare("SELECT ?1")
    try select.run(binding: .text("gone"), at: 1)
    #expect(try select.step())
    #expect(select.withBytes(0) { $0.count } == 0)
  }

  @Test func startsOverAfterTheLastRowAndAfterAReset() throws {
    try connection.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    let select = try connection.prepare("SELECT a FROM t ORDER BY a")
    var seen: [Int64] = []
    for _ in 0..<2 { while try select.step() { seen.append(select.integer(0)) } }
    #expect(seen == [1, 2, 1, 2])
    #expect(try select.step())
    select.reset()
    #expect(try select.step())
    #expect(select.integer(0) == 1)
  }

  @Test func refusesAParameterThatIsNotThere() throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
    let number = #expect(throws: SQLiteFailure.self) { try insert.bind(1, at: 3) }
    #expect(number?.primaryCode == SQLITE_RANGE)
    let one = #expect(throws: SQLiteFailure.self) { try insert.run(binding: .text("x"), at: 3) }
    #expect(one?.primaryCode == SQLITE_RANGE)
    let second = #expect(throws: SQLiteFailure.self) { try insert.run(binding: .text("x"), .text("y"), at: 2) }
    #expect(second?.primaryCode == SQLITE_RANGE)
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
  }

  @Test func namesTheStatementThatFailed() throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (1, 2)")
    #expect(try !insert.step())
    let failure = #expect(throws: SQLiteFailure.self) { _ = try insert.step() }
    #expect(failure?.message == "INSERT INTO t VALUES (1, 2): UNIQUE constraint failed: t.a")
  }

  @Test func readsAnEmptyColumnInPlace() throws {
    try connection.execute("INSERT INTO t VALUES (1, NULL), (2, x'0102')")
    let select = try connection.prepare("SELECT b FROM t ORDER BY a")
    var counts: [Int] = []
    while try select.step() { counts.append(select.withBytes(0) { $0.count }) }
    #expect(counts == [0, 2])
  }
}
