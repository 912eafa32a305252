import Effects
import Synchronization

/// Somebody waits for the result of a request: the way back from the loop to a task.
final class OutboundCall: Sendable {
  typealias Outcome = Result<OutboundResponse, TransportError>

  private struct State {
    var waiter: CheckedContinuation<Outcome, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// The task gave up, perhaps before the loop has heard of the request.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Waits with that continuation; once.
  func wait(_ waiter: CheckedContinuation<Outcome, Never>) { state.withLock { $0.waiter = waiter } }

  /// Marks that the task gave up. The loop has to be told.
  func cancel() { state.withLock { $0.isCancelled = true } }

  /// Hands the result over; only the first counts.
  func finish(_ outcome: Outcome) {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: outcome)
  }
}
