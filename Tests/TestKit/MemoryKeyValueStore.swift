public import Effects
import Synchronization

/// A store in memory that fails when a test tells it to and counts its calls.
public final class MemoryKeyValueStore: KeyValueStore {
  private struct State {
    var values: [String: [UInt8]] = [:]
    var readError: StoreError?
    var writeError: StoreError?
    var reads = 0
    var writes = 0
    var removals = 0
  }

  private let state = Mutex(State())

  /// An empty store.
  public init() {}

  /// Reads throw this until it is set to nil.
  public var readError: StoreError? {
    get { state.withLock { $0.readError } }
    set { state.withLock { $0.readError = newValue } }
  }

  /// `set` and `removeValue` throw this until it is set to nil.
  public var writeError: StoreError? {
    get { state.withLock { $0.writeError } }
    set { state.withLock { $0.writeError = newValue } }
  }

  /// Calls of `value(forKey:)`, failed ones included.
  public var reads: Int { state.withLock { $0.reads } }
  /// Calls of `set`, failed ones included.
  public var writes: Int { state.withLock { $0.writes } }
  /// Calls of `removeValue`, failed ones included.
  public var removals: Int { state.withLock { $0.removals } }

  /// What is stored under the key, without counting and without failing.
  public func peek(_ key: String) -> [UInt8]? { state.withLock { $0.values[key] } }

  /// Places a value, without counting and without failing.
  public func plant(_ value: [UInt8], forKey key: String) { state.withLock { $0.values[key] = value } }

  /// The stored bytes.
  public func value(forKey key: String) throws(StoreError) -> [UInt8]? {
    let result: Result<[UInt8]?, StoreError> = state.withLock {
      $0.reads += 1
      if let error = $0.readError { return .failure(error) }
      return .success($0.values[key])
    }
    return try result.get()
  }

  /// Stores the bytes.
  public func set(_ value: [UInt8], forKey key: String) throws(StoreError) {
    let result: Result<Void, StoreError> = state.withLock {
      $0.writes += 1
      if let error = $0.writeError { return .failure(error) }
      $0.values[key] = value
      return .success(())
    }
    try result.get()
  }

  /// Removes the bytes.
  public func removeValue(forKey key: String) throws(StoreError) {
    let result: Result<Void, StoreError> = state.withLock {
      $0.removals += 1
      if let error = $0.writeError { return .failure(error) }
      $0.values[key] = nil
      return .success(())
    }
    try result.get()
  }
}
