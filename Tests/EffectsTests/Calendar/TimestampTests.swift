import Foundation
import Testing

@testable import Effects

@Suite struct TimestampTests {
  private func text(_ milliseconds: Int64) -> String {
    var bytes: [UInt8] = []
    Timestamp.append(millisecondsSinceEpoch: milliseconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999, "2000-02-29T23:59:59.999Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
      (1_709_164_800_123, "2024-02-29T00:00:00.123Z"), (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
    ] as [(Int64, String)])
  func writesAndReadsMoments(milliseconds: Int64, expected: String) {
    #expect(text(milliseconds) == expected)
    #expect(Timestamp.milliseconds(of: expected) == milliseconds)
  }

  @Test func agreesWithFoundationOnEveryDayOfFourCenturies() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    // 1899 to 2301: an era of 400 years with its leap years and the centuries that are none.
    var date = CivilDate(year: 1899, month: 1, day: 1)
    let start = date.daysSinceEpoch
    #expect(start == -25_932)
    for offset in 0..<146_828 as Range<Int64> {
      let days = start + offset
      date = CivilDate(daysSinceEpoch: days)
      #expect(date.daysSinceEpoch == days)
      guard days % 37 == 0 || date.day >= 28 || date.day == 1 else { continue }
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400 + 1))
      #expect(
        date
          == CivilDate(
            year: Int64(try #require(parts.year)), month: Int64(try #require(parts.month)),
            day: Int64(try #require(parts.day))))
    }
  }

  @Test(arguments: [Int64.min, .max, -62_135_596_800_001, 253_402_300_800_000])
  func showsTheEndsOfTheCalendarBeyondThem(milliseconds: Int64) {
    #expect(["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"].contains(text(milliseconds)))
  }

  @Test(arguments: [
    "", "2024-02-30T00:00:00.000Z", "2023-02-29T00:00:00.000Z", "2024-13-01T00:00:00.000Z", "2024-00-01T00:00:00.000Z",
    "2024-01-00T00:00:00.000Z", "2024-01-01T24:00:00.000Z", "2024-01-01T00:60:00.000Z", "2024-01-01T00:00:60.000Z",
    "2024-01-01 00:00:00.000Z", "2024-01-01T00:00:00.000+", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.0000Z",
    "+024-01-01T00:00:00.000Z", "2024-01-01T00:00:00,000Z", "1900-02-29T00:00:00.000Z",
  ])
  func refusesOtherTexts(text: String) {
    #expect(Timestamp.milliseconds(of: text) == nil)
  }
}
