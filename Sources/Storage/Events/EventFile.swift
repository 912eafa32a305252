import Effects

/// The open database file of events, as the writer's thread sees it.
///
/// Not sendable: it belongs to the thread that writes. After a failure other than `busy` it must be given up and opened
/// anew: what a failed device or file system leaves in a connection is not to be trusted.
final class EventFile {
  static let name = "events.sqlite3"

  // No index on `id`: a unique one would cost about as much as the row itself. Whoever acknowledges a row has read it
  // with its sequence number, and finds it by that.
  static let schema = DatabaseSchema(
    version: 1,
    tables: """
      CREATE TABLE events (
        seq INTEGER PRIMARY KEY, id TEXT NOT NULL, time INTEGER NOT NULL, checksum INTEGER NOT NULL,
        payload TEXT NOT NULL)
      """,
    synchronous: .normal)

  /// The sequence number of the row that was inserted last, ever.
  private(set) var lastSequence: Int64
  /// Rows in the file.
  private(set) var rows: Int64
  /// Rows whose checksum did not match when the file was opened.
  let damaged: Int64
  /// Size of the main file in bytes.
  private(set) var fileBytes: Int64 = 0

  private let connection: SQLiteConnection
  private let insertRow: SQLiteStatement
  private let keepLastSequence: SQLiteStatement
  private let deleteOldest: SQLiteStatement
  private let countPages: SQLiteStatement
  private let countFreePages: SQLiteStatement
  private let pageBytes: Int64
  private let retainedRows: Int64
  private let retainedBytes: Int64
  private let checkpointBytes: Int
  private var bytesSinceCheckpoint = 0

  /// A commit deletes at most so many rows beyond those it inserted.
  private static let retentionStep: Int64 = 2_000

  /// Opens the file, or makes it.
  ///
  /// - Parameter firstSequence: where the numbers start in a new file.
  init(_ files: DatabaseFiles, options: EventDatabaseOptions, firstSequence: Int64) throws(OpenFailure) {
    let connection = try Self.schema.open(files, fileSystem: options.fileSystem)
    do throws(SQLiteFailure) {
      insertRow = try connection.prepare(
        "INSERT INTO events (seq, time, checksum, id, payload) VALUES (?1, ?2, ?3, ?4, ?5)")
      keepLastSequence = try connection.prepare("INSERT OR REPLACE INTO meta VALUES ('lastSequence', ?1)")
      deleteOldest = try connection.prepare(
        "DELETE FROM events WHERE seq IN (SELECT seq FROM events ORDER BY seq LIMIT ?1)")
      countPages = try connection.prepare("PRAGMA page_count")
      countFreePages = try connection.prepare("PRAGMA freelist_count")
      pageBytes = try connection.integer("PRAGMA page_size")
      let kept = try connection.integer("SELECT value FROM meta WHERE key = 'lastSequence'")
      let scan = try StoredEventScan(connection).countAll()
      guard kept >= 0, scan.lastSequence < Int64.max / 2, kept < Int64.max / 2 else {
        throw DatabaseSchema.damage("sequence numbers out of range")
      }
      lastSequence = max(kept, scan.lastSequence, kept == 0 && scan.rows == 0 ? firstSequence - 1 : 0)
      rows = scan.rows
      damaged = scan.damaged
    } catch {
      throw Self.schema.classify(error, files)
    }
    self.connection = connection
    retainedRows = max(1, options.retainedRows)
    retainedBytes = max(1 << 16, options.retainedBytes)
    checkpointBytes = options.checkpointBytes
  }

  /// Inserts the rows and enforces the retention limits in one transaction, then checkpoints if it is time.
  ///
  /// - Returns: how many old rows were deleted.
  func insert(_ batch: [EventRow]) throws(SQLiteFailure) -> Int64 {
    var sequence = lastSequence
    var expired: Int64 = 0
    var bytes = 0
    try connection.transaction { () throws(SQLiteFailure) in
      for row in batch {
        sequence += 1
        bytes += row.payload.count + 80
        try insert(row, sequence: sequence)
      }
      try keepLastSequence.bind(sequence, at: 1)
      _ = try keepLastSequence.step()
      expired = try enforceRetention(inserted: Int64(batch.count))
    }
    lastSequence = sequence
    rows += Int64(batch.count) - expired
    bytesSinceCheckpoint += bytes
    fileBytes = try read(countPages) * pageBytes
    return expired
  }

  /// Copies the write-ahead log into the main file when enough has gathered.
  func checkpointIfDue() throws(SQLiteFailure) {
    guard bytesSinceCheckpoint >= checkpointBytes else { return }
    try connection.checkpoint()
    bytesSinceCheckpoint = 0
  }

  /// Leaves everything in the main file and the log empty.
  func checkpointAll() throws(SQLiteFailure) { try connection.checkpoint(truncating: true) }

  private func insert(_ row: EventRow, sequence: Int64) throws(SQLiteFailure) {
    try insertRow.bind(sequence, at: 1)
    try insertRow.bind(row.timeMilliseconds, at: 2)
    try insertRow.bind(RowChecksum.ofEvent(sequence: sequence, row: row), at: 3)
    _ = try insertRow.step(binding: .text(row.id), .utf8(row.payload), at: 4)
  }

  private func enforceRetention(inserted: Int64) throws(SQLiteFailure) -> Int64 {
    var excess = rows + inserted - retainedRows
    let usedBytes = try (read(countPages) - read(countFreePages)) * pageBytes
    if usedBytes > retainedBytes, usedBytes > 0 {
      // The share of the rows that the excess bytes stand for, on average.
      let share = Double(usedBytes - retainedBytes) / Double(usedBytes) * Double(rows + inserted)
      excess = max(excess, Int64(share) + 1)
    }
    guard excess > 0 else { return 0 }
    // The newest row always stays.
    let step = min(excess, inserted + Self.retentionStep, rows + inserted - 1)
    guard step > 0 else { return 0 }
    try deleteOldest.bind(step, at: 1)
    _ = try deleteOldest.step()
    return step
  }

  private func read(_ statement: SQLiteStatement) throws(SQLiteFailure) -> Int64 {
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }
}
