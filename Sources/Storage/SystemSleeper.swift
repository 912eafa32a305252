import Effects

/// Sleeps on the clock that ``SystemMonotonicClock`` reads.
package struct SystemSleeper: Sleeper {
  /// The sleeper; every instance is the same one.
  package init() {}

  package func sleep(untilNanoseconds moment: UInt64) async {
    let now = SystemMonotonicClock().nanoseconds()
    guard moment > now else { return await Task.yield() }
    do {
      // At most a day at a time: durations beyond that need no precision, and the caller looks again.
      try await Task.sleep(nanoseconds: min(moment - now, 86_400_000_000_000))
    } catch {
      // Cancelled: the caller looks.
      return
    }
  }
}
