/// Pauses that double with each failure, random within, so that many senders do not come back at the same moment.
struct Backoff: Sendable {
  let firstMilliseconds: Int
  let longestMilliseconds: Int
  var jitter = DeliveryOptions.Jitter.full

  /// The pause after the n-th failure in a row (1 for the first).
  ///
  /// - Parameter random: 64 random bits.
  func nanoseconds(failures: Int, random: UInt64) -> UInt64 {
    let first = UInt64(clamping: max(1, firstMilliseconds))
    let longest = max(first, UInt64(clamping: longestMilliseconds))
    let doublings = min(max(0, failures &- 1), 40)
    let doubled = first.multipliedReportingOverflow(by: 1 << UInt64(doublings))
    let highest = doubled.overflow ? longest : min(longest, doubled.partialValue)
    switch jitter {
    case .full:
      let lowest = first / 10
      return Self.nanoseconds(milliseconds: lowest &+ Self.spread(random, below: highest &- lowest &+ 1))
    case .around(let percent):
      let share = UInt64(clamping: min(max(0, percent), 100))
      // No pause is so long that a hundredth of it, taken a hundred times, is more than the whole.
      let distance = highest / 100 &* share &+ highest % 100 &* share / 100
      let milliseconds = highest &- distance &+ Self.spread(random, below: 2 &* distance &+ 1)
      return Self.nanoseconds(milliseconds: min(longest, milliseconds))
    }
  }

  /// The time a backend asked for, at most so much.
  func nanoseconds(retryAfter milliseconds: Int, atMost: Int, random: UInt64) -> UInt64 {
    let asked = UInt64(clamping: min(max(0, milliseconds), max(0, atMost)))
    guard jitter == .full else { return Self.nanoseconds(milliseconds: asked) }
    return Self.nanoseconds(milliseconds: asked &+ Self.spread(random, below: min(asked / 10, 5_000) &+ 1))
  }

  static func nanoseconds(milliseconds: UInt64) -> UInt64 {
    let product = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return product.overflow ? .max / 2 : min(product.partialValue, .max / 2)
  }

  private static func spread(_ random: UInt64, below bound: UInt64) -> UInt64 {
    random.multipliedFullWidth(by: max(1, bound)).high
  }
}
