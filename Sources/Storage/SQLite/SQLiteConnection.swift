import CSQLite

/// One connection to one database file.
///
/// Not sendable: it is opened without SQLite's own mutexes and belongs to one thread, or to one lock, at a time.
final class SQLiteConnection {
  /// The version of the library in use.
  static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  /// How the file is opened.
  enum Access {
    /// For reading and writing; the file exists already.
    case readWrite
    /// For reading only.
    case readOnly
  }

  private let handle: OpaquePointer

  /// Opens an existing file. The virtual file system is SQLite's default unless one is named.
  init(path: String, access: Access, fileSystem: String? = nil) throws(SQLiteFailure) {
    var opened: OpaquePointer?
    let flags = (access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &opened, flags, fileSystem)
    guard let opened else { throw SQLiteFailure(code: code, message: "open \(path): out of memory") }
    handle = opened
    sqlite3_extended_result_codes(opened, 1)
    // The deinitializer runs, and closes the handle, when the initializer throws from here on.
    guard code == SQLITE_OK else { throw failure("open \(path)") }
    // A damaged or hostile file must not be able to do more than hold wrong data.
    sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 1)
    try execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
  }

  deinit {
    // Every statement holds its connection, so none is left here; close_v2 would only defer the close if one were.
    sqlite3_close_v2(handle)
  }

  /// How long a statement waits for another connection's lock.
  func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  /// Runs statements that return nothing of interest.
  func execute(_ sql: StaticString) throws(SQLiteFailure) { try execute("\(sql)") }

  /// Runs statements that return nothing of interest.
  func execute(_ sql: String) throws(SQLiteFailure) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// A statement for repeated use.
  func prepare(_ sql: String) throws(SQLiteFailure) -> SQLiteStatement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(sql) }
    return SQLiteStatement(owning: statement, of: self)
  }

  /// The first column of the first row as a number; 0 when there is no row.
  func integer(_ sql: String) throws(SQLiteFailure) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The first column of the first row as text; empty when there is no row.
  func text(_ sql: String) throws(SQLiteFailure) -> String {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(0) : ""
  }

  /// Rows that the last statement changed.
  var changes: Int64 { Int64(sqlite3_changes(handle)) }

  /// Runs the body between BEGIN IMMEDIATE and COMMIT, and rolls back when either throws.
  func transaction(_ body: () throws(SQLiteFailure) -> Void) throws(SQLiteFailure) {
    try execute("BEGIN IMMEDIATE")
    do {
      try body()
      try execute("COMMIT")
    } catch {
      // Some failures have rolled back already; for those, ROLLBACK is an error without consequence.
      if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  /// Copies the frames of the write-ahead log into the main file as far as no reader is in the way.
  ///
  /// - Parameter truncating: wait (within the busy timeout) for readers and leave the log empty.
  func checkpoint(truncating: Bool = false) throws(SQLiteFailure) {
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
    // Busy means that a reader held some frames back: the next checkpoint takes them.
    guard code == SQLITE_OK || code & 0xff == SQLITE_BUSY else { throw failure("checkpoint") }
  }

  /// The failure that the last call on this connection left behind.
  func failure(_ action: String) -> SQLiteFailure {
    let words = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "no message"
    return SQLiteFailure(
      code: sqlite3_extended_errcode(handle), systemError: sqlite3_system_errno(handle),
      message: "\(action.prefix(60)): \(words)")
  }
}
