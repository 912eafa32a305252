/// What the callers of an event database and its writer share, behind one lock: the rows that wait, and the counters.
///
/// A row is *pending* from its arrival until its transaction is committed; the caps hold for all pending rows.
struct PendingRows: Sendable {
  /// Rows that the writer has not taken yet.
  private(set) var waiting: [EventRow] = []
  /// Counters and state for ``EventDatabase/status``.
  var status = EventDatabaseStatus()
  /// No further rows are accepted, and the writer ends once it has dealt with those that are here.
  private(set) var isClosing = false
  /// When the longest waiting row arrived, `CLOCK_MONOTONIC`.
  private var oldestArrival: UInt64 = 0
  private var waitingBytes = 0
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

  /// Takes a row in, or counts it as dropped.
  ///
  /// - Returns: whether the writer must be woken.
  mutating func accept(_ row: EventRow, now: UInt64) -> Bool {
    guard !isClosing else {
      status.droppedClosed += 1
      return false
    }
    let bytes = row.memoryBytes
    guard status.pending < maximumRows, waitingBytes + takenBytes + bytes <= maximumBytes else {
      status.droppedFull += 1
      return false
    }
    waiting.append(row)
    waitingBytes += bytes
    status.pending += 1
    accepted += 1
    if waiting.count == 1 {
      oldestArrival = now
      return true
    }
    return waiting.count == groupRows
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

  /// Hands the waiting rows to the writer. The array handed in, emptied, becomes the next queue, so that none is
  /// allocated anew.
  mutating func take(into batch: inout [EventRow]) {
    batch.removeAll(keepingCapacity: batch.capacity <= 4 * groupRows)
    swap(&batch, &waiting)
    takenRows = batch.count
    takenBytes = waitingBytes
    waitingBytes = 0
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
