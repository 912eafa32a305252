import AhoyTracker
import Synchronization

/// The visit that was confirmed last, and who wants to hear of the next.
final class VisitBoard: Sendable {
  struct Entry: Sendable {
    let record: VisitRecord
    let visit: Visit
  }

  private struct State {
    var latest: Entry?
    /// Counts what was published.
    var number = 0
    var observers: [Int: AsyncStream<Visit>.Continuation] = [:]
    var nextObserver = 0
  }

  private let state = Mutex(State())

  /// What was published last; its window may be over.
  var latest: Entry? { state.withLock { $0.latest } }

  /// Tells all observers.
  func publish(_ entry: Entry) {
    state.withLock { state in
      state.latest = entry
      state.number += 1
      // Under the lock, so that all observers see visits in the same order. Yielding only stores the value.
      for observer in state.observers.values { observer.yield(entry.visit) }
    }
  }

  /// What is published from now on, behind the latest visit if the closure says that it is still the current one.
  func stream(isCurrent: (Entry) -> Bool) -> AsyncStream<Visit> {
    let (stream, continuation) = AsyncStream.makeStream(of: Visit.self)
    let (latest, number) = state.withLock { ($0.latest, $0.number) }
    let replayed = latest.flatMap { isCurrent($0) ? $0 : nil }
    let observer = state.withLock { state in
      // What was published since is current for certain.
      let first = state.number == number ? replayed : state.latest
      if let first { continuation.yield(first.visit) }
      defer { state.nextObserver += 1 }
      state.observers[state.nextObserver] = continuation
      return state.nextObserver
    }
    continuation.onTermination = { [weak self] _ in self?.remove(observer) }
    return stream
  }

  /// No further visit will come.
  func finish() {
    let observers = state.withLock { state in
      defer { state.observers = [:] }
      return state.observers.values.map { $0 }
    }
    for observer in observers { observer.finish() }
  }

  /// How many streams are being iterated.
  var observerCount: Int { state.withLock { $0.observers.count } }

  private func remove(_ observer: Int) {
    state.withLock { _ = $0.observers.removeValue(forKey: observer) }
  }
}
