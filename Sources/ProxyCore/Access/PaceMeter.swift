/// Whether a peer moves bytes at the least rate that is asked for, over a while: it may stand still as long as the
/// patience lasts, and what it moves buys patience back.
///
/// Only the time in which the peer is waited for counts. So a deadline that each byte renews cannot be stretched without
/// end, and an honest slow peer has nothing to fear.
package struct PaceMeter: Sendable {
  private var left: UInt64 = 0
  private var since: UInt64 = 0

  package init() {}

  /// Begins to wait for the peer.
  ///
  /// - Parameters:
  ///   - now: nanoseconds.
  ///   - patience: how long the peer may stand still, nanoseconds.
  package mutating func start(at now: UInt64, patience: UInt64) {
    left = patience
    since = now
  }

  /// Begins to wait for the peer again after something else was waited for.
  package mutating func resume(at now: UInt64) { since = now }

  /// The peer has moved so many bytes; false when it is too slow.
  package mutating func moved(_ count: Int, at now: UInt64, perSecond rate: Int, patience: UInt64) -> Bool {
    let waited = now > since ? now &- since : 0
    since = now
    let earned = UInt64(clamping: count).multipliedReportingOverflow(by: 1_000_000_000)
    let gain = (earned.overflow ? UInt64.max / 2 : earned.partialValue) / UInt64(clamping: max(rate, 1))
    let (sum, overflow) = left.addingReportingOverflow(gain)
    let total = overflow ? UInt64.max : sum
    guard total >= waited else {
      left = 0
      return false
    }
    left = min(total &- waited, patience)
    return true
  }
}
