import AhoyTracker
import Synchronization

/// Events that wait for their delivery, and the one task that delivers them.
final class EventQueue: Sendable {
  /// An event in both of its forms.
  struct Entry: Sendable {
    let event: Event
    let prepared: PreparedEvent
  }

  private struct State {
    var entries: [Entry] = []
    /// Runs as long as there are entries.
    var delivery: Task<Void, Never>?
  }

  /// More would be a leak: the server has been away for long.
  static let capacity = 1000

  private let state = Mutex(State())

  /// The task that is delivering; nil when nothing waits.
  var delivery: Task<Void, Never>? { state.withLock { $0.delivery } }

  /// Adds an entry, and starts a delivery if none is going on.
  ///
  /// - Returns: The oldest entry, when there was no room for it any more.
  func append(_ entry: Entry, starting delivery: @Sendable () -> Task<Void, Never>) -> Entry? {
    state.withLock { state in
      let dropped = state.entries.count >= Self.capacity ? state.entries.removeFirst() : nil
      state.entries.append(entry)
      if state.delivery == nil { state.delivery = delivery() }
      return dropped
    }
  }

  /// Takes the next entries out, at most so many. When there are none, the delivery is over.
  func next(_ count: Int) -> [Entry] {
    state.withLock { state in
      if state.entries.isEmpty { state.delivery = nil }
      let batch = Array(state.entries.prefix(count))
      state.entries.removeFirst(batch.count)
      return batch
    }
  }
}

/// Too many events waited for a server that did not take them.
struct EventQueueOverflow: Error, CustomStringConvertible {
  var description: String { "more than \(EventQueue.capacity) events waited; the oldest went" }
}
