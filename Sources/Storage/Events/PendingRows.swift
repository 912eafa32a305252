import Effects

/// What the callers of an event database and its writer share, behind one lock: the rows that wait, and the counters.
///
/// A row is *pending* from its arrival until its transaction is committed; the caps hold for all pending rows.
struct PendingRows: Sendable {
  /// Rows that the writer has not taken yet.
  private(set) var waiting = EventBatch()
  /// Counters and state for ``EventDatabase/status``.
  var status = EventDatabaseStatus()
  /// No further rows are accepted, and the writer ends once it has dealt with those that are here.
  private(set) var isClosing = false
  /// When the longest waiting row arrived, `CLOCK_MONOTONIC`.
  private var oldestArrival: UInt64 = 0
  private var takenRows = 0
  private var takenBytes = 0
  /// Rows accepted, and rows that are committed or given up: a flush waits for the second to reach the first.
  private(set) var accepted: Int64 = 0
  private(set) var settled: Int64 = 0
  private var flushUpTo: Int64 = 0

  private let maximumRows: Int
  private let maximumBytes: Int
  private let groupRows: Int
  private let groupNanoseconds: UInt64

  init(_ options: EventDatabaseOptions) {
    maximumRows = max(1, options.pendingRows)
    maximumBytes = max(1, options.pendingBytes)
    groupRows = max(1, options.groupCommitRows)
    groupNanoseconds = UInt64(clamping: options.groupCommitMilliseconds) * 1_000_000
  }

  /// Takes rows in, the first of them as far as there is room, and counts the others as dropped.
  ///
  /// - Returns: whether the writer must be woken.
  mutating func accept(_ rows: EventBatch, now: UInt64) -> Bool {
    guard !isClosing else {
      status.droppedClosed += Int64(rows.count)
      return false
    }
    let count = fitting(rows)
    status.droppedFull += Int64(rows.count - count)
    guard count > 0 else { return false }
    let isFirst = waiting.isEmpty
    let wasShort = waiting.count < groupRows
    waiting.append(rows, first: count)
    status.pending += count
    accepted += Int64(count)
    if isFirst { oldestArrival = now }
    return isFirst || wasShort && waiting.count >= groupRows
  }

  /// How many of the rows there is room for.
  private func fitting(_ rows: EventBatch) -> Int {
    let freeRows = maximumRows - status.pending
    var freeBytes = maximumBytes - takenBytes - waiting.memoryBytes
    if rows.count <= freeRows, rows.memoryBytes <= freeBytes { return rows.count }
    var count = 0
    for entry in rows.entries.prefix(max(0, freeRows)) {
      freeBytes -= EventBatch.memory(events: 1, bytes: entry.length)
      guard freeBytes >= 0 else { break }
      count += 1
    }
    return count
  }

  /// Asks for a commit without delay of everything accepted so far; returns what ``settled`` must reach.
  mutating func requestFlush() -> Int64 {
    flushUpTo = accepted
    return accepted
  }

  mutating func requestClose() { isClosing = true }

  /// When the writer should take the waiting rows; nil when there are none.
  var dueTime: UInt64? {
    guard !waiting.isEmpty else { return nil }
    return isClosing || waiting.count >= groupRows || settled < flushUpTo ? 0 : oldestArrival &+ groupNanoseconds
  }

  /// Hands the waiting rows to the writer. The memory of the batch handed in becomes that of the next queue, so that
  /// none is allocated anew.
  mutating func take(into batch: inout EventBatch) {
    batch.removeAll(keeping: 1 << 20)
    swap(&batch, &waiting)
    takenRows = batch.count
    takenBytes = batch.memoryBytes
  }

  /// Of the rows that the writer took, so many are committed, and the others given up.
  mutating func settle(committed: Int) {
    status.committed += Int64(committed)
    status.droppedError += Int64(takenRows - committed)
    status.pending -= takenRows
    settled += Int64(takenRows)
    takenRows = 0
    takenBytes = 0
  }
}
