package import Effects

/// The durable side of deliveries: the event database as a queue, and `deliveries.sqlite3` with the cursors and dead
/// letters of each backend. One thread of its own does the work.
///
/// A stored change survives the end of the process, also by kill -9; a power failure may take the newest changes back,
/// and then their events are sent again. A damaged file is moved aside as `deliveries.sqlite3.corrupt-MILLISECONDS`;
/// sound rows of it are carried over.
package final class DeliveryDatabase: RecordStore {
  private struct Jobs: Sendable {
    var waiting: [@Sendable (DeliveryWriter) -> Void] = []
    var isClosing = false
    var lettersDropped: Int64 = 0
    var quarantined: Int64 = 0
  }

  private let jobs = Monitor(Jobs())
  private let events: EventDatabase
  private let positions: DeliveryPositions
  private let thread: WorkerThread

  /// Opens the database in the directory of the events, which are open already.
  ///
  /// - Parameters:
  ///   - positions: the one that the events were opened with, so that their retention knows what is delivered.
  ///   - backends: the names of those that are delivered to. A new one starts behind what is stored already.
  /// - Throws: `newer` when the file was made by a newer version; `denied`, `full` or `inputOutput` as the system says.
  ///   Damage is no error.
  package init(
    in directory: StateDirectory, events: EventDatabase, backends: [String], positions: DeliveryPositions,
    options: DeliveryDatabaseOptions = DeliveryDatabaseOptions()
  ) throws(StoreError) {
    self.events = events
    self.positions = positions
    let writer = try DeliveryWriter(
      directory: directory, backends: backends, lastSequence: events.status.lastSequence, positions: positions,
      options: options, onDamagedQueue: events.suspect)
    let jobs = jobs
    jobs.withLock { $0.quarantined = writer.quarantined }
    thread = try WorkerThread(name: "footfall-deliver") { Self.work(writer, jobs) }
  }

  deinit { close() }

  private static func work(_ writer: DeliveryWriter, _ jobs: Monitor<Jobs>) {
    while true {
      let due = jobs.wait { jobs -> Monitor<Jobs>.Step<[@Sendable (DeliveryWriter) -> Void]> in
        jobs.lettersDropped = writer.lettersDropped
        jobs.quarantined = writer.quarantined
        guard jobs.waiting.isEmpty else {
          defer { jobs.waiting = [] }
          return .done(jobs.waiting)
        }
        return jobs.isClosing ? .done([]) : .wait
      }
      guard !due.isEmpty else { break }
      for job in due { job(writer) }
    }
    writer.close()
  }

  /// Runs a job on the thread.
  private func perform<Result: Sendable>(
    _ body: @escaping @Sendable (DeliveryWriter) throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    let outcome = await withCheckedContinuation {
      (continuation: CheckedContinuation<Swift.Result<Result, StoreError>, Never>) in
      let isOpen = jobs.withLock { jobs in
        guard !jobs.isClosing else { return false }
        jobs.waiting.append { writer in
          do throws(StoreError) {
            continuation.resume(returning: .success(try body(writer)))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
        return true
      }
      if isOpen {
        jobs.wakeAll()
      } else {
        continuation.resume(returning: .failure(StoreError(.closed, "the deliveries were closed")))
      }
    }
    return try outcome.get()
  }

  package func committedSequence() async throws(StoreError) -> Int64 { events.status.lastSequence }

  package func page(
    of backend: String, after sequence: Int64, limit: Int, bytes: Int
  ) async throws(StoreError) -> RecordPage {
    try await perform { writer throws(StoreError) in
      try writer.page(of: backend, after: sequence, limit: limit, bytes: bytes)
    }
  }

  package func cursor(of backend: String) async throws(StoreError) -> DeliveryCursor {
    guard let cursor = positions.cursor(of: backend) else {
      throw StoreError(.denied, "the deliveries were opened without the backend \(backend)")
    }
    return cursor
  }

  package func save(_ change: DeliveryChange, of backend: String) async throws(StoreError) {
    try await perform { writer throws(StoreError) in try writer.save(change, of: backend) }
  }

  package func deadLetters(
    of backend: String?, after number: Int64, limit: Int
  ) async throws(StoreError) -> [DeadLetter] {
    try await perform { writer throws(StoreError) in
      try writer.call { file throws(SQLiteFailure) in try file.letters(of: backend, after: number, limit: limit) }
    }
  }

  package func deadLetterCount(of backend: String?) async throws(StoreError) -> Int64 {
    try await perform { writer throws(StoreError) in
      try writer.call { file throws(SQLiteFailure) in try file.letterCount(of: backend) }
    }
  }

  package func requeue(ids: [String]?, of backend: String?) async throws(StoreError) -> Int64 {
    try await perform { writer throws(StoreError) in
      try writer.call { file throws(SQLiteFailure) in try file.requeue(ids: ids, of: backend) }
    }
  }

  package func queuedLetters(of backend: String, limit: Int) async throws(StoreError) -> [DeadLetter] {
    try await perform { writer throws(StoreError) in
      try writer.call { file throws(SQLiteFailure) in
        try file.letters(of: backend, after: 0, limit: limit, queuedOnly: true)
      }
    }
  }

  /// Dead letters deleted for the caps since the start.
  package var lettersDropped: Int64 { jobs.withLock { $0.lettersDropped } }

  /// Damaged files that were moved aside since the start, at the open included.
  package var quarantined: Int64 { jobs.withLock { $0.quarantined } }

  /// Finishes what was asked for and closes the file; later calls throw `closed`.
  package func close() {
    let isFirst = jobs.withLock { jobs in
      defer { jobs.isClosing = true }
      return !jobs.isClosing
    }
    guard isFirst else { return }
    jobs.wakeAll()
    thread.join()
  }
}
