import Effects
import Foundation
import Testing

@Suite struct HTTPDateTests {
  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_399_999, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
    (Int64.min, "Mon, 01 Jan 0001 00:00:00 GMT"),
  ])
  func writesTheFixedForm(milliseconds: Int64, text: String) {
    #expect(HTTPDate.text(millisecondsSinceEpoch: milliseconds) == text)
  }

  @Test func agreesWithFoundation() {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    for step in 0..<500 {
      let seconds = Int64(step) * 86_400 * 97 + Int64(step) * 3_607
      let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      #expect(HTTPDate.text(millisecondsSinceEpoch: seconds * 1000) == expected)
    }
  }

  @Test(arguments: [0, 784_111_777_000, 951_782_399_000, 951_782_400_000, 253_402_300_799_000, -62_135_596_800_000])
  func readsWhatItWrites(_ milliseconds: Int64) {
    #expect(HTTPDate.milliseconds(of: HTTPDate.text(millisecondsSinceEpoch: milliseconds)) == milliseconds)
  }

  @Test func takesALeapSecondForTheNextMinute() {
    #expect(
      HTTPDate.milliseconds(of: "Sat, 31 Dec 2016 23:59:60 GMT")
        == HTTPDate.milliseconds(of: "Sun, 01 Jan 2017 00:00:00 GMT"))
  }

  @Test(arguments: [
    "", "GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Mon, 06 Nov 1994 08:49:37 GMT",
    "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT", "Wed, 30 Feb 2000 00:00:00 GMT",
    "Sat, 01 Jan 0000 00:00:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sun, 06 Nov 1994 08:49:37 GMT ",
  ])
  func readsNoOtherForm(_ text: String) {
    #expect(HTTPDate.milliseconds(of: text) == nil)
  }
}
