import CohorlyTracker
import Effects
import Synchronization

/// What waits to be delivered: in memory, and record by record in the storage.
///
/// A record has a key of its own, named by its number; `cohorly-queue` names the first. They lie there without a gap, so
/// that a start finds them by looking from the first on. The oldest give way when there are too many.
final class RecordQueue: RecordStore {
  /// Records that wait at most.
  static let capacity = 1_000
  /// Bytes of them at most.
  static let maximumBytes = 16 << 20
  static let firstKey = "cohorly-queue"
  static func key(_ number: Int64) -> String { "\(firstKey)-\(number)" }

  private struct State {
    var rows: [QueuedEvent] = []
    var bytes = 0
    /// The number of the next record.
    var next: Int64 = 1
    /// What lies in the storage: the records from here on, below ``next`` but for those that could not be stored.
    var storedFirst: Int64 = 1
    var storedEnd: Int64 = 1
    var dropped = 0
    var dead = 0
    var storageError: String?
    /// Another queue has taken over what is stored.
    var isClosed = false

    var first: Int64 { rows.first?.sequence ?? next }
  }

  private let state: Mutex<State>
  private let storage: (any CohorlyStorage)?
  private let capacity: Int
  private let onDead: @Sendable (DeadLetter) -> Void

  /// Takes up what waited at the end of the last run.
  ///
  /// - Parameters:
  ///   - storage: nil for a queue in memory.
  ///   - onDead: told what the server will never take.
  init(
    storage: (any CohorlyStorage)?, capacity: Int = RecordQueue.capacity,
    onDead: @escaping @Sendable (DeadLetter) -> Void = { _ in }
  ) {
    var state = State()
    var storage = storage
    if let open = storage {
      do {
        try Self.load(&state, open)
      } catch {
        // What lies there must not be written over.
        state = State()
        state.storageError = "the queue cannot be read, and is kept in memory: \(error)"
        storage = nil
      }
    }
    self.storage = storage
    self.capacity = capacity
    self.onDead = onDead
    self.state = Mutex(state)
    self.state.withLock { state in
      trim(&state)
      store(&state)
    }
  }

  private static func load(_ state: inout State, _ storage: any CohorlyStorage) throws {
    let first = try storage.string(forKey: firstKey).flatMap { Int64($0) } ?? 1
    state.next = max(1, first)
    while let text = try storage.string(forKey: key(state.next)) {
      let row = row(state.next, text)
      state.rows.append(row)
      state.bytes += row.memoryBytes
      state.next += 1
    }
    state.storedFirst = first
    state.storedEnd = state.next
    // A kill came between the two steps of a removal.
    var left: [String] = []
    var number = first - 1
    while number > 0, try storage.string(forKey: key(number)) != nil {
      left.append(key(number))
      number -= 1
    }
    if !left.isEmpty { try storage.removeValues(forKeys: left.reversed()) }
  }

  /// A line with time and id, then the record.
  private static func text(_ row: QueuedEvent) -> String {
    "\(row.timeMilliseconds) \(row.id)\n" + String(decoding: row.payload, as: UTF8.self)
  }

  private static func row(_ number: Int64, _ text: String) -> QueuedEvent {
    let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let words = parts[0].split(separator: " ", maxSplits: 1)
    // One that is damaged becomes a letter that cannot be delivered.
    return QueuedEvent(
      sequence: number, id: words.count == 2 ? String(words[1]) : "damaged-\(number)",
      timeMilliseconds: words.first.flatMap { Int64($0) } ?? 0, payload: parts.count == 2 ? Array(parts[1].utf8) : [])
  }

  // MARK: For the program

  /// Adds a record; returns its number.
  func append(_ record: CohorlyRecord, id: String, timeMilliseconds: Int64) -> Int64 {
    let payload = record.stored(id: id, timeMilliseconds: timeMilliseconds)
    return state.withLock { state in
      let row = QueuedEvent(sequence: state.next, id: id, timeMilliseconds: timeMilliseconds, payload: payload)
      state.next += 1
      state.rows.append(row)
      state.bytes += row.memoryBytes
      trim(&state)
      store(&state)
      return row.sequence
    }
  }

