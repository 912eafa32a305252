import Dispatch
public import Effects
import Synchronization

/// A store in memory that is as slow as a test wants: while it holds, `set` does not return before `release()`.
public final class HeldKeyValueStore: KeyValueStore {
  private let memory = MemoryKeyValueStore()
  private let isHolding = Mutex(false)
  private let held = DispatchSemaphore(value: 0)
  private let released = DispatchSemaphore(value: 0)

  /// A store that does not hold.
  public init() {}

  /// Whether the next `set` waits.
  public var holds: Bool {
    get { isHolding.withLock { $0 } }
    set { isHolding.withLock { $0 = newValue } }
  }

  /// Waits until a `set` is being held.
  public func waitUntilHeld() { held.wait() }

  /// Lets the held `set` go on, and holds no further one.
  public func release() {
    holds = false
    released.signal()
  }

  /// The stored bytes.
  public func value(forKey key: String) throws(StoreError) -> [UInt8]? { try memory.value(forKey: key) }

  /// Stores the bytes when it is allowed to.
  public func set(_ value: [UInt8], forKey key: String) throws(StoreError) {
    if holds {
      held.signal()
      released.wait()
    }
    try memory.set(value, forKey: key)
  }

  /// Removes the bytes.
  public func removeValue(forKey key: String) throws(StoreError) { try memory.removeValue(forKey: key) }
}
