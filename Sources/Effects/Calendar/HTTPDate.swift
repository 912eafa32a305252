/// A moment as HTTP writes it (RFC 9110, section 5.6.7): `Mon, 30 Nov 2026 07:05:23 GMT`.
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// The text of a moment; moments outside the years 0001 to 9999 are shown as their ends.
  package static func text(millisecondsSinceEpoch: Int64) -> String {
    let range = Timestamp.representable
    let moment = min(max(millisecondsSinceEpoch, range.lowerBound), range.upperBound)
    var (day, time) = moment.quotientAndRemainder(dividingBy: 86_400_000)
    if time < 0 {
      day &-= 1
      time &+= 86_400_000
    }
    let date = CivilDate(daysSinceEpoch: day)
    // 1970-01-01 was a Thursday.
    let weekday = days[Int(clamping: (day % 7 &+ 7) % 7)]
    let clock = [time / 3_600_000, time / 60_000 % 60, time / 1000 % 60].map { padded($0, 2) }.joined(separator: ":")
    let month = months[Int(clamping: date.month &- 1)]
    return "\(weekday), \(padded(date.day, 2)) \(month) \(padded(date.year, 4)) \(clock) GMT"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width &- digits.utf8.count)) + digits
  }
}
