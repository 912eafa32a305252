extension OutboundResponse {
  /// What `Retry-After` asks for (RFC 9110, section 10.2.3), in milliseconds from now; nil without a readable one.
  ///
  /// A date is held against the `Date` of the response, so that clocks may differ, and against the wall clock only when
  /// there is none. A moment that has passed is 0.
  package func retryAfterMilliseconds(nowMilliseconds: Int64) -> Int? {
    guard let text = field("Retry-After").map({ Self.trimmed(Array($0.utf8)) }), !text.isEmpty else { return nil }
    if text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // More digits than a number holds ask for more than anyone waits.
      guard let seconds = Int64(String(decoding: text, as: UTF8.self)) else { return Int.max }
      let milliseconds = seconds.multipliedReportingOverflow(by: 1_000)
      return milliseconds.overflow ? Int.max : Int(clamping: milliseconds.partialValue)
    }
    guard let moment = HTTPDate.milliseconds(of: String(decoding: text, as: UTF8.self)) else { return nil }
    let now = field("Date").flatMap { HTTPDate.milliseconds(of: $0) } ?? nowMilliseconds
    let distance = moment.subtractingReportingOverflow(now)
    return distance.overflow ? (now < 0 ? Int.max : 0) : Int(clamping: max(0, distance.partialValue))
  }

  private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    var rest = bytes[...]
    while let first = rest.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
    while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
    return rest
  }
}
