import CLibevent
import Glibc

/// A counting semaphore between threads.
///
/// `@unchecked Sendable` because sem_t is made for use by many threads at one address, which the allocation fixes.
package final class Gate: @unchecked Sendable {
  private let handle: UnsafeMutablePointer<sem_t>

  package init() {
    handle = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(handle, 0, 0)
  }

  deinit {
    sem_destroy(handle)
    handle.deallocate()
  }

  /// Lets one waiter pass.
  package func signal() { sem_post(handle) }

  /// Waits for a signal.
  package func wait() { while sem_wait(handle) != 0 {} }

  /// Waits for a signal at most so long; false when none came.
  package func wait(nanoseconds: UInt64) -> Bool {
    var moment = timespec()
    clock_gettime(CLOCK_REALTIME, &moment)
    let sum = UInt64(moment.tv_nsec) &+ nanoseconds
    moment.tv_sec += Int(clamping: sum / 1_000_000_000)
    moment.tv_nsec = Int(sum % 1_000_000_000)
    while sem_timedwait(handle, &moment) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }
}
