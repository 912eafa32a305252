package import ProxyCore

/// What one worker has counted since it started; a plain value, copied out on the worker's own thread.
package struct WorkerCounters: Sendable {
  package var requests = 0
  /// Tunnels that stand now.
  package var tunnelsOpen = 0
  /// Finished exchanges by `ExchangeRecord.Mode` and the first digit of their status (0 when none was sent).
  package var responses = [Int](repeating: 0, count: 18)
  /// Failures by the raw value of their `ProxyError`.
  package var errors = [Int](repeating: 0, count: ProxyError.allCases.count)
  /// Requests that got each injected header, by its place in the snapshot.
  package var injected: [Int] = []
  package var bytesFromClients = 0
  package var bytesToClients = 0
  package var clientsAccepted = 0
  package var clientsOpen = 0
  package var upstreamsOpen = 0
  package var upstreamsIdle = 0
  package var dials = 0
  package var reuses = 0
  package var retries = 0
  package var acceptPauses = 0
  /// Matches and failures by rule, for the rules of the current snapshot.
  package var ruleMatches: [Int] = []
  package var ruleFailures: [Int] = []
  /// The sum of the durations of all exchanges, microseconds, and their histogram.
  package var durationMicroseconds = 0
  package var durations = [Int](repeating: 0, count: WorkerCounters.durationBounds.count + 1)

  /// The upper bounds of the duration histogram, microseconds.
  package static let durationBounds = [1000, 5000, 25_000, 100_000, 500_000, 2_500_000, 10_000_000]

  package init() {}

  /// The place in `responses` of a mode and a status.
  package static func slot(_ mode: ExchangeRecord.Mode, status: Int) -> Int {
    Int(mode.rawValue) &* 6 &+ min(max(status, 0) / 100, 5)
  }

  /// Adds another worker's counts.
  package mutating func add(_ other: WorkerCounters) {
    requests += other.requests
    tunnelsOpen += other.tunnelsOpen
    WorkerCounters.add(other.injected, to: &injected)
    bytesFromClients += other.bytesFromClients
    bytesToClients += other.bytesToClients
    clientsAccepted += other.clientsAccepted
    clientsOpen += other.clientsOpen
    upstreamsOpen += other.upstreamsOpen
    upstreamsIdle += other.upstreamsIdle
    dials += other.dials
    reuses += other.reuses
    retries += other.retries
    acceptPauses += other.acceptPauses
    durationMicroseconds += other.durationMicroseconds
    WorkerCounters.add(other.responses, to: &responses)
    WorkerCounters.add(other.errors, to: &errors)
    WorkerCounters.add(other.ruleMatches, to: &ruleMatches)
    WorkerCounters.add(other.ruleFailures, to: &ruleFailures)
    WorkerCounters.add(other.durations, to: &durations)
  }

  private static func add(_ other: [Int], to sums: inout [Int]) {
    if sums.count < other.count { sums += [Int](repeating: 0, count: other.count - sums.count) }
    for index in other.indices { sums[index] += other[index] }
  }
}
