package import Effects

/// What came of sending what waits for one backend: one element of the answer of `POST /flush`.
package struct FlushOutcome: Sendable, Hashable {
  package var backend: String
  /// Events that the backend took meanwhile.
  package var sent: Int64
  /// Events that became dead letters meanwhile.
  package var dead: Int64
  /// Events that still wait.
  package var remaining: Int64
  /// Whether everything that was stored before the flush is delivered or dead.
  package var isComplete: Bool
  /// What is in the way, in words.
  package var obstacle: String?

  package init(
    backend: String, sent: Int64, dead: Int64, remaining: Int64, isComplete: Bool, obstacle: String? = nil
  ) {
    self.backend = backend
    self.sent = sent
    self.dead = dead
    self.remaining = remaining
    self.isComplete = isComplete
    self.obstacle = obstacle
  }

  package var json: JSONValue {
    .object([
      JSONMember("backend", .string(backend)), JSONMember("sent", .integer(sent)), JSONMember("dead", .integer(dead)),
      JSONMember("remaining", .integer(remaining)), JSONMember("complete", .bool(isComplete)),
      JSONMember("obstacle", obstacle.map { .string($0) } ?? .null),
    ])
  }
}

/// Which dead letters are asked for.
package struct DeadLetterQuery: Sendable, Hashable {
  /// Nil for those of every backend.
  package var backend: String?
  /// Those with greater numbers; 0 for all.
  package var after: Int64
  /// So many at most.
  package var limit: Int

  package init(backend: String? = nil, after: Int64 = 0, limit: Int = 100) {
    self.backend = backend
    self.after = after
    self.limit = limit
  }
}

/// Some dead letters, and how many there are: the answer of `GET /deadletters`.
package struct DeadLetterPage: Sendable, Hashable {
  /// An event that a backend will never take.
  package struct Letter: Sendable, Hashable {
    /// The number of the letter; grows with each.
    package var number: Int64
    package var backend: String
    /// The event's id.
    package var id: String
    /// When it happened, milliseconds since the epoch.
    package var time: Int64
    /// When it was given up.
    package var diedAt: Int64
    /// Why, in words.
    package var reason: String
    /// It waits to be sent again.
    package var isQueued: Bool
    /// The event as it is stored: one JSON object.
    package var payload: String

    package init(
      number: Int64, backend: String, id: String, time: Int64, diedAt: Int64, reason: String, isQueued: Bool,
      payload: String
    ) {
      self.number = number
      self.backend = backend
      self.id = id
      self.time = time
      self.diedAt = diedAt
      self.reason = reason
      self.isQueued = isQueued
      self.payload = payload
    }

    fileprivate var json: JSONValue {
      .object([
        JSONMember("number", .integer(number)), JSONMember("backend", .string(backend)), JSONMember("id", .string(id)),
        JSONMember("time", .string(Timestamp.text(millisecondsSinceEpoch: time))),
        JSONMember("diedAt", .string(Timestamp.text(millisecondsSinceEpoch: diedAt))),
        JSONMember("reason", .string(reason)), JSONMember("queued", .bool(isQueued)),
        JSONMember("payload", .string(payload)),
      ])
    }
  }

  package var letters: [Letter]
  /// All there are of those asked for, those that are queued again not counted.
  package var total: UInt64

  package init(letters: [Letter], total: UInt64) {
    self.letters = letters
    self.total = total
  }

  package var json: JSONValue {
    .object([
      JSONMember("total", .integer(Int64(clamping: total))),
      JSONMember("deadLetters", .array(letters.map(\.json))),
    ])
  }
}
