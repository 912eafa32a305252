import CohorlyTracker
import Effects
import Synchronization
import TestKit
import Testing

@testable import Cohorly

/// Remembers what lay there after each single change: what a kill at that moment would leave.
private final class JournalStorage: CohorlyStorage {
  private let state = Mutex((texts: [String: String](), moments: [[String: String]]()))

  func takeMoments() -> [[String: String]] {
    state.withLock { state in
      defer { state.moments = [] }
      return state.moments
    }
  }

  func string(forKey key: String) throws -> String? { state.withLock { $0.texts[key] } }

  func set(_ text: String, forKey key: String) throws {
    state.withLock { state in
      state.texts[key] = text
      state.moments.append(state.texts)
    }
  }

  /// Key by key, as a storage without transactions does.
  func removeValues(forKeys keys: [String]) throws {
    state.withLock { state in
      for key in keys {
        state.texts[key] = nil
        state.moments.append(state.texts)
      }
    }
  }
}

@Suite struct RecordQueueKillTests {
  /// Adds, delivers, drops and clears at random; after each step a run that begins from any moment of it finds a queue
  /// without gaps, with all that had been added before the step and nothing that had been done before it.
  @Test(arguments: 1...4) func survivesAKillAtAnyMoment(seed: Int) async throws {
    var chance = SeededGenerator(seed: UInt64(seed))
    let storage = JournalStorage()
    let queue = RecordQueue(storage: storage, capacity: 4)
    var moments = 0
    for _ in 0..<400 {
      let before = try await Self.range(queue)
      switch Int.random(in: 0..<20, using: &chance) {
      case 0..<13:
        _ = queue.append(RecordQueueTests.record("a"), id: "id", timeMilliseconds: 0)
      case 13..<19:
        let position = Int64.random(in: before.first - 1...before.next - 1, using: &chance)
        try await queue.save(DeliveryChange(cursor: DeliveryCursor(position: position)), of: "cohorly")
      default: _ = queue.clear()
      }
      let after = try await Self.range(queue)
      for texts in storage.takeMoments() {
        let found = try await Self.range(RecordQueue(storage: MemoryStorage(texts), capacity: 1_000))
        moments += 1
        // An empty queue has no place but where it goes on.
        try #require(found.first >= before.first && found.first <= after.first, "\(before) \(found) \(after)")
        try #require(found.next >= before.next && found.next <= after.next, "\(before) \(found) \(after)")
      }
    }
    #expect(moments > 400)
    #expect(queue.counts.dropped > 0)
  }

  private static func range(_ queue: RecordQueue) async throws -> (first: Int64, next: Int64) {
    let first = try await queue.cursor(of: "cohorly").position + 1
    let page = try await queue.page(of: "cohorly", after: 0, limit: 10_000, bytes: .max)
    #expect(page.events.map(\.sequence) == Array(first..<first + Int64(page.events.count)))
    return (first, try await queue.committedSequence() + 1)
  }
}
