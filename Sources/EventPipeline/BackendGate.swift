/// Whether the backend as a whole may be tried: closed for a pause after a failure, ajar for one request at a time until
/// something is delivered again.
struct BackendGate: Sendable {
  /// No request begins before.
  private(set) var pausedUntil: UInt64 = 0
  /// Failures in a row, those of requests that were under way together counted once.
  private(set) var failures = 0
  /// The backend asked for the pause.
  private(set) var isAskedToWait = false
  /// The last failure was one of the configuration.
  private(set) var isMisconfigured = false
  /// Requests that were delivered.
  private(set) var delivered: Int64 = 0
  /// Single events refused since then.
  private(set) var refused = 0
  private var lastFailureAt: UInt64 = 0

  /// How many requests may be under way.
  func slots(of maximum: Int) -> Int { failures > 0 ? 1 : max(1, maximum) }

  /// Counts a failure of a request that began at a moment; returns how many there are now.
  mutating func fail(requestBegan: UInt64, now: UInt64) -> Int {
    if failures == 0 || requestBegan > lastFailureAt { failures &+= 1 }
    lastFailureAt = now
    return failures
  }

  /// Closes until a moment.
  mutating func pause(until moment: UInt64, isAskedFor: Bool, isMisconfigured: Bool = false) {
    guard moment >= pausedUntil else { return }
    pausedUntil = moment
    isAskedToWait = isAskedFor
    self.isMisconfigured = isMisconfigured
  }

  /// The backend has taken something. A pause that it asked for goes on.
  mutating func deliver() {
    delivered &+= 1
    refused = 0
    reopen()
  }

  /// The backend has refused something with a reason: it works.
  mutating func refuse(singleEvent: Bool) {
    if singleEvent { refused &+= 1 }
    reopen()
  }

  /// The backend has refused something with a reason, and nothing is concluded from it for others.
  mutating func noteRefusal() { refused &+= 1 }

  /// Ends a pause, so that the backend is tried; failures stay counted.
  ///
  /// - Parameter evenIfAsked: Also one that the backend asked for.
  mutating func hasten(evenIfAsked: Bool = false) {
    if evenIfAsked || !isAskedToWait { pausedUntil = 0 }
  }

  private mutating func reopen() {
    failures = 0
    isMisconfigured = false
    hasten()
  }
}
