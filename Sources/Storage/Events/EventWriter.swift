import CSQLite
import Effects

/// The writer's side of an event database: takes rows, commits them, and keeps at it when the disk fails.
///
/// Not sendable: it is built by the opener and handed over to the thread.
final class EventWriter {
  private let pending: Monitor<PendingRows>
  private let options: EventDatabaseOptions
  /// Held for its lock.
  private let directory: StateDirectory
  private let files: DatabaseFiles
  private let clock = SystemMonotonicClock()

  /// Nil after a failure, until it is opened again.
  private var file: EventFile?
  /// The sequence number of the last row that is known to be committed.
  private var lastSequence: Int64 = 0
  /// The file failed to sync: its content must move to a new one.
  private var mustRebuild = false
  private var isFailing = false

  init(
    directory: StateDirectory, options: EventDatabaseOptions, pending: Monitor<PendingRows>
  ) throws(StoreError) {
    self.directory = directory
    self.options = options
    self.pending = pending
    files = DatabaseFiles(directory: directory.path, name: EventFile.name)
    try openFile()
    publish()
  }

  /// Works until the database is closed.
  func run() {
    var batch = EventBatch()
    while nextBatch(&batch) {
      let isCommitted = write(batch)
      pending.withLock { $0.settle(committed: isCommitted ? batch.count : 0) }
      pending.wakeAll()
    }
    closeFile()
  }

  /// Sleeps until rows are due; false when there are none and none will come.
  private func nextBatch(_ batch: inout EventBatch) -> Bool {
    pending.wait { pending in
      guard let due = pending.dueTime else { return pending.isClosing ? .done(false) : .wait }
      guard due <= clock.nanoseconds() else { return .waitUntil(nanoseconds: due) }
      pending.take(into: &batch)
      return .done(true)
    }
  }

  /// Commits the rows, however often it takes; false when a close ended the attempts.
  private func write(_ batch: EventBatch) -> Bool {
    var pause = options.retryMilliseconds.lowerBound
    var goal: Int64?
    while !batch.isEmpty {
      do throws(StoreError) {
        try openFile()
        do throws(SQLiteFailure) {
          try attempt(batch, &goal)
          return true
        } catch {
          giveUp(after: error)
          guard error.isCorruption else { throw error.storeError }
          // Another attempt follows at once, on a new file.
          try quarantine(reason: error.message)
        }
      } catch {
        report(error)
        guard rest(milliseconds: pause) else { return false }
        pause = min(pause * 2, options.retryMilliseconds.upperBound)
      }
    }
    return true
  }

  /// One attempt at the transaction. It must not hold on to the file beyond its return: a connection that is closed
  /// after the file was replaced would remove the log of the new one.
  private func attempt(_ batch: EventBatch, _ goal: inout Int64?) throws(SQLiteFailure) {
    guard let file else { return }
    var expired: Int64 = 0
    // A commit that reported a failure may have reached the log all the same.
    if goal != file.lastSequence {
      goal = file.lastSequence + Int64(batch.count)
      expired = try file.insert(batch)
    }
    lastSequence = file.lastSequence
    publish(expired: expired)
    do {
      try file.checkpointIfDue()
      reportSuccess()
    } catch {
      // The rows are in the log, so they are committed; but the file is not to be trusted from here on.
      giveUp(after: error)
      report(error.storeError)
    }
  }

  private func giveUp(after failure: SQLiteFailure) {
    if failure.primaryCode != SQLITE_BUSY { file = nil }
    if failure.isSyncFailure { mustRebuild = true }
  }

  /// Opens the file if it is not open, repaired or made anew if need be.
  private func openFile() throws(StoreError) {
    guard file == nil else { return }
    do throws(OpenFailure) {
      if mustRebuild {
        try EventFile.schema.rebuild(files, fileSystem: options.fileSystem)
        mustRebuild = false
      }
      file = try EventFile(files, options: options, firstSequence: lastSequence + 1)
    } catch {
      switch error {
      case .store(let refusal): throw refusal
      case .damaged(let failure): try quarantine(reason: failure.message)
      }
      file = try openNew()
      mustRebuild = false
    }
    guard let file else { return }
    lastSequence = max(lastSequence, file.lastSequence)
    pending.withLock { $0.status.damaged = file.damaged }
  }

  /// A new file in the place of a damaged one. Its numbers start above any that the old one can have used, so that a
  /// reader that continues after the last one it saw misses nothing.
  private func openNew() throws(StoreError) -> EventFile {
    let microseconds = options.clock.millisecondsSinceEpoch().multipliedReportingOverflow(by: 1_000)
    let start = microseconds.overflow ? 0 : microseconds.partialValue
    do throws(OpenFailure) {
      return try EventFile(files, options: options, firstSequence: max(lastSequence, start) + 1)
    } catch {
      switch error {
      case .store(let refusal): throw refusal
      case .damaged(let failure): throw failure.storeError
      }
    }
  }

  private func quarantine(reason: String) throws(StoreError) {
    file = nil
    let name = try files.quarantine(atMilliseconds: options.clock.millisecondsSinceEpoch())
    pending.withLock { $0.status.quarantined += 1 }
    options.onIncident(.quarantined(name: name, reason: reason))
  }

  /// Waits before the next attempt; false when the database is being closed.
  private func rest(milliseconds: Int) -> Bool {
    let end = clock.nanoseconds() &+ UInt64(clamping: milliseconds) &* 1_000_000
    return pending.wait { pending in
      if pending.isClosing { return .done(false) }
      return clock.nanoseconds() >= end ? .done(true) : .waitUntil(nanoseconds: end)
    }
  }

  private func report(_ error: StoreError) {
    pending.withLock { pending in
      pending.status.failures += 1
      pending.status.lastError = error
      pending.status.isFailing = true
    }
    guard !isFailing else { return }
    isFailing = true
    options.onIncident(.failing(error))
  }

  private func reportSuccess() {
    guard isFailing else { return }
    isFailing = false
    pending.withLock { $0.status.isFailing = false }
    options.onIncident(.recovered)
  }

  private func publish(expired: Int64 = 0) {
    guard let file else { return }
    pending.withLock { pending in
      pending.status.expired += expired
      pending.status.rows = file.rows
      pending.status.fileBytes = file.fileBytes
    }
  }

  private func closeFile() {
    do {
      try file?.checkpointAll()
    } catch {
      // The log stays beside the file, and the next start reads it.
      report(error.storeError)
    }
    file = nil
  }
}
