import Glibc

/// One value from one thread to another.
///
/// `@unchecked Sendable` because the condition variable and its lock live at one address for the object's life and
/// guard the value.
public final class Handover<Value: Sendable>: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrived = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value?

  /// An empty one.
  public init() {
    pthread_mutex_init(lock, nil)
    pthread_cond_init(arrived, nil)
  }

  deinit {
    pthread_cond_destroy(arrived)
    pthread_mutex_destroy(lock)
    arrived.deallocate()
    lock.deallocate()
  }

  /// Hands the value over.
  public func put(_ value: Value) {
    pthread_mutex_lock(lock)
    self.value = value
    pthread_cond_signal(arrived)
    pthread_mutex_unlock(lock)
  }

  /// Waits for the value.
  public func take() -> Value {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let value { return value }
      pthread_cond_wait(arrived, lock)
    }
  }
}
