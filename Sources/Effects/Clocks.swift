/// The time of day, which people set and which may jump in either direction.
public protocol WallClock: Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  func millisecondsSinceEpoch() -> Int64
}

/// Time that only moves forward, for durations and deadlines.
public protocol MonotonicClock: Sendable {
  /// Nanoseconds since some fixed moment of this boot.
  func nanoseconds() -> UInt64
}
