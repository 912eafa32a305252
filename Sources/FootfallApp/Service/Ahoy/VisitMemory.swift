import AhoyTracker
import Effects

/// Where visits and the attached user lie between runs.
struct VisitMemory: Sendable {
  private static let userKey = "ahoy-user"
  private let store: any KeyValueStore
  private let log: ServiceLog

  init(_ store: any KeyValueStore, _ log: ServiceLog) {
    self.store = store
    self.log = log
  }

  func load() -> (ledger: VisitLedger, userID: String?) {
    do throws(StoreError) {
      let ledger = try store.value(forKey: VisitLedger.key).flatMap(VisitLedger.init(stored:)) ?? VisitLedger()
      let user = try store.value(forKey: Self.userKey).map { String(decoding: $0, as: UTF8.self) }
      return (ledger, user)
    } catch {
      log.error("the visits cannot be read: a new one begins", ["reason": error.description])
      return (VisitLedger(), nil)
    }
  }

  /// Stores the visits. Without it a restart begins a new one, which is the worst that follows.
  func save(_ ledger: VisitLedger) {
    do throws(StoreError) {
      try store.set(ledger.bytes, forKey: VisitLedger.key)
    } catch {
      log.error("the visits cannot be stored: a restart would begin a new one", ["reason": error.description])
    }
  }

  func save(userID: String?) throws(StoreError) {
    if let userID {
      try store.set(Array(userID.utf8), forKey: Self.userKey)
    } else {
      try store.removeValue(forKey: Self.userKey)
    }
  }
}
