import Effects

/// The life of the id: made when first asked for, kept for its validity, stored, replaced when it ends.
///
/// The law of this file: asking for the id always gives one, whatever the store does. A store that fails is asked again
/// at most once a second, at a later read.
struct VisitorLifeCycle {
  /// Between two attempts at a store that failed.
  static let retryMilliseconds: Int64 = 1000

  let ttlMilliseconds: Int64
  let store: any KeyValueStore
  let tokens: any TokenSource

  private(set) var record: VisitorRecord?
  /// The record is in the store.
  private(set) var isPersisted = false
  /// The store has answered what it held at first. Until then it is not written to: what it holds may be the id.
  private var isLoaded = false
  private var lastFailure: Int64?
  /// Why the store could not be read or written, while that is so.
  private(set) var storeError: StoreError?

  init(ttlMilliseconds: Int64, store: any KeyValueStore, tokens: any TokenSource) {
    self.ttlMilliseconds = ttlMilliseconds
    self.store = store
    self.tokens = tokens
  }

  /// Takes over an id that its owner could not store, so that a new configuration does not change it.
  mutating func adopt(_ other: VisitorLifeCycle) {
    guard let record = other.record, !other.isPersisted else { return }
    self.record = record
    isLoaded = other.isLoaded
    lastFailure = other.lastFailure
    storeError = other.storeError
  }

  /// The id of this moment.
  mutating func current(at now: Int64) -> VisitorRecord {
    if !isLoaded, mayAttempt(now) { load(now) }
    if let record, record.isCurrent(at: now, ttlMilliseconds: ttlMilliseconds) {
      if !isPersisted { persist(record, now) }
      return record
    }
    let fresh = VisitorRecord(id: tokens.uuidVersion4(), createdAtMilliseconds: now)
    record = fresh
    isPersisted = false
    persist(fresh, now)
    return fresh
  }

  /// Replaces the id. When the new one cannot be stored, the old one stays: it would come back after a restart.
  mutating func reset(at now: Int64) throws(StoreError) -> VisitorRecord {
    let fresh = VisitorRecord(id: tokens.uuidVersion4(), createdAtMilliseconds: now)
    try store.set(fresh.bytes, forKey: VisitorRecord.key)
    record = fresh
    isLoaded = true
    succeed()
    isPersisted = true
    return fresh
  }

  private mutating func load(_ now: Int64) {
    do throws(StoreError) {
      let bytes = try store.value(forKey: VisitorRecord.key)
      isLoaded = true
      succeed()
      guard let bytes, let stored = VisitorRecord(stored: bytes),
        stored.isCurrent(at: now, ttlMilliseconds: ttlMilliseconds)
      else { return }
      record = stored
      isPersisted = true
    } catch {
      // What cannot be read ever again may be overwritten.
      if error.code == .corrupt { isLoaded = true } else { fail(error, now) }
    }
  }

  private mutating func persist(_ record: VisitorRecord, _ now: Int64) {
    guard isLoaded, mayAttempt(now) else { return }
    do throws(StoreError) {
      try store.set(record.bytes, forKey: VisitorRecord.key)
      succeed()
      isPersisted = true
    } catch {
      fail(error, now)
    }
  }

  /// A clock that jumps lets an attempt through early, which does no harm.
  private func mayAttempt(_ now: Int64) -> Bool {
    guard let lastFailure else { return true }
    let (elapsed, isOver) = now.subtractingReportingOverflow(lastFailure)
    return isOver || elapsed < 0 || elapsed >= Self.retryMilliseconds
  }

  private mutating func succeed() {
    lastFailure = nil
    storeError = nil
  }

  private mutating func fail(_ error: StoreError, _ now: Int64) {
    lastFailure = now
    storeError = error
  }
}
