import CSQLite
package import Effects
import Synchronization

/// Small durable values in `state.sqlite3`.
///
/// A call returns once the value is synced to the disk (`synchronous=FULL`): it survives a power failure, too. Calls
/// wait at most 250 ms for another connection. Each value carries a checksum; one that does not match is reported as
/// `corrupt`, and setting the key again repairs it. A file that is damaged as a whole is moved aside as
/// `state.sqlite3.corrupt-MILLISECONDS`, and a new one is started.
package final class SQLiteKeyValueStore: KeyValueStore {
  private struct State {
    /// Nil after a failure, until the next call opens it again: a connection that met a failing disk is not trusted.
    var connection: SQLiteConnection?
    /// The file failed to sync: its content must move to a new one.
    var mustRebuild = false
    var changesSinceCheckpoint = 0
    var isClosed = false
    var quarantined: [String] = []
  }

  private let state: Mutex<State>
  private let files: DatabaseFiles
  private let clock: any WallClock
  private let fileSystem: String?
  private let onQuarantine: @Sendable (_ name: String) -> Void

  static let schema = DatabaseSchema(
    version: 1,
    tables: "CREATE TABLE state (key TEXT PRIMARY KEY, checksum INTEGER NOT NULL, value BLOB NOT NULL) WITHOUT ROWID",
    pageBytes: 4096, synchronous: .full)

  /// Opens the store in a directory, which is created for its owner alone if need be.
  ///
  /// - Parameter onQuarantine: told the name of a damaged file that was moved aside, while opening or at a later call. It
  ///   must not use the store.
  /// - Throws: as ``EventDatabase/open(directory:options:)``; the directory is not locked by this.
  package init(
    directory: String, clock: any WallClock = SystemWallClock(), fileSystem: String? = nil,
    onQuarantine: @escaping @Sendable (_ name: String) -> Void = { _ in }
  ) throws(StoreError) {
    try StateDirectory.create(directory)
    files = DatabaseFiles(directory: directory, name: "state.sqlite3")
    self.clock = clock
    self.fileSystem = fileSystem
    self.onQuarantine = onQuarantine
    state = Mutex(State())
    try call { _ throws(SQLiteFailure) in }
  }

  package func value(forKey key: String) throws(StoreError) -> [UInt8]? {
    let stored = try call { connection throws(SQLiteFailure) in
      try connection.prepare("SELECT value, checksum FROM state WHERE key = ?1")
        .firstRow(binding: .text(key), at: 1) { (value: $0.bytes(0), checksum: $0.integer(1)) }
    }
    guard let stored else { return nil }
    guard RowChecksum.ofValue(stored.value, forKey: key) == stored.checksum else {
      throw StoreError(.corrupt, "the checksum of the value for \(key) does not match")
    }
    return stored.value
  }

  package func set(_ value: [UInt8], forKey key: String) throws(StoreError) {
    try call(changing: true) { connection throws(SQLiteFailure) in
      let statement = try connection.prepare("INSERT OR REPLACE INTO state (checksum, key, value) VALUES (?1, ?2, ?3)")
      try statement.bind(RowChecksum.ofValue(value, forKey: key), at: 1)
      try statement.run(binding: .text(key), .blob(value), at: 2)
    }
  }

  package func removeValue(forKey key: String) throws(StoreError) {
    try call(changing: true) { connection throws(SQLiteFailure) in
      try connection.prepare("DELETE FROM state WHERE key = ?1").run(binding: .text(key), at: 1)
    }
  }

  /// Removes several keys at once, all of them or none.
  package func removeValues(forKeys keys: [String]) throws(StoreError) {
    guard !keys.isEmpty else { return }
    try call(changing: true) { connection throws(SQLiteFailure) in
      try connection.transaction { () throws(SQLiteFailure) in
        let statement = try connection.prepare("DELETE FROM state WHERE key = ?1")
        for key in keys { try statement.run(binding: .text(key), at: 1) }
      }
    }
  }

  /// The names of the damaged files that were moved aside since the store was opened.
  package var quarantined: [String] { state.withLock { $0.quarantined } }

  /// Closes the file; later calls throw `closed`.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.connection = nil
    }
  }

  /// Runs the body on the open connection. A damaged file is moved aside, and the body runs once more on a new one.
  private func call<Result: Sendable>(
    changing: Bool = false, _ body: @Sendable (SQLiteConnection) throws(SQLiteFailure) -> Result
  ) throws(StoreError) -> Result {
    let outcome = state.withLock { state -> Swift.Result<Result, StoreError> in
      if state.isClosed { return .failure(StoreError(.closed, "the store was closed")) }
      var isRepeated = false
      while true {
        switch attempt(&state, body) {
        case .success(let result):
          if changing { checkpointIfDue(&state) }
          return .success(result)
        case .failure(.store(let error)): return .failure(error)
        case .failure(.damaged(let failure)):
          guard !isRepeated else { return .failure(failure.storeError) }
          isRepeated = true
          state.mustRebuild = false
          do throws(StoreError) {
            let name = try files.quarantine(atMilliseconds: clock.millisecondsSinceEpoch())
            state.quarantined.append(name)
            onQuarantine(name)
          } catch {
            return .failure(error)
          }
        }
      }
    }
    return try outcome.get()
  }

  /// One attempt. After a failure no reference to the connection is left, so that it is closed before its file moves.
  private func attempt<Result>(
    _ state: inout State, _ body: @Sendable (SQLiteConnection) throws(SQLiteFailure) -> Result
  ) -> Swift.Result<Result, OpenFailure> {
    do throws(OpenFailure) {
      let connection = try openConnection(&state)
      do throws(SQLiteFailure) {
        return .success(try body(connection))
      } catch {
        giveUp(&state, after: error)
        throw Self.schema.classify(error, files)
      }
    } catch {
      return .failure(error)
    }
  }

  private func openConnection(_ state: inout State) throws(OpenFailure) -> SQLiteConnection {
    if let connection = state.connection { return connection }
    if state.mustRebuild {
      try Self.schema.rebuild(files, fileSystem: fileSystem)
      state.mustRebuild = false
    }
    let connection = try Self.schema.open(files, fileSystem: fileSystem)
    state.connection = connection
    return connection
  }

  private func giveUp(_ state: inout State, after failure: SQLiteFailure) {
    if failure.primaryCode != SQLITE_BUSY { state.connection = nil }
    if failure.isSyncFailure { state.mustRebuild = true }
  }

  /// Keeps the log short. The change itself is synced already, so a failure here is not one of the call; but the
  /// connection is not used again.
  private func checkpointIfDue(_ state: inout State) {
    guard let connection = state.connection else { return }
    state.changesSinceCheckpoint += 1
    guard state.changesSinceCheckpoint >= Self.changesPerCheckpoint else { return }
    state.changesSinceCheckpoint = 0
    do throws(SQLiteFailure) {
      try connection.checkpoint()
    } catch {
      giveUp(&state, after: error)
    }
  }

  private static let changesPerCheckpoint = 256
}
