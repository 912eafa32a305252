/// How reads use the flags that were kept, while no evaluation of this run has succeeded (contract cohorly.md,
/// section 3.2).
package enum FlagPersistence: String, Sendable, Hashable, CaseIterable {
  /// What was kept is neither read nor written; a change of identity removes it all the same.
  case networkOnly
  /// What was kept is served while it is younger than its time to live, then it is dropped.
  case networkFirst
  /// What was kept is served for at least seven days, however short its time to live is.
  case persistenceUntilNetworkSuccess

  /// How long kept flags are fresh unless the owner says otherwise: 24 hours.
  package static let defaultTTLMilliseconds: Int64 = 24 * 60 * 60 * 1000

  /// How long ``persistenceUntilNetworkSuccess`` serves flags that are no longer fresh: 7 days from their evaluation.
  package static let maxStaleMilliseconds: Int64 = 7 * 24 * 60 * 60 * 1000

  /// Whether flags are kept and served from what was kept.
  package var isPersisting: Bool { self != .networkOnly }

  /// The policy that a time to live leaves: nothing can be served from a cache that is stale at once.
  package func effective(ttlMilliseconds: Int64) -> FlagPersistence {
    ttlMilliseconds > 0 ? self : .networkOnly
  }

  /// The age at which kept flags are no longer served.
  package func servingLimit(ttlMilliseconds: Int64) -> Int64 {
    switch effective(ttlMilliseconds: ttlMilliseconds) {
    case .networkOnly: 0
    case .networkFirst: ttlMilliseconds
    case .persistenceUntilNetworkSuccess: max(ttlMilliseconds, Self.maxStaleMilliseconds)
    }
  }
}
