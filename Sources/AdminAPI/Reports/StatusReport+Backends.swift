import Effects

extension StatusReport {
  /// The feature Ahoy: the visit and what is known of its backend.
  package struct Ahoy: Sendable, Hashable {
    package var baseURL = ""
    package var userAgent = ""
    /// The token of the current visit, in full; the rendering masks it. Nil when there is none.
    package var visitToken: String?
    /// In full; the rendering masks it.
    package var visitorToken: String?
    /// The backend has confirmed the visit: its headers are injected.
    package var isRegistered = false
    /// When the visit began, milliseconds since the epoch.
    package var createdAt: Int64?
    package var expiresAt: Int64?
    /// The attached user, in full; the rendering masks it.
    package var userID: String?
    /// Why the last try to register a visit failed; nil after one that did not.
    package var lastError: String?

    package init() {}

    func json(ids: IDDisclosure) -> JSONValue {
      .object([
        JSONMember("baseURL", .string(baseURL)), JSONMember("userAgent", .string(userAgent)),
        JSONMember("visit", text(visitToken.map(ids.text))), JSONMember("visitor", text(visitorToken.map(ids.text))),
        JSONMember("registered", .bool(isRegistered)), JSONMember("createdAt", time(createdAt)),
        JSONMember("expiresAt", time(expiresAt)), JSONMember("userID", text(userID.map(ids.text))),
        JSONMember("lastError", text(lastError)),
      ])
    }
  }

  /// How the delivery of stored events to one backend stands; counters are those since the start.
  package struct Delivery: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
      /// The store has not told yet where to continue.
      case loading
      /// Nothing stands in the way.
      case delivering
      /// The next try waits for a pause to end.
      case retrying
      /// The backend, or what the configuration says about it, must be put right.
      case misconfigured
      /// The remaining events are given a last chance before the end.
      case draining
      case stopped
    }

    package var backend: String
    package var state = State.loading
    /// Events that wait.
    package var depth: Int64 = 0
    /// The age of the oldest of them.
    package var oldestAgeSeconds: Double?
    /// Events that the backend took.
    package var sent: UInt64 = 0
    /// Tries of events that came to nothing and were or will be repeated.
    package var retried: UInt64 = 0
    /// Events deleted undelivered, because of the limits of the store or because they were damaged.
    package var dropped: UInt64 = 0
    /// Events that became dead letters.
    package var dead: UInt64 = 0
    /// Requests to the backend.
    package var requests: UInt64 = 0
    /// Requests that are under way.
    package var inFlight = 0
    /// What went wrong last, in words; stays after recovery.
    package var lastError: String?
    /// When it went wrong, milliseconds since the epoch.
    package var lastErrorAt: Int64?
    /// When the next try is due while a pause is on.
    package var nextTryAt: Int64?

    package init(backend: String) { self.backend = backend }

    var json: JSONValue {
      .object([
        JSONMember("backend", .string(backend)), JSONMember("state", .string(state.rawValue)),
        JSONMember("depth", .integer(depth)),
        JSONMember("oldestAgeSeconds", oldestAgeSeconds.map { .double($0) } ?? .null),
        JSONMember("sent", count(sent)), JSONMember("retried", count(retried)), JSONMember("dropped", count(dropped)),
        JSONMember("dead", count(dead)), JSONMember("requests", count(requests)),
        JSONMember("inFlight", .integer(Int64(inFlight))), JSONMember("lastError", text(lastError)),
        JSONMember("lastErrorAt", time(lastErrorAt)), JSONMember("nextTryAt", time(nextTryAt)),
      ])
    }
  }
}

private func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

private func time(_ milliseconds: Int64?) -> JSONValue {
  milliseconds.map { .string(Timestamp.text(millisecondsSinceEpoch: $0)) } ?? .null
}

private func count(_ number: UInt64) -> JSONValue { .integer(Int64(clamping: number)) }