  /// Forgets everything; returns how many records those were.
  func clear() -> Int {
    state.withLock { state in
      let count = state.rows.count
      remove(&state, count)
      store(&state)
      return count
    }
  }

  /// Leaves what is stored to another queue. Nothing is to be delivered from here any more.
  func close() {
    state.withLock { state in
      state.isClosed = true
      remove(&state, state.rows.count)
    }
  }

  /// Whether a record is still to be delivered.
  func contains(_ number: Int64) -> Bool { state.withLock { $0.first <= number && number < $0.next } }

  /// How it stands.
  var counts: (waiting: Int, dropped: Int, dead: Int, storageError: String?) {
    state.withLock { ($0.rows.count, $0.dropped, $0.dead, $0.storageError) }
  }

  private func trim(_ state: inout State) {
    var count = 0
    var bytes = state.bytes
    while state.rows.count - count > capacity || bytes > Self.maximumBytes, count < state.rows.count - 1 {
      bytes -= state.rows[count].memoryBytes
      count += 1
    }
    state.dropped += count
    remove(&state, count)
  }

  private func remove(_ state: inout State, _ count: Int) {
    for row in state.rows.prefix(count) { state.bytes -= row.memoryBytes }
    state.rows.removeFirst(count)
  }

  /// Brings the storage up to date. What fails is made up for at the next change.
  private func store(_ state: inout State) {
    guard let storage, !state.isClosed else { return }
    do {
      let first = state.first
      if state.storedFirst < first {
        try storage.set(String(first), forKey: Self.firstKey)
        let end = min(first, state.storedEnd)
        if state.storedFirst < end {
          try storage.removeValues(forKeys: (state.storedFirst..<end).map(Self.key))
        }
        state.storedFirst = first
        state.storedEnd = max(state.storedEnd, first)
      }
      for row in state.rows[max(0, Int(state.storedEnd - first))...] {
        try storage.set(Self.text(row), forKey: Self.key(row.sequence))
        state.storedEnd = row.sequence + 1
      }
      state.storageError = nil
    } catch {
      state.storageError = "\(error)"
    }
  }

  // MARK: For the delivery

  func committedSequence() async throws(StoreError) -> Int64 { state.withLock { $0.next - 1 } }

  func page(of backend: String, after sequence: Int64, limit: Int, bytes: Int) async throws(StoreError) -> RecordPage {
    state.withLock { state in
      let start = max(0, Int(sequence + 1 - state.first))
      var page = RecordPage(events: [], lastSequence: max(sequence, state.first - 1), isAtEnd: true)
      var size = 0
      guard start < state.rows.count else { return page }
      for row in state.rows[start...] {
        guard page.events.count < limit, size < bytes else {
          page.isAtEnd = false
          break
        }
        page.events.append(row)
        page.lastSequence = row.sequence
        size += row.payload.count
      }
      return page
    }
  }

  func cursor(of backend: String) async throws(StoreError) -> DeliveryCursor {
    state.withLock { DeliveryCursor(position: $0.first - 1) }
  }

  func save(_ change: DeliveryChange, of backend: String) async throws(StoreError) {
    state.withLock { state in
      // What is done behind one that is not stays until that is done, too; the server knows the ids.
      let count = state.rows.firstIndex { $0.sequence > change.cursor.position } ?? state.rows.count
      state.dead += change.dead.count
      guard count > 0 else { return }
      remove(&state, count)
      store(&state)
    }
    for letter in change.dead { onDead(letter) }
  }

  /// What the server will never take is reported, and not kept.
  func deadLetters(of backend: String?, after number: Int64, limit: Int) async throws(StoreError) -> [DeadLetter] { [] }
  func deadLetterCount(of backend: String?) async throws(StoreError) -> Int64 { 0 }
  func requeue(ids: [String]?, of backend: String?) async throws(StoreError) -> Int64 { 0 }
  func queuedLetters(of backend: String, limit: Int) async throws(StoreError) -> [DeadLetter] { [] }
}
