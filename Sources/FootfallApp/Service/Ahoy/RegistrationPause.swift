/// How long the next try of a registration waits after failures.
struct RegistrationPause: Sendable {
  private(set) var failures = 0
  /// Not before, milliseconds since the epoch.
  private(set) var until = Int64.min

  /// Counts a failure and returns the pause, milliseconds: doubling from one second to half a minute, random within its
  /// upper half; or what the server asks for.
  mutating func fail(asked: Int?, isForPeople: Bool, now: Int64, random: UInt64) -> Int64 {
    failures = min(failures + 1, 20)
    let longest: Int64 = isForPeople ? 300_000 : 30_000
    let highest = isForPeople ? longest : min(longest, 1_000 << Int64(failures - 1))
    let own = highest / 2 + Int64(random % UInt64(highest / 2 + 1))
    let pause = asked.map { min(max(Int64($0), own / 2), 3_600_000) } ?? own
    let (end, isOver) = now.addingReportingOverflow(pause)
    until = isOver ? .max : end
    return pause
  }
}
