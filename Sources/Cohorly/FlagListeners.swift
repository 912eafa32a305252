import Synchronization

/// Who wants to hear of flags. Each is told in order, one call after the other, on a thread of the system; a slow one
/// holds up nobody else.
final class FlagListeners: Sendable {
  typealias Listener = @Sendable ([String: FeatureFlag]) -> Void

  private let listeners = Mutex<(next: Int, all: [Int: Mailbox])>((0, [:]))

  /// Adds a listener.
  ///
  /// - Parameter flags: What it is told at once; nil when there are none.
  /// - Returns: What removes it.
  func add(_ listener: @escaping Listener, toldAtOnce flags: [String: FeatureFlag]?) -> @Sendable () -> Void {
    let mailbox = Mailbox(listener)
    let number = listeners.withLock { listeners in
      listeners.next += 1
      listeners.all[listeners.next] = mailbox
      if let flags { mailbox.post(flags, replacing: false) }
      return listeners.next
    }
    return { [self] in
      listeners.withLock { $0.all[number] = nil }
      mailbox.close()
    }
  }

  /// Tells all of them.
  ///
  /// - Parameter replacing: Whether what they were not told yet is out of date: that of another identity.
  func tell(_ flags: [String: FeatureFlag], replacing: Bool) {
    // Under the lock, so that all hear the same order. Posting only stores.
    listeners.withLock { for mailbox in $0.all.values { mailbox.post(flags, replacing: replacing) } }
  }
}

/// What one listener is still to be told.
private final class Mailbox: Sendable {
  private struct State {
    var waiting: [[String: FeatureFlag]] = []
    var isRunning = false
    var isClosed = false
  }

  private let state = Mutex(State())
  private let listener: FlagListeners.Listener

  init(_ listener: @escaping FlagListeners.Listener) { self.listener = listener }

  func close() { state.withLock { $0.isClosed = true } }

  func post(_ flags: [String: FeatureFlag], replacing: Bool) {
    let starts = state.withLock { state in
      if replacing { state.waiting = [] }
      state.waiting.append(flags)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { Task { self.run() } }
  }

  private func run() {
    while true {
      let next = state.withLock { state -> [String: FeatureFlag]? in
        guard !state.isClosed, !state.waiting.isEmpty else {
          state.isRunning = false
          return nil
        }
        return state.waiting.removeFirst()
      }
      guard let next else { return }
      listener(next)
    }
  }
}
