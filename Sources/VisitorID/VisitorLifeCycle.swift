import Effects

/// The life of the id in memory: made when first asked for, kept for its validity, replaced when it ends; and what the
/// store is to be asked for.
///
/// The law of this file: asking for the id always gives one, whatever the store does. The store itself is asked by the
/// owner, so that who only wants the id need not wait for a disk. A store that fails is asked again at most once a
/// second, at a later read.
struct VisitorLifeCycle {
  /// Between two attempts at a store that failed.
  static let retryMilliseconds: Int64 = 1000

  /// What the store is to be asked for.
  enum Errand {
    /// The record that it holds.
    case load
    /// To keep this one.
    case store(VisitorRecord)
  }

  let ttlMilliseconds: Int64
  let tokens: any TokenSource

  private(set) var record: VisitorRecord?
  /// The record is in the store.
  private(set) var isPersisted = false
  /// The store has answered what it held at first. Until then it is not written to: what it holds may be the id.
  private var isLoaded = false
  private var lastFailure: Int64?
  /// Why the store could not be read or written, while that is so.
  private(set) var storeError: StoreError?

  init(ttlMilliseconds: Int64, tokens: any TokenSource) {
    self.ttlMilliseconds = ttlMilliseconds
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
    if let record, record.isCurrent(at: now, ttlMilliseconds: ttlMilliseconds) { return record }
    let fresh = makeRecord(at: now)
    record = fresh
    isPersisted = false
    return fresh
  }

  /// A new record, which is not the current one before it is adopted by `replace(by:)`.
  func makeRecord(at now: Int64) -> VisitorRecord {
    VisitorRecord(id: tokens.uuidVersion4(), createdAtMilliseconds: now)
  }

  /// The store holds this record instead of the current one.
  mutating func replace(by stored: VisitorRecord) {
    record = stored
    isLoaded = true
    isPersisted = true
    succeed()
  }

  /// What the store is to be asked for at this moment; nil when nothing is due.
  func errand(at now: Int64) -> Errand? {
    guard mayAttempt(now) else { return nil }
    guard isLoaded else { return .load }
    guard let record, !isPersisted, record.isCurrent(at: now, ttlMilliseconds: ttlMilliseconds) else { return nil }
    return .store(record)
  }

  /// Takes the answer to `Errand.load`.
  mutating func loaded(_ answer: Result<[UInt8]?, StoreError>, at now: Int64) {
    switch answer {
    case .success(let bytes):
      isLoaded = true
      succeed()
      guard let bytes, let stored = VisitorRecord(stored: bytes),
        stored.isCurrent(at: now, ttlMilliseconds: ttlMilliseconds)
      else { return }
      record = stored
      isPersisted = true
    case .failure(let error):
      // What cannot be read ever again may be overwritten.
      if error.code == .corrupt { isLoaded = true } else { fail(error, now) }
    }
  }

  /// Takes the answer to `Errand.store`. The record may have been replaced meanwhile.
  mutating func stored(_ written: VisitorRecord, _ answer: Result<Void, StoreError>, at now: Int64) {
    switch answer {
    case .success:
      succeed()
      if record == written { isPersisted = true }
    case .failure(let error): fail(error, now)
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
