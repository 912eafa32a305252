import Effects

/// The open database file of deliveries, as its thread sees it: cursors and dead letters.
///
/// Commits are not synced one by one: a power failure takes the newest ones back, cursor and letters together, and then
/// some events are sent again.
final class DeliveryFile {
  static let name = "deliveries.sqlite3"

  static let schema = DatabaseSchema(
    version: 1,
    tables: """
      CREATE TABLE cursors (
        backend TEXT PRIMARY KEY, position INTEGER NOT NULL, through INTEGER NOT NULL, missing TEXT NOT NULL,
        checksum INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE letters (
        number INTEGER PRIMARY KEY, backend TEXT NOT NULL, id TEXT NOT NULL, sequence INTEGER NOT NULL,
        time INTEGER NOT NULL, died INTEGER NOT NULL, queued INTEGER NOT NULL, reason TEXT NOT NULL,
        payload BLOB NOT NULL, checksum INTEGER NOT NULL, UNIQUE (backend, id))
      """,
    pageBytes: 4096, synchronous: .normal)

  private let connection: SQLiteConnection
  private let saveCursor: SQLiteStatement
  private let insertLetter: SQLiteStatement
  private let deleteLetter: SQLiteStatement
  private var nextNumber: Int64
  private var changesSinceCheckpoint = 0

  /// Opens the file, or makes it.
  convenience init(_ files: DatabaseFiles, fileSystem: String?) throws(OpenFailure) {
    let connection = try Self.schema.open(files, fileSystem: fileSystem)
    do throws(SQLiteFailure) {
      try self.init(connection)
    } catch {
      throw Self.schema.classify(error, files)
    }
  }

