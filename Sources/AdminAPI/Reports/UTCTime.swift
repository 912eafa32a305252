/// A moment in the Gregorian calendar, UTC, without the calendar library of Foundation.
package struct UTCTime: Sendable, Hashable {
  package let year: Int64
  /// 1 to 12.
  package let month: Int
  /// 1 to 31.
  package let day: Int
  package let hour: Int
  package let minute: Int
  package let second: Int
  package let millisecond: Int
  /// 0 is Sunday.
  package let weekday: Int

  /// The moment that many milliseconds after 1970-01-01T00:00:00Z, clamped to the years 0 to 9999.
  package init(milliseconds: Int64) {
    let clamped = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
    let days = UTCTime.floored(clamped, by: 86_400_000)
    let rest = Int(clamping: clamped &- days &* 86_400_000)
    hour = rest / 3_600_000
    minute = rest / 60_000 % 60
    second = rest / 1000 % 60
    millisecond = rest % 1000
    weekday = Int(clamping: (days &+ 4 &- UTCTime.floored(days &+ 4, by: 7) &* 7))
    // Count days from 1 March of the year 0, so that the leap day ends each year; eras of 400 years repeat.
    let shifted = days &+ 719_468
    let era = UTCTime.floored(shifted, by: 146_097)
    let dayOfEra = shifted &- era &* 146_097
    let yearOfEra = (dayOfEra &- dayOfEra / 1460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
    let monthFromMarch = (5 &* dayOfYear &+ 2) / 153
    day = Int(clamping: dayOfYear &- (153 &* monthFromMarch &+ 2) / 5 &+ 1)
    month = Int(clamping: monthFromMarch < 10 ? monthFromMarch &+ 3 : monthFromMarch &- 9)
    year = yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0)
  }

  /// RFC 3339, section 5.6, with milliseconds: `2026-11-30T07:05:23.120Z`.
  package var rfc3339: String {
    "\(padded(year, 4))-\(padded(Int64(month), 2))-\(padded(Int64(day), 2))T\(clock).\(padded(Int64(millisecond), 3))Z"
  }

  /// IMF-fixdate (RFC 9110, section 5.6.7): `Mon, 30 Nov 2026 07:05:23 GMT`.
  package var httpDate: String {
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return "\(days[weekday]), \(padded(Int64(day), 2)) \(months[month - 1]) \(padded(year, 4)) \(clock) GMT"
  }

  private var clock: String { "\(padded(Int64(hour), 2)):\(padded(Int64(minute), 2)):\(padded(Int64(second), 2))" }

  private func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width &- digits.utf8.count)) + digits
  }

  private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
    let quotient = number / divisor
    return number % divisor < 0 ? quotient &- 1 : quotient
  }
}
