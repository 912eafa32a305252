/// A moment as HTTP writes it (RFC 9110, section 5.6.7): `Mon, 30 Nov 2026 07:05:23 GMT`.
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

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
    let weekday = weekday(daysSinceEpoch: day)
    let clock = [time / 3_600_000, time / 60_000 % 60, time / 1000 % 60].map { padded($0, 2) }.joined(separator: ":")
    let month = months[Int(clamping: date.month &- 1)]
    return "\(weekday), \(padded(date.day, 2)) \(month) \(padded(date.year, 4)) \(clock) GMT"
  }

  /// The moment of a text in the form that ``text(millisecondsSinceEpoch:)`` writes, which all senders use today; nil for
  /// any other, also when the weekday is wrong.
  package static func milliseconds(of text: String) -> Int64? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else { return nil }
    let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
    guard let day = number(parts[1], 2), let year = number(parts[3], 4), time.count == 3,
      let hour = number(time[0], 2), let minute = number(time[1], 2), let second = number(time[2], 2)
    else { return nil }
    let date = CivilDate(year: year, month: Int64(month) &+ 1, day: day)
    // 60: a leap second, which is taken for the next minute's first.
    guard date.isValid, hour < 24, minute < 60, second <= 60 else { return nil }
    let days = date.daysSinceEpoch
    guard parts[0] == "\(weekday(daysSinceEpoch: days)),", Timestamp.representable.contains(days &* 86_400_000) else {
      return nil
    }
    return (days &* 86_400 &+ hour &* 3_600 &+ minute &* 60 &+ second) &* 1_000
  }

  private static func number(_ text: Substring, _ width: Int) -> Int64? {
    guard text.utf8.count == width, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int64(text)
  }

  /// 1970-01-01 was a Thursday.
  private static func weekday(daysSinceEpoch day: Int64) -> String { days[Int(clamping: (day % 7 &+ 7) % 7)] }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width &- digits.utf8.count)) + digits
  }
}