  private init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    self.connection = connection
    saveCursor = try connection.prepare(
      "INSERT OR REPLACE INTO cursors (position, through, checksum, backend, missing) VALUES (?1, ?2, ?3, ?4, ?5)")
    // An event that is given up again replaces the letter that it was.
    insertLetter = try connection.prepare(
      """
      INSERT OR REPLACE INTO letters (number, sequence, time, died, queued, checksum, backend, id, reason, payload)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    deleteLetter = try connection.prepare("DELETE FROM letters WHERE number = ?1")
    nextNumber = try connection.integer("SELECT max(number) FROM letters") &+ 1
  }

  // MARK: Cursors

  /// The cursors by backend; nil for one whose row is damaged.
  func cursors() throws(SQLiteFailure) -> [String: DeliveryCursor?] {
    var cursors: [String: DeliveryCursor?] = [:]
    let statement = try connection.prepare("SELECT backend, position, through, missing, checksum FROM cursors")
    while try statement.step() {
      let backend = statement.text(0)
      let text = statement.text(3)
      let cursor = DeliveryCursor(
        position: statement.integer(1), through: statement.integer(2),
        missing: DeliveryCursor.missing(ofText: text) ?? [])
      let isSound =
        cursor.position >= 0 && cursor.missingText == text
        && Self.checksum(of: cursor, backend: backend) == statement.integer(4)
      cursors[backend] = .some(isSound ? cursor : nil)
    }
    return cursors
  }

  /// Stores a change in one transaction.
  ///
  /// - Returns: how many letters had to go for the caps.
  func save(
    _ change: DeliveryChange, of backend: String, caps: (letters: Int64, bytes: Int64)
  ) throws(SQLiteFailure) -> Int64 {
    var dropped: Int64 = 0
    try connection.transaction { () throws(SQLiteFailure) in
      try write(change.cursor, of: backend)
      for number in change.settledLetters { try delete(number) }
      for letter in change.dead { try insert(letter) }
      if !change.dead.isEmpty { dropped = try enforceCaps(letters: caps.letters, bytes: caps.bytes) }
    }
    try checkpointIfDue(bytes: 8_192 + change.dead.reduce(0) { $0 + $1.event.payload.count + 1_024 })
    return dropped
  }

  /// Stores several cursors in one transaction, and letters that were saved from a damaged file.
  func restore(_ cursors: [String: DeliveryCursor], letters: [DeadLetter] = []) throws(SQLiteFailure) {
    try connection.transaction { () throws(SQLiteFailure) in
      for (backend, cursor) in cursors { try write(cursor, of: backend) }
      for letter in letters { try insert(letter) }
    }
  }

  private func write(_ cursor: DeliveryCursor, of backend: String) throws(SQLiteFailure) {
    try saveCursor.bind(cursor.position, at: 1)
    try saveCursor.bind(cursor.through, at: 2)
    try saveCursor.bind(Self.checksum(of: cursor, backend: backend), at: 3)
    try saveCursor.run(binding: [.text(backend), .text(cursor.missingText)], at: 4)
  }

  // MARK: Letters

  /// Letters in the order of their numbers, and how many damaged ones were passed over.
  func letters(
    of backend: String?, after number: Int64, limit: Int, queuedOnly: Bool = false
  ) throws(SQLiteFailure) -> [DeadLetter] {
    let statement = try connection.prepare(
      """
      SELECT number, backend, id, sequence, time, died, queued, reason, payload, checksum FROM letters
      WHERE number > ?1 AND queued >= ?2 \(backend == nil ? "" : "AND backend = ?4") ORDER BY number LIMIT ?3
      """)
    try statement.bind(number, at: 1)
    try statement.bind(queuedOnly ? 1 : 0, at: 2)
    try statement.bind(Int64(clamping: max(0, limit)), at: 3)
    var letters: [DeadLetter] = []
    var damaged: [Int64] = []
    try statement.forEachRow(binding: backend.map { [.text($0)] } ?? [], at: 4) { row in
      let letter = Self.letter(row)
      if Self.checksum(of: letter) == row.integer(9) {
        letters.append(letter)
      } else {
        damaged.append(letter.number)
      }
    }
    // A damaged letter is never sent, and would be in the way of those that can be.
    if queuedOnly { for number in damaged { try unqueue(number) } }
    return letters
  }

  /// How many letters there are that are not queued again.
  func letterCount(of backend: String?) throws(SQLiteFailure) -> Int64 {
    let statement = try connection.prepare(
      "SELECT count(*) FROM letters WHERE queued = 0 \(backend == nil ? "" : "AND backend = ?1")")
    var count: Int64 = 0
    try statement.forEachRow(binding: backend.map { [.text($0)] } ?? [], at: 1) { count = $0.integer(0) }
    return count
  }

  /// Queues letters again; returns how many.
  func requeue(ids: [String]?, of backend: String?) throws(SQLiteFailure) -> Int64 {
    let ofBackend = backend == nil ? "" : "AND backend = ?1"
    let binding: [SQLiteStatement.Value] = backend.map { [.text($0)] } ?? []
    var count: Int64 = 0
    try connection.transaction { () throws(SQLiteFailure) in
      guard let ids else {
        try connection.prepare("UPDATE letters SET queued = 1 WHERE queued = 0 \(ofBackend)")
          .run(binding: binding, at: 1)
        count = connection.changes
        return
      }
      let statement = try connection.prepare(
        "UPDATE letters SET queued = 1 WHERE queued = 0 \(ofBackend) AND id = ?\(binding.count + 1)")
      for id in ids {
        try statement.run(binding: binding + [.text(id)], at: 1)
        count += connection.changes
      }
    }
    return count
  }

  private func unqueue(_ number: Int64) throws(SQLiteFailure) {
    let statement = try connection.prepare("UPDATE letters SET queued = 0 WHERE number = ?1")
    try statement.bind(number, at: 1)
    _ = try statement.step()
  }

  private func insert(_ letter: DeadLetter) throws(SQLiteFailure) {
    for (index, number) in [
      nextNumber, letter.event.sequence, letter.event.timeMilliseconds, letter.diedAtMilliseconds,
      letter.isQueued ? 1 : 0, Self.checksum(of: letter),
    ].enumerated() {
      try insertLetter.bind(number, at: Int32(index + 1))
    }
    try insertLetter.run(
      binding: [
        .text(letter.backend), .text(letter.event.id), .text(letter.reason), .blob(letter.event.payload),
      ], at: 7)
    nextNumber += 1
  }

  private func delete(_ number: Int64) throws(SQLiteFailure) {
    try deleteLetter.bind(number, at: 1)
    _ = try deleteLetter.step()
  }

  /// Deletes the oldest letters beyond the caps.
  private func enforceCaps(letters: Int64, bytes: Int64) throws(SQLiteFailure) -> Int64 {
    var count = try connection.integer("SELECT count(*) FROM letters")
    var size = try connection.integer("SELECT sum(length(payload) + length(reason) + 200) FROM letters")
    guard count > letters || size > bytes else { return 0 }
    var dropped: Int64 = 0
    let oldest = try connection.prepare(
      "SELECT number, length(payload) + length(reason) + 200 FROM letters ORDER BY number LIMIT 1")
    while count > max(1, letters) || (size > bytes && count > 1), try oldest.step() {
      let number = oldest.integer(0)
      size -= oldest.integer(1)
      oldest.reset()
      try delete(number)
      count -= 1
      dropped += 1
    }
    return dropped
  }

  private static func letter(_ row: SQLiteStatement) -> DeadLetter {
    DeadLetter(
      number: row.integer(0), backend: row.text(1),
      event: QueuedEvent(
        sequence: row.integer(3), id: row.text(2), timeMilliseconds: row.integer(4), payload: row.bytes(8)),
      reason: row.text(7), diedAtMilliseconds: row.integer(5), isQueued: row.integer(6) != 0)
  }

  /// Copies the log into the main file when enough has gathered. It costs a sync, and a save is due every 100 ms.
  private func checkpointIfDue(bytes: Int) throws(SQLiteFailure) {
    changesSinceCheckpoint += bytes
    guard changesSinceCheckpoint >= 2 << 20 else { return }
    changesSinceCheckpoint = 0
    try connection.checkpoint()
  }

  /// Leaves everything in the main file and the log empty.
  func checkpointAll() throws(SQLiteFailure) { try connection.checkpoint(truncating: true) }
}

extension DeliveryFile {
  /// What can still be read of a database that was moved aside: sound rows only.
  static func salvage(_ path: String) -> (cursors: [String: DeliveryCursor], letters: [DeadLetter]) {
    var cursors: [String: DeliveryCursor] = [:]
    var letters: [DeadLetter] = []
    // Each part for itself, and as far as it goes: what cannot be read is why the file was moved.
    do throws(SQLiteFailure) {
      let file = try DeliveryFile(try SQLiteConnection(path: path, access: .readOnly))
      for (backend, cursor) in try file.cursors() { cursors[backend] = cursor }
      letters = try file.letters(of: nil, after: 0, limit: .max)
    } catch {
      return (cursors, letters)
    }
    return (cursors, letters)
  }

  fileprivate static func checksum(of cursor: DeliveryCursor, backend: String) -> Int64 {
    var checksum = RowChecksum()
    checksum.combine(text: backend)
    checksum.combine(UInt64(bitPattern: cursor.position))
    checksum.combine(UInt64(bitPattern: cursor.through))
    checksum.combine(text: cursor.missingText)
    return checksum.value
  }

  fileprivate static func checksum(of letter: DeadLetter) -> Int64 {
    var checksum = RowChecksum()
    checksum.combine(text: letter.backend)
    checksum.combine(text: letter.event.id)
    for number in [letter.event.sequence, letter.event.timeMilliseconds, letter.diedAtMilliseconds] {
      checksum.combine(UInt64(bitPattern: number))
    }
    checksum.combine(text: letter.reason)
    letter.event.payload.withUnsafeBytes { checksum.combine($0) }
    return checksum.value
  }
}

extension RowChecksum {
  fileprivate mutating func combine(text: String) {
    var text = text
    text.withUTF8 { combine(UnsafeRawBufferPointer($0)) }
  }
}
