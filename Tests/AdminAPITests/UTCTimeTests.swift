import AdminAPI
import Foundation
import Testing

@Suite struct UTCTimeTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
      (784_111_777_000, "1994-11-06T08:49:37.000Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
      (951_827_696_789, "2000-02-29T12:34:56.789Z", "Tue, 29 Feb 2000 12:34:56 GMT"),
      (-1, "1969-12-31T23:59:59.999Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
      (Int64.max, "9999-12-31T23:59:59.999Z", "Fri, 31 Dec 9999 23:59:59 GMT"),
    ] as [(Int64, String, String)])
  func writesBothForms(milliseconds: Int64, rfc3339: String, httpDate: String) {
    #expect(UTCTime(milliseconds: milliseconds).rfc3339 == rfc3339)
    #expect(UTCTime(milliseconds: milliseconds).httpDate == httpDate)
  }

  @Test func agreesWithTheCalendarOfFoundation() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for day in stride(from: Int64(-150_000), through: 150_000, by: 97) {
      let milliseconds = day * 86_400_000 + 1234
      let parts = calendar.dateComponents(
        [.year, .month, .day, .weekday], from: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
      // Foundation's calendar is Julian before 1582-10-15; the proleptic one is meant here.
      guard milliseconds > -12_219_292_800_000 else { continue }
      let time = UTCTime(milliseconds: milliseconds)
      #expect(time.year == Int64(parts.year ?? 0))
      #expect(time.month == parts.month)
      #expect(time.day == parts.day)
      #expect(time.weekday + 1 == parts.weekday)
    }
  }
}
