import Foundation
import Synchronization
import Testing

@testable import RuleEngines

@Suite struct MatchScratchTests {
  private func onNewThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? {
    let result = Mutex<Value?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      result.withLock { $0 = body() }
      done.signal()
    }
    thread.start()
    done.wait()
    return result.withLock { $0 }
  }

  @Test func belongsToOneThread() {
    let mine = MatchScratch.ofThisThread().map { ObjectIdentifier($0) }
    #expect(mine != nil)
    #expect(MatchScratch.ofThisThread().map { ObjectIdentifier($0) } == mine)
    let other = onNewThread { MatchScratch.ofThisThread().map { ObjectIdentifier($0) } }
    #expect(other != nil)
    #expect(other != .some(mine))
  }

  @Test func isFreedWhenItsThreadEnds() {
    final class Weak: Sendable {
      let value = Mutex<WeakScratch>(WeakScratch())
    }
    struct WeakScratch { weak var scratch: MatchScratch? }
    let kept = Weak()
    let thread = Thread { kept.value.withLock { $0.scratch = MatchScratch.ofThisThread() } }
    thread.start()
    // The destructor of thread-specific storage runs after the thread's last statement.
    let deadline = Date(timeIntervalSinceNow: 5)
    while !(thread.isFinished && kept.value.withLock { $0.scratch == nil }), Date() < deadline { usleep(1000) }
    #expect(thread.isFinished)
    #expect(kept.value.withLock { $0.scratch == nil })
  }
}
