import CSQLite
import Effects

/// The thread's side of a delivery database: reads the queue, keeps cursors and dead letters, and repairs what breaks.
///
/// Not sendable: it is built by the opener and handed over to the thread. Each call tries once, and on a new file when
/// the old one proves damaged.
final class DeliveryWriter {
  private let files: DatabaseFiles
  private let options: DeliveryDatabaseOptions
  private let positions: DeliveryPositions
  private var reader: EventReader
  private let onDamagedQueue: () -> Void

  /// Nil after a failure, until the next call opens it again: a connection that met a failing disk is not trusted.
  private var file: DeliveryFile?
  /// The file failed to sync: its content must move to a new one.
  private var mustRebuild = false
  private(set) var lettersDropped: Int64 = 0
  private(set) var quarantined: Int64 = 0

  /// - Parameters:
  ///   - backends: those that are delivered to. The store knows where each stands before the first event comes in.
  ///   - lastSequence: the last event that is stored.
  ///   - onDamagedQueue: told when the event database cannot be read.
  init(
    directory: StateDirectory, backends: [String], lastSequence: Int64, positions: DeliveryPositions,
    options: DeliveryDatabaseOptions, onDamagedQueue: @escaping () -> Void
  ) throws(StoreError) {
    self.onDamagedQueue = onDamagedQueue
    self.options = options
    self.positions = positions
    files = DatabaseFiles(directory: directory.path, name: DeliveryFile.name)
    reader = EventReader(directory: directory.path)
    let stored = try call { file throws(SQLiteFailure) in try file.cursors() }
    var cursors: [String: DeliveryCursor] = [:]
    for backend in backends {
      // After a power failure the newest events may be gone, and their numbers be used again.
      switch stored[backend] {
      case .some(.some(let cursor)): cursors[backend] = cursor.limited(to: lastSequence)
      case .some(.none): cursors[backend] = lose(backend)
      // A damaged row may be that of this backend, with its name damaged.
      case .none:
        let isNew = quarantined == 0 && !stored.values.contains(nil)
        cursors[backend] = isNew ? DeliveryCursor(position: lastSequence) : lose(backend)
      }
    }
    for (backend, cursor) in cursors { positions.set(cursor, of: backend) }
    try call { file throws(SQLiteFailure) in try file.restore(cursors) }
  }

  private func lose(_ backend: String) -> DeliveryCursor {
    options.onIncident(.positionLost(backend: backend))
    return DeliveryCursor(position: 0)
  }

  func page(of backend: String, after sequence: Int64, limit: Int, bytes: Int) throws(StoreError) -> RecordPage {
    let page: EventPage
    do throws(StoreError) {
      page = try reader.read(afterSequence: sequence, limit: limit, bytes: bytes)
    } catch {
      if error.code == .corrupt { onDamagedQueue() }
      throw error
    }
    positions.noteRead(upTo: page.lastSequence, of: backend)
    return RecordPage(
      events: page.events.map { event in
        QueuedEvent(
          sequence: event.sequence, id: event.row.id, timeMilliseconds: event.row.timeMilliseconds,
          payload: event.row.payload)
      }, lastSequence: page.lastSequence, damaged: page.damaged, isAtEnd: page.isAtEnd)
  }

  func save(_ change: DeliveryChange, of backend: String) throws(StoreError) {
    let caps = (letters: options.maximumLetters, bytes: options.maximumLetterBytes)
    let dropped = try call { file throws(SQLiteFailure) in try file.save(change, of: backend, caps: caps) }
    positions.set(change.cursor, of: backend)
    guard dropped > 0 else { return }
    lettersDropped += dropped
    options.onIncident(.lettersDropped(dropped))
  }

  /// Runs the body on the open file. A damaged file is moved aside, and the body runs once more on a new one.
  func call<Result>(_ body: (DeliveryFile) throws(SQLiteFailure) -> Result) throws(StoreError) -> Result {
    do throws(OpenFailure) {
      return try attempt(body)
    } catch {
      switch error {
      case .store(let refusal): throw refusal
      case .damaged(let failure): try quarantine(reason: failure.message)
      }
    }
    do throws(OpenFailure) {
      return try attempt(body)
    } catch {
      switch error {
      case .store(let refusal): throw refusal
      case .damaged(let failure): throw failure.storeError
      }
    }
  }

  /// Leaves everything in the main file.
  func close() {
    // A log that stays beside the file is read at the next start.
    do { try file?.checkpointAll() } catch { file = nil }
    file = nil
  }

  /// One attempt. After a failure no reference to the file is left, so that it is closed before it moves.
  private func attempt<Result>(
    _ body: (DeliveryFile) throws(SQLiteFailure) -> Result
  ) throws(OpenFailure) -> Result {
    if mustRebuild {
      file = nil
      try DeliveryFile.schema.rebuild(files, fileSystem: options.fileSystem)
      mustRebuild = false
    }
    let file: DeliveryFile
    if let opened = self.file {
      file = opened
    } else {
      file = try DeliveryFile(files, fileSystem: options.fileSystem)
      self.file = file
    }
    do throws(SQLiteFailure) {
      return try body(file)
    } catch {
      if error.primaryCode != SQLITE_BUSY { self.file = nil }
      if error.isSyncFailure { mustRebuild = true }
      throw DeliveryFile.schema.classify(error, files)
    }
  }

  /// Moves the damaged file aside and carries over what can still be read of it, or is known anyway.
  private func quarantine(reason: String) throws(StoreError) {
    file = nil
    mustRebuild = false
    let name = try files.quarantine(atMilliseconds: options.clock.millisecondsSinceEpoch())
    quarantined += 1
    options.onIncident(.quarantined(name: name, reason: reason))
    let saved = DeliveryFile.salvage("\(files.directory)/\(name)")
    let cursors = saved.cursors.merging(positions.cursors) { _, known in known }
    do throws(OpenFailure) {
      try attempt { file throws(SQLiteFailure) in try file.restore(cursors, letters: saved.letters) }
    } catch {
      switch error {
      case .store(let refusal): throw refusal
      case .damaged(let failure): throw failure.storeError
      }
    }
  }
}
