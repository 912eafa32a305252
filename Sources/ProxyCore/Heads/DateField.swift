import Effects

/// The `Date` field of a message that lacks one (RFC 9110, section 6.6.1), made anew once a second.
package struct DateField: Sendable {
  private var second = Int64.min
  private var text: [UInt8] = []

  package init() {}

  /// The field line, with its end, at that moment, milliseconds since the epoch.
  package mutating func line(at millisecondsSinceEpoch: Int64) -> [UInt8] {
    let second = millisecondsSinceEpoch / 1000
    if second != self.second {
      self.second = second
      text = Array("Date: \(HTTPDate.text(millisecondsSinceEpoch: millisecondsSinceEpoch))\r\n".utf8)
    }
    return text
  }
}
