package import Effects

/// The durable store of events: a SQLite file, one writer thread, transactions shared by many rows.
///
/// - A caller never waits for the disk: ``append(_:)`` puts rows into a bounded queue, and what does not fit is dropped
///   and counted.
/// - A row is committed within 200 ms of its arrival while the disk works. A commit survives the end of the process,
///   also by kill -9, but not a power failure: the file is synced when its log is checkpointed.
/// - While the disk is full or broken, rows wait in memory up to the cap and writing is tried again, with pauses. After a
///   failure the connection is given up and the file checked before it is used again; after a failed sync the rows are
///   carried into a new file, because the system may show data as written that never reached the disk.
/// - A damaged file is moved aside as `events.sqlite3.corrupt-MILLISECONDS`, with its log, and a new one is started.
package final class EventDatabase: Sendable {
  private let pending: Monitor<PendingRows>
  private let thread: WorkerThread
  private let clock = SystemMonotonicClock()

  /// The version of SQLite in use.
  package static var libraryVersion: String { SQLiteConnection.libraryVersion }

  /// Opens the database in a directory that this call creates if need be, and locks.
  ///
  /// - Throws: `busy` when another instance has the directory; `denied` when the file was made by a newer version or
  ///   access is refused; `full` or `inputOutput` when the disk fails. Damage is no error.
  package static func open(
    directory: String, options: EventDatabaseOptions = EventDatabaseOptions()
  ) throws(StoreError) -> EventDatabase {
    try EventDatabase(in: StateDirectory(path: directory), options: options)
  }

  /// Opens the database in a directory that is locked already. The lock is held until the database is closed.
  package init(in directory: StateDirectory, options: EventDatabaseOptions = EventDatabaseOptions()) throws(StoreError)
  {
    let pending = Monitor(PendingRows(options))
    let writer = try EventWriter(directory: directory, options: options, pending: pending)
    self.pending = pending
    thread = try WorkerThread(name: "footfall-events") { writer.run() }
  }

  deinit { close() }

  /// Hands events, which must be storable, to the writer. Never blocks on the disk and never fails; see ``status`` for
  /// what was dropped.
  package func append(_ events: EventBatch) {
    let now = clock.nanoseconds()
    if pending.withLock({ $0.accept(events, now: now) }) { pending.wakeAll() }
  }

  /// Hands rows to the writer; those that cannot be stored are dropped and counted.
  package func append(_ rows: [EventRow]) {
    var events = EventBatch()
    for row in rows where row.isStorable {
      events.append(id: row.id.utf8, timeMilliseconds: row.timeMilliseconds, payload: row.payload)
    }
    if events.count < rows.count { pending.withLock { $0.status.droppedError += Int64(rows.count - events.count) } }
    if !events.isEmpty { append(events) }
  }

  /// Hands one row to the writer.
  package func append(_ row: EventRow) { append([row]) }

  /// Commits what was appended before the call without waiting for company.
  ///
  /// - Returns: whether all of it was committed, or given up at a close, within the time.
  @discardableResult
  package func flush(timeoutMilliseconds: Int) -> Bool {
    let deadline = clock.nanoseconds() &+ UInt64(clamping: timeoutMilliseconds) &* 1_000_000
    let goal = pending.withLock { $0.requestFlush() }
    pending.wakeAll()
    return pending.wait { pending in
      if pending.settled >= goal { return .done(true) }
      return clock.nanoseconds() >= deadline ? .done(false) : .waitUntil(nanoseconds: deadline)
    }
  }

  /// The counters and the present state.
  package var status: EventDatabaseStatus { pending.withLock { $0.status } }

  /// Commits what is pending, closes the file and frees the directory. Further rows are refused and counted.
  ///
  /// When the disk fails, pending rows are tried once more and then given up, so that a stop does not hang.
  package func close() {
    let isFirst = pending.withLock { pending in
      defer { pending.requestClose() }
      return !pending.isClosing
    }
    guard isFirst else { return }
    pending.wakeAll()
    thread.join()
  }
}
