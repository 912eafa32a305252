public import Effects
import Glibc

/// The system's time of day (`CLOCK_REALTIME`).
public struct SystemWallClock: WallClock {
  /// The clock; every instance is the same one.
  public init() {}

  /// Milliseconds since 1970-01-01T00:00:00Z.
  public func millisecondsSinceEpoch() -> Int64 {
    let time = readClock(CLOCK_REALTIME)
    return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
  }
}

/// The system's clock that only moves forward (`CLOCK_MONOTONIC`): the clock of the event loops, too. It stands still
/// while the machine is suspended.
public struct SystemMonotonicClock: MonotonicClock {
  /// The clock; every instance is the same one.
  public init() {}

  /// Nanoseconds since the machine started, without the time it was suspended.
  public func nanoseconds() -> UInt64 {
    let time = readClock(CLOCK_MONOTONIC)
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }
}

/// clock_gettime(2). It fails only for a clock that the kernel does not have, and it has had both since 2.6.
private func readClock(_ clock: clockid_t) -> timespec {
  var time = timespec()
  clock_gettime(clock, &time)
  return time
}
