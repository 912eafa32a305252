public import Effects
import Synchronization

/// A clock that stands still until a test moves it, as wall clock and as monotonic clock.
public final class ManualClock: WallClock, MonotonicClock {
  private let time: Mutex<(milliseconds: Int64, nanoseconds: UInt64)>

  /// A clock that shows the given time of day; the monotonic side starts at 0.
  public init(millisecondsSinceEpoch: Int64 = 1_700_000_000_000) {
    time = Mutex((millisecondsSinceEpoch, 0))
  }

  /// The time of day a test has set.
  public func millisecondsSinceEpoch() -> Int64 { time.withLock { $0.milliseconds } }

  /// The time passed by `advance`.
  public func nanoseconds() -> UInt64 { time.withLock { $0.nanoseconds } }

  /// Lets time pass on both sides.
  public func advance(milliseconds: Int64) {
    time.withLock {
      $0.milliseconds += milliseconds
      $0.nanoseconds += UInt64(milliseconds) * 1_000_000
    }
  }

  /// Sets the time of day alone, also backwards, as an operator or NTP would.
  public func set(millisecondsSinceEpoch: Int64) {
    time.withLock { $0.milliseconds = millisecondsSinceEpoch }
  }
}
