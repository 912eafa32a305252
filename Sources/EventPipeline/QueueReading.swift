import Effects

/// How far the queue was read, and what stands in the way of reading on.
struct QueueReading: Sendable {
  /// The last number that was read.
  var readUpTo: Int64 = 0
  /// The last number that is known to be committed.
  private(set) var committedUpTo: Int64 = 0
  /// Where the last run of the program stood; it tells what is acknowledged beyond its position.
  var resumed = DeliveryCursor(position: 0)
  /// There may be events beyond ``readUpTo``.
  private(set) var mayHaveMore = true
  /// There may be letters that are queued again.
  var mayHaveLetters = true
  var isLoading = false
  var isReading = false
  var isReadingLetters = false
  /// The last failure, until reading works again.
  private(set) var error: StoreError?
  /// When to try again after it; nil when that is no longer ruled out.
  private(set) var retryAt: UInt64?
  private var failures = 0
  private var hasCommitted = false

  /// Whether an answer of the store is awaited.
  var isBusy: Bool { isLoading || isReading || isReadingLetters }

  /// Ends the pause after a failure when its time is over.
  mutating func noteTime(_ now: UInt64) {
    if let moment = retryAt, now >= moment { retryAt = nil }
  }

  mutating func noteCommit(upTo sequence: Int64) {
    committedUpTo = max(committedUpTo, sequence)
    guard sequence > readUpTo else { return }
    mayHaveMore = true
    hasCommitted = true
  }

  mutating func beginPage() {
    isReading = true
    hasCommitted = false
  }

  /// Takes note of a page; false when it brought nothing although the store says that there is more.
  mutating func endPage(_ page: RecordPage) -> Bool {
    let isProgress = page.lastSequence > readUpTo || !page.events.isEmpty
    readUpTo = max(readUpTo, page.lastSequence)
    committedUpTo = max(committedUpTo, readUpTo)
    mayHaveMore = !page.isAtEnd || hasCommitted
    return isProgress || page.isAtEnd
  }

  mutating func succeed() {
    failures = 0
    error = nil
    retryAt = nil
  }

  mutating func fail(_ error: StoreError, now: UInt64, random: UInt64) {
    failures &+= 1
    self.error = error
    retryAt = now &+ StorePauses.backoff.nanoseconds(failures: failures, random: random)
  }
}

/// Pauses after a failure of the store: a disk is tried more eagerly than a backend.
enum StorePauses {
  static let backoff = Backoff(firstMilliseconds: 200, longestMilliseconds: 10_000)
}
