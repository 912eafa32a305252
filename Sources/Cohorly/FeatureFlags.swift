import CohorlyTracker
public import Effects
public import Foundation

/// The value of a flag: the name of its variant, or whether it is enabled.
public enum FeatureFlagValue: Sendable, Hashable {
  /// Whether a flag without variants is enabled.
  case bool(Bool)
  /// The variant that applies.
  case string(String)
}

extension FeatureFlagValue: ExpressibleByBooleanLiteral, ExpressibleByStringLiteral, CustomStringConvertible {
  /// Whether a flag is enabled.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// The name of a variant.
  public init(stringLiteral value: String) { self = .string(value) }

  init(_ value: FlagValue) {
    self =
      switch value {
      case .bool(let truth): .bool(truth)
      case .text(let text): .string(text)
      }
  }

  var flagValue: FlagValue {
    switch self {
    case .bool(let truth): .bool(truth)
    case .string(let text): .text(text)
    }
  }

  /// The truth, or the name.
  public var description: String {
    switch self {
    case .bool(let truth): "\(truth)"
    case .string(let text): text
    }
  }
}

/// A flag as it was evaluated for this identity.
public struct FeatureFlag: Sendable, Hashable {
  /// Whether it is on.
  public let enabled: Bool
  /// The variant that applies; nil for a flag without variants.
  public let variant: String?
  /// What the project attaches to it.
  public let payload: JSONValue?

  init(_ flag: Flag) {
    enabled = flag.isEnabled
    variant = flag.variant
    payload = flag.payload
  }

  /// The variant, else whether it is enabled.
  public var value: FeatureFlagValue { variant.map { .string($0) } ?? .bool(enabled) }
}

/// What a read of a flag gave, and where that comes from.
public struct FeatureFlagDetails: Sendable, Hashable {
  /// Where a value comes from.
  public enum Source: String, Sendable, Hashable {
    /// The server has evaluated it in this run.
    case network
    /// An earlier run has kept it.
    case persistence
    /// It is unknown; this is the caller's own.
    case fallback
  }

  /// The value, or the fallback.
  public let value: FeatureFlagValue?
  /// Where it comes from.
  public let source: Source
  /// Whether the flag is enabled. Of a fallback, whether it is neither `false`, empty nor nil.
  public let enabled: Bool
  /// What the project attaches to the flag; nil for a fallback.
  public let payload: JSONValue?
  /// When a kept value was evaluated; nil when nobody knows, and for other sources.
  public let persistedAt: Date?
  /// For how many milliseconds kept values are fresh; nil for other sources.
  public let ttlMs: Int?

  init(_ reading: FlagReading) {
    value = reading.value.map(FeatureFlagValue.init)
    source =
      switch reading.source {
      case .network: .network
      case .persistence: .persistence
      case .fallback: .fallback
      }
    enabled = reading.isEnabled
    payload = reading.payload
    persistedAt = reading.persistedAt.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    ttlMs = reading.ttlMilliseconds.map { Int(clamping: $0) }
  }
}

extension Cohorly {
  /// How reads use flags that an earlier run has kept, as long as the server has not answered in this one.
  public enum FlagPersistence: Sendable, Hashable, CaseIterable {
    /// Not at all.
    case networkOnly
    /// As long as they are younger than their time to live.
    case networkFirst
    /// As long as they are younger than ``Cohorly/Cohorly/flagCacheMaxStale``, or their time to live if that is longer.
    case persistenceUntilNetworkSuccess

    var policy: CohorlyTracker.FlagPersistence {
      switch self {
      case .networkOnly: .networkOnly
      case .networkFirst: .networkFirst
      case .persistenceUntilNetworkSuccess: .persistenceUntilNetworkSuccess
      }
    }
  }
}
