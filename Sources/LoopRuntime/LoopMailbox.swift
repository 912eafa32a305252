import CLinux
import Glibc
import Synchronization

/// Jobs for a loop from other threads.
package final class LoopMailbox: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
  }

  let descriptor: CInt
  private let state = Mutex(State())

  init() throws(SystemError) {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError("eventfd") }
  }

  deinit { close(descriptor) }

  /// Runs the job on the loop's thread, after those posted before it. From any thread.
  package func post(_ job: @escaping @Sendable () -> Void) {
    let wasEmpty = state.withLock {
      $0.jobs.append(job)
      return $0.jobs.count == 1
    }
    // The counter saturates far above any number of posts; a full one is readable, which is all that counts.
    if wasEmpty { _ = eventfd_write(descriptor, 1) }
  }

  func deliver() {
    var counter: eventfd_t = 0
    _ = eventfd_read(descriptor, &counter)
    let jobs = state.withLock {
      let jobs = $0.jobs
      $0.jobs = []
      return jobs
    }
    for job in jobs { job() }
  }
}

/// A value that belongs to one loop, carried through other threads but touched on the loop only.
///
/// `@unchecked Sendable` because the only access, `value`, asserts that the caller is on the loop's thread. The value
/// must bear to be let go on the thread that drops the box last; `LoopParcel` is for those that do not.
package final class LoopBound<Value>: @unchecked Sendable {
  private let loop: EventLoop
  private let bound: Value

  package init(_ value: Value, on loop: EventLoop) {
    bound = value
    self.loop = loop
  }

  /// The value; on the loop's thread.
  package var value: Value {
    loop.assertOnLoop()
    return bound
  }
}

/// A value that goes through other threads once and comes back to its loop, where it is let go.
///
/// `@unchecked Sendable` because the only access, `take()`, asserts that the caller is on the loop's thread.
package final class LoopParcel<Value>: @unchecked Sendable {
  private let loop: EventLoop
  private var content: Value?

  package init(_ value: Value, on loop: EventLoop) {
    content = value
    self.loop = loop
  }

  /// The value, the first time; on the loop's thread.
  package func take() -> Value? {
    loop.assertOnLoop()
    defer { content = nil }
    return content
  }
}
