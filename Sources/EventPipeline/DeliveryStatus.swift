/// How the delivery to a backend stands. The counters are those since its start.
package struct DeliveryStatus: Sendable, Hashable {
  /// What it is doing.
  package enum State: String, Sendable {
    /// The store has not told yet where to continue.
    case loading
    /// Nothing stands in the way.
    case delivering
    /// The next try waits for a pause to end.
    case retrying
    /// The backend, or what is said about it in the configuration, must be put right.
    case misconfigured
    /// The remaining events are given a last chance before the end.
    case draining
    /// It has ended.
    case stopped
  }

  package var state = State.loading
  /// Events that wait for their delivery.
  package var depth: Int64 = 0
  /// When the oldest of them happened, milliseconds since the epoch.
  package var oldestTimeMilliseconds: Int64?
  /// Events the backend has taken.
  package var sent: Int64 = 0
  /// Events that were not for this backend.
  package var skipped: Int64 = 0
  /// Tries of events that came to nothing and were or will be repeated.
  package var retried: Int64 = 0
  /// Events that became dead letters.
  package var dead: Int64 = 0
  /// Events that were tried once, as they should be, and not taken.
  package var givenUp: Int64 = 0
  /// Events that were discarded before they were delivered.
  package var discarded: Int64 = 0
  /// Events passed over because their row was damaged.
  package var damaged: Int64 = 0
  /// Requests sent.
  package var requests: Int64 = 0
  /// Requests under way.
  package var inFlight = 0
  /// What went wrong last, in words; kept after recovery.
  package var lastError: String?
  /// When it went wrong, milliseconds since the epoch.
  package var lastErrorMilliseconds: Int64?
  /// When the store's last failure was, in words; nil while the store works.
  package var storeError: String?
  /// When the next try is due while a pause is on, milliseconds since the epoch.
  package var nextTryMilliseconds: Int64?
  /// The last event that nothing before is missing of.
  package var cursor: Int64 = 0

  package init() {}
}

/// What came of a flush.
package struct FlushReport: Sendable, Hashable {
  /// Events that the backend took during the flush.
  package var sent: Int64
  /// Events that became dead letters meanwhile.
  package var dead: Int64
  /// Events that still wait.
  package var remaining: Int64
  /// Whether everything that was committed before the flush is delivered or dead.
  package var isComplete: Bool
  /// What is in the way, in words, when something is.
  package var obstacle: String?

  package init(sent: Int64, dead: Int64, remaining: Int64, isComplete: Bool, obstacle: String?) {
    self.sent = sent
    self.dead = dead
    self.remaining = remaining
    self.isComplete = isComplete
    self.obstacle = obstacle
  }
}
