import CSQLite
import Effects

/// What a database file of ours must be, and how one is made.
///
/// The file names its application and its schema version in SQLite's header; the version is also in the table `meta`, so
/// that a flipped bit in the header is not taken for a newer version. A newer version is no damage: the file is refused
/// and left alone.
struct DatabaseSchema: Sendable {
  /// "Foot" in ASCII, in the header's application id.
  static let applicationID: Int64 = 0x466f_6f74

  /// The version that this code reads and writes.
  let version: Int64
  /// The statements that make the tables, apart from `meta`.
  let tables: String
  /// The page size of a new file.
  let pageBytes: Int
  /// SQLite's `synchronous` mode: what a commit waits for.
  let synchronous: Synchronous

  enum Synchronous: String, Sendable {
    /// The log is synced before a checkpoint only: a commit survives the process, not a power failure.
    case normal = "NORMAL"
    /// Each commit is synced.
    case full = "FULL"
  }

  /// Opens a connection for writing and brings the file to the schema.
  ///
  /// - Throws: a corruption failure for everything that cannot be this database, see ``OpenFailure``.
  func open(_ files: DatabaseFiles, fileSystem: String?) throws(OpenFailure) -> SQLiteConnection {
    do {
      try createPrivateFile(files.path)
    } catch {
      throw .store(error)
    }
    do {
      let connection = try SQLiteConnection(path: files.path, access: .readWrite, fileSystem: fileSystem)
      connection.setBusyTimeout(milliseconds: 250)
      // The page size holds for new files only. Large pages need fewer system calls per byte.
      try connection.execute("PRAGMA page_size = \(pageBytes); PRAGMA synchronous = \(synchronous.rawValue)")
      guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
        throw SQLiteFailure(code: SQLITE_CANTOPEN, message: "the file system does not support the write-ahead log")
      }
      let encoding = try connection.text("PRAGMA encoding")
      guard encoding == "UTF-8" else { throw Self.damage("text as \(encoding)") }
      // Checkpoints are made by hand: SQLite swallows the errors of its own.
      try connection.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 4194304")
      let verdict = try connection.text("PRAGMA quick_check(1)")
      guard verdict == "ok" else { throw Self.damage("quick_check: \(verdict)") }
      try bringUp(connection)
      return connection
    } catch let failure as SQLiteFailure {
      throw classify(failure, files)
    } catch let refusal as StoreError {
      throw .store(refusal)
    } catch {
      throw .store(StoreError(.inputOutput, "\(error)"))
    }
  }

  /// A failure that says: this file is not what it should be.
  static func damage(_ words: String) -> SQLiteFailure { SQLiteFailure(code: SQLITE_CORRUPT, message: words) }

  private func bringUp(_ connection: SQLiteConnection) throws {
    let found = try connection.integer("PRAGMA user_version")
    let owner = try connection.integer("PRAGMA application_id")
    if found == 0, owner == 0, try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
      try connection.transaction { () throws(SQLiteFailure) in
        try connection.execute(
          """
          \(tables);
          CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
          INSERT INTO meta VALUES ('schema', \(version));
          PRAGMA application_id = \(Self.applicationID);
          PRAGMA user_version = \(version)
          """)
      }
      return
    }
    let confirmed = try connection.integer("SELECT value FROM meta WHERE key = 'schema'")
    guard owner == Self.applicationID, found == confirmed, found > 0 else {
      throw Self.damage("application \(owner), schema \(found), in meta \(confirmed)")
    }
    guard found <= version else {
      throw StoreError(.newer, "the database has schema \(found), and this version knows \(version)")
    }
    // The one write of opening: a file that cannot be written must not look healthy until the first event.
    try connection.execute("UPDATE meta SET value = value WHERE key = 'schema'")
  }

  /// Whether a failure while opening means damage.
  func classify(_ failure: SQLiteFailure, _ files: DatabaseFiles) -> OpenFailure {
    switch failure.primaryCode {
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(failure)
    // Damage to the text of the schema shows as a table or a column that is not there.
    case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH: return .damaged(failure)
    // Read-only although the system grants writing: the version bytes in the header say so, and are wrong.
    case SQLITE_READONLY where isWritable(files.path): return .damaged(failure)
    default: return .store(failure.storeError)
    }
  }
}

/// Why a database could not be opened.
enum OpenFailure: Error {
  /// The file is damaged; moving it aside helps.
  case damaged(SQLiteFailure)
  /// Anything else; the file is left alone.
  case store(StoreError)
}
