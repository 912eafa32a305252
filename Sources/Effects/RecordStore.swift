/// An event as it waits in the queue of a backend.
package struct QueuedEvent: Sendable, Hashable {
  /// Its place in the order of arrival, which only grows.
  package var sequence: Int64
  /// The id for life, the same at every try.
  package var id: String
  /// When it happened, milliseconds since the epoch.
  package var timeMilliseconds: Int64
  /// One JSON object.
  package var payload: [UInt8]

  package init(sequence: Int64, id: String, timeMilliseconds: Int64, payload: [UInt8]) {
    self.sequence = sequence
    self.id = id
    self.timeMilliseconds = timeMilliseconds
    self.payload = payload
  }

  /// About what the event occupies in memory.
  package var memoryBytes: Int { payload.count &+ id.utf8.count &+ 96 }
}

/// A run of queued events.
package struct RecordPage: Sendable, Hashable {
  /// The events, oldest first.
  package var events: [QueuedEvent]
  /// The sequence number to continue after: that of the last event read, damaged or not.
  package var lastSequence: Int64
  /// Events passed over because they are damaged.
  package var damaged: Int64
  /// Nothing was committed beyond the page when it was read.
  package var isAtEnd: Bool

  package init(events: [QueuedEvent], lastSequence: Int64, damaged: Int64 = 0, isAtEnd: Bool) {
    self.events = events
    self.lastSequence = lastSequence
    self.damaged = damaged
    self.isAtEnd = isAtEnd
  }
}

/// How far a backend has got with the queue, as it lies on the disk.
package struct DeliveryCursor: Sendable, Hashable {
  /// Everything up to here is acknowledged, or is a dead letter.
  package var position: Int64
  /// Beyond the position, up to here, everything is acknowledged but for ``missing``.
  package var through: Int64
  /// What is not acknowledged between the position and ``through``; in order, apart from each other.
  package var missing: [ClosedRange<Int64>]

  package init(position: Int64, through: Int64? = nil, missing: [ClosedRange<Int64>] = []) {
    self.position = position
    self.through = max(position, through ?? position)
    self.missing = missing
  }

  /// Whether the event of that number needs no further try.
  package func isAcknowledged(_ sequence: Int64) -> Bool {
    if sequence <= position { return true }
    if sequence > through { return false }
    var low = 0
    var high = missing.count
    while low < high {
      let middle = (low &+ high) / 2
      if missing[middle].upperBound < sequence { low = middle &+ 1 } else { high = middle }
    }
    return low >= missing.count || !missing[low].contains(sequence)
  }
}

/// An event that a backend will never take, kept for people to look at and to queue again.
package struct DeadLetter: Sendable, Hashable {
  /// The store's number of the letter; 0 before it is stored. Grows with each letter.
  package var number: Int64
  package var backend: String
  package var event: QueuedEvent
  /// Why, in words for an operator.
  package var reason: String
  /// When the event was given up, milliseconds since the epoch.
  package var diedAtMilliseconds: Int64
  /// It waits to be sent again.
  package var isQueued: Bool

  package init(
    number: Int64 = 0, backend: String, event: QueuedEvent, reason: String, diedAtMilliseconds: Int64,
    isQueued: Bool = false
  ) {
    self.number = number
    self.backend = backend
    self.event = event
    self.reason = reason
    self.diedAtMilliseconds = diedAtMilliseconds
    self.isQueued = isQueued
  }
}

/// What a backend has got done since the last change: stored as a whole or not at all.
package struct DeliveryChange: Sendable, Hashable {
  package var cursor: DeliveryCursor
  /// Events given up. One that was a dead letter before, and was queued again, becomes that letter again.
  package var dead: [DeadLetter]
  /// Numbers of letters that were queued again and are delivered now.
  package var settledLetters: [Int64]

  package init(cursor: DeliveryCursor, dead: [DeadLetter] = [], settledLetters: [Int64] = []) {
    self.cursor = cursor
    self.dead = dead
    self.settledLetters = settledLetters
  }
}

/// The durable queue as the delivery to one backend sees it.
///
/// No call runs on the caller's thread, and each tries once: when to try again is the caller's decision.
package protocol RecordStore: Sendable {
  /// The number of the last event that is committed.
  func committedSequence() async throws(StoreError) -> Int64
  /// The events after a sequence number: at most `limit` of them, and no further one once `bytes` of payload are
  /// reached.
  func page(of backend: String, after sequence: Int64, limit: Int, bytes: Int) async throws(StoreError) -> RecordPage
  /// Where the backend stands. One that was never there starts behind what was recorded before it was configured.
  func cursor(of backend: String) async throws(StoreError) -> DeliveryCursor
  /// Stores a change durably, in one transaction.
  func save(_ change: DeliveryChange, of backend: String) async throws(StoreError)
  /// Dead letters by number, those after a number first (0: from the oldest). With nil those of every backend.
  func deadLetters(of backend: String?, after number: Int64, limit: Int) async throws(StoreError) -> [DeadLetter]
  /// How many dead letters there are, those that are queued again not counted.
  func deadLetterCount(of backend: String?) async throws(StoreError) -> Int64
  /// Queues dead letters again, all of them or those with the ids of these events; returns how many. Their events keep
  /// their ids.
  func requeue(ids: [String]?, of backend: String?) async throws(StoreError) -> Int64
  /// Letters that wait to be sent again, oldest first.
  func queuedLetters(of backend: String, limit: Int) async throws(StoreError) -> [DeadLetter]
}
