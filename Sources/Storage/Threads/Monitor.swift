import Glibc

/// State behind a lock, and a condition to wait for its changes.
///
/// The standard library's `Mutex` has no condition to wait on, hence the pthread primitives; they are used nowhere else.
/// `@unchecked Sendable` because the state is read and written only between lock and unlock of the one mutex.
final class Monitor<State: Sendable>: @unchecked Sendable {
  /// What a waiting thread decides each time it is woken.
  enum Step<Result> {
    case done(Result)
    case wait
    /// Until a moment of `CLOCK_MONOTONIC`, at the latest.
    case waitUntil(nanoseconds: UInt64)
  }

  // Allocated apart, because a pthread mutex must not move.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // A wait must not depend on the time of day, which people set.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs the body with exclusive access to the state.
  func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Asks for the next step, with exclusive access, now and after each wake-up, until it is done.
  func wait<Result>(_ next: (inout State) -> Step<Result>) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      switch next(&state) {
      case .done(let result): return result
      case .wait: pthread_cond_wait(condition, mutex)
      case .waitUntil(let nanoseconds):
        var moment = timespec(
          tv_sec: Int(clamping: nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        pthread_cond_timedwait(condition, mutex, &moment)
      }
    }
  }

  /// Wakes every waiting thread.
  func wakeAll() { pthread_cond_broadcast(condition) }
}
