/// A date of the proleptic Gregorian calendar.
///
/// Both conversions count in years that begin in March, so that the leap day is the last day of its year, and in eras of
/// 400 years, which all have the same number of days.
struct CivilDate: Hashable, Sendable {
  let year: Int64
  /// 1 to 12.
  let month: Int64
  /// From 1.
  let day: Int64

  private static let daysPerEra: Int64 = 146_097
  /// From 0000-03-01 to 1970-01-01.
  private static let daysBeforeEpoch: Int64 = 719_468

  init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The date so many days after 1970-01-01. Meant for years 0001 to 9999, where no step overflows.
  init(daysSinceEpoch: Int64) {
    let days = daysSinceEpoch &+ Self.daysBeforeEpoch
    let era = (days >= 0 ? days : days &- (Self.daysPerEra &- 1)) / Self.daysPerEra
    let dayOfEra = days &- era &* Self.daysPerEra
    // 1460, 36524 and 146096: the last day of four years, a century and an era.
    let yearOfEra = (dayOfEra &- dayOfEra / 1_460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra &- Self.daysBefore(yearOfEra: yearOfEra)
    // Five months from March, and again from August, have 153 days.
    let monthFromMarch = (5 &* dayOfYear &+ 2) / 153
    day = dayOfYear &- (153 &* monthFromMarch &+ 2) / 5 &+ 1
    month = monthFromMarch < 10 ? monthFromMarch &+ 3 : monthFromMarch &- 9
    year = yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0)
  }

  /// Days from 1970-01-01 to this date.
  var daysSinceEpoch: Int64 {
    let marchYear = month <= 2 ? year &- 1 : year
    let era = (marchYear >= 0 ? marchYear : marchYear &- 399) / 400
    let yearOfEra = marchYear &- era &* 400
    let monthFromMarch = month > 2 ? month &- 3 : month &+ 9
    let dayOfYear = (153 &* monthFromMarch &+ 2) / 5 &+ day &- 1
    return era &* Self.daysPerEra &+ Self.daysBefore(yearOfEra: yearOfEra) &+ dayOfYear &- Self.daysBeforeEpoch
  }

  /// Whether the calendar has this date.
  var isValid: Bool {
    (1...12).contains(month) && day >= 1 && CivilDate(daysSinceEpoch: daysSinceEpoch) == self
  }

  private static func daysBefore(yearOfEra: Int64) -> Int64 {
    365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100
  }
}
