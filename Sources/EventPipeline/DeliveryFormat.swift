package import Effects

/// What a backend makes of events, and what it makes of the answers to them. Pure, called often, and so cheap.
package protocol DeliveryFormat: Sendable {
  /// The next request out of the events, which are in order and not yet sent, or why there is none.
  ///
  /// It need not hold the first of them, nor a run of them. What a cut does not mention is handed in again at the next.
  func cut(_ events: ArraySlice<QueuedEvent>) -> DeliveryCut

  /// What the backend makes of the first events of a kind must be settled before others of that kind arrive beside them:
  /// the name of that kind (a visit, which the backend makes of its first event), or nil.
  ///
  /// Until a request whose first event is of a group has been delivered, no second one of that group is under way.
  func group(of event: QueuedEvent) -> String?

  /// What an outcome means.
  ///
  /// - Parameters:
  ///   - attempt: 1 at the first try of these events, counted on at each further one.
  ///   - events: how many the request held.
  func judge(
    _ outcome: Result<OutboundResponse, TransportError>, attempt: Int, events: Int
  ) -> DeliveryVerdict
}

extension DeliveryFormat {
  /// No groups.
  package func group(of event: QueuedEvent) -> String? { nil }
}

/// What to do with events that wait. Offsets count from the start of the slice.
package enum DeliveryCut: Sendable, Hashable {
  /// This request, which holds the events at the offsets.
  case request(OutboundRequest, indices: [Int])
  /// This request, which is tried once: whatever comes of it, the events at the offsets are done, and no dead letters.
  case once(OutboundRequest, indices: [Int])
  /// These are not for this backend: done without being sent.
  case skip([Int])
  /// This one can never be sent (too large, unreadable): a dead letter at once.
  case undeliverable(Int, reason: String)
  /// Something else must happen first, a visit be registered for example; `resume()` continues.
  case wait
}
