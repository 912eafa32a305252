package import Effects

/// Where the value of a reading comes from.
package enum FlagSource: String, Sendable, Hashable, CaseIterable {
  /// An evaluation of this run.
  case network
  /// An evaluation of an earlier run, which was kept.
  case persistence
  /// The caller: the flag is unknown.
  case fallback
}

/// What a read of one flag gives (contract cohorly.md, section 3.3).
package struct FlagReading: Sendable, Hashable {
  /// The flag's value, or the fallback; nil for an unknown flag without a fallback.
  package let value: FlagValue?
  package let source: FlagSource
  /// Whether the flag is enabled; for a fallback, whether that is truthy.
  package let isEnabled: Bool
  /// Nil for a fallback.
  package let payload: JSONValue?
  /// When the flags were evaluated, in milliseconds since the epoch; only from persistence, and there only if it is known.
  package let persistedAt: Int64?
  /// The time to live of kept flags; only from persistence.
  package let ttlMilliseconds: Int64?

  /// A reading of a known flag.
  init(_ flag: Flag, source: FlagSource, persistedAt: Int64?, ttlMilliseconds: Int64?) {
    value = flag.value
    self.source = source
    isEnabled = flag.isEnabled
    payload = flag.payload
    self.persistedAt = persistedAt
    self.ttlMilliseconds = ttlMilliseconds
  }

  /// A reading of an unknown flag.
  package init(fallback: FlagValue?) {
    value = fallback
    source = .fallback
    isEnabled = fallback?.isTruthy ?? false
    payload = nil
    persistedAt = nil
    ttlMilliseconds = nil
  }

  /// Whether the flag is what a condition asks for: a truth is compared with whether it is enabled, a text with its
  /// variant.
  package func matches(_ wanted: FlagValue) -> Bool {
    switch wanted {
    case .bool(let truth): isEnabled == truth
    case .text: value == wanted
    }
  }
}
