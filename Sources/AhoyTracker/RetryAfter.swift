package import Effects

/// How long a server asks to be left alone (RFC 9110, section 10.2.3).
package enum RetryAfter {
  /// The longest wait that is believed: a day. A server that asks for more has most likely made a mistake.
  package static let maximumMilliseconds = 24 * 3_600_000

  /// The wait that a response asks for, in milliseconds; nil when it asks for none that can be read.
  ///
  /// A date counts from the `Date` of the response, so that it needs no clock of ours; without one from `now`.
  package static func milliseconds(in response: OutboundResponse, at now: Int64? = nil) -> Int? {
    guard let value = response.field("Retry-After") else { return nil }
    let text = value.utf8.drop { $0 == 0x20 || $0 == 0x09 }
    let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    if !digits.isEmpty, text.dropFirst(digits.count).allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
      // So many digits that they are no number are still a very long time.
      guard let seconds = Int(String(digits) ?? ""), seconds <= maximumMilliseconds / 1000 else {
        return maximumMilliseconds
      }
      return seconds &* 1000
    }
    guard let moment = HTTPDate.milliseconds(of: String(text) ?? ""),
      let start = response.field("Date").flatMap(HTTPDate.milliseconds(of:)) ?? now
    else { return nil }
    let (wait, isOver) = moment.subtractingReportingOverflow(start)
    return isOver ? nil : Int(clamping: min(max(wait, 0), Int64(maximumMilliseconds)))
  }
}
