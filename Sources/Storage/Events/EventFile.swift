import Effects

/// The open database file of events, as the writer's thread sees it.
///
/// Not sendable: it belongs to the thread that writes. After a failure other than `busy` it must be given up and opened
/// anew: what a failed device or file system leaves in a connection is not to be trusted.
final class EventFile {
  static let name = "events.sqlite3"

  // No index on ids: whoever acknowledges an event has read it with its sequence number, and finds it by that.
  static let schema = DatabaseSchema(
    version: 1,
    tables: "CREATE TABLE events (first INTEGER PRIMARY KEY, count INTEGER NOT NULL, lines TEXT NOT NULL)",
    pageBytes: 32 << 10, synchronous: .normal)

  /// The sequence number of the event that was inserted last, ever.
  private(set) var lastSequence: Int64
  /// Events in the file.
  private(set) var rows: Int64
  /// Events whose checksum did not match when the file was opened.
  let damaged: Int64
  /// Size of the main file in bytes.
  private(set) var fileBytes: Int64

  private let connection: SQLiteConnection
  private let insertBlock: SQLiteStatement
  private let keepLastSequence: SQLiteStatement
  private let findOldest: SQLiteStatement
  private let deleteBlock: SQLiteStatement
  private let countPages: SQLiteStatement
  private let countFreePages: SQLiteStatement
  private let pageBytes: Int64
  private let retainedRows: Int64
  private let retainedBytes: Int64
  private let checkpointBytes: Int
  private var bytesSinceCheckpoint = 0
  private var blockMemory: [UInt8] = []

  /// A commit deletes at most so many blocks beyond those it inserts.
  private static let retentionStep = 64

  /// Opens the file, or makes it.
  ///
  /// - Parameter firstSequence: where the numbers start in a new file.
  init(_ files: DatabaseFiles, options: EventDatabaseOptions, firstSequence: Int64) throws(OpenFailure) {
    let connection = try Self.schema.open(files, fileSystem: options.fileSystem)
    do throws(SQLiteFailure) {
      insertBlock = try connection.prepare("INSERT INTO events (first, count, lines) VALUES (?1, ?2, ?3)")
      keepLastSequence = try connection.prepare("INSERT OR REPLACE INTO meta VALUES ('lastSequence', ?1)")
      findOldest = try connection.prepare("SELECT first, count, lines FROM events ORDER BY first LIMIT 1")
      deleteBlock = try connection.prepare("DELETE FROM events WHERE first = ?1")
      countPages = try connection.prepare("PRAGMA page_count")
      countFreePages = try connection.prepare("PRAGMA freelist_count")
      pageBytes = try connection.integer("PRAGMA page_size")
      fileBytes = try connection.integer("PRAGMA page_count") * pageBytes
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

  /// Stores the events, which must be storable, and enforces the retention limits in one transaction.
  ///
  /// - Returns: how many old events were deleted.
  func insert(_ batch: EventBatch) throws(SQLiteFailure) -> Int64 {
    var expired: Int64 = 0
    var bytes = 0
    try connection.transaction { () throws(SQLiteFailure) in
      var blocks = 0
      var next = lastSequence + 1
      var block = EventBlock(firstSequence: next, reusing: blockMemory)
      blockMemory = []
      var offset = 0
      for entry in batch.entries {
        batch.bytes.withUnsafeBytes {
          block.append(entry, UnsafeRawBufferPointer(rebasing: $0[offset..<offset + entry.length]))
        }
        offset += entry.length
        next += 1
        guard block.bytes.count >= EventBlock.targetBytes || offset == batch.bytes.count else { continue }
        try insert(block)
        bytes += block.bytes.count
        blocks += 1
        block = EventBlock(firstSequence: next, reusing: block.takeMemory())
      }
      blockMemory = block.takeMemory()
      try keepLastSequence.bind(next - 1, at: 1)
      _ = try keepLastSequence.step()
      expired = try enforceRetention(inserted: Int64(batch.count), blocks: blocks)
    }
    lastSequence += Int64(batch.count)
    rows = max(0, rows + Int64(batch.count) - expired)
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

  private func insert(_ block: EventBlock) throws(SQLiteFailure) {
    try insertBlock.bind(block.firstSequence, at: 1)
    try insertBlock.bind(block.count, at: 2)
    try insertBlock.run(binding: .utf8(block.bytes), at: 3)
  }

  /// Deletes the oldest blocks while there is more than may be kept, in bounded steps. Those of this transaction stay.
  private func enforceRetention(inserted: Int64, blocks: Int) throws(SQLiteFailure) -> Int64 {
    var expired: Int64 = 0
    for _ in 0..<(blocks + Self.retentionStep) {
      let usedBytes = try (read(countPages) - read(countFreePages)) * pageBytes
      guard rows + inserted - expired > retainedRows || usedBytes > retainedBytes else { break }
      guard try findOldest.step() else { break }
      let first = findOldest.integer(0)
      let count = EventBlock.plausibleCount(findOldest.integer(1), bytes: findOldest.withBytes(2) { $0.count })
      findOldest.reset()
      guard first <= lastSequence else { break }
      try deleteBlock.bind(first, at: 1)
      _ = try deleteBlock.step()
      expired += count
    }
    return expired
  }

  private func read(_ statement: SQLiteStatement) throws(SQLiteFailure) -> Int64 {
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }
}
