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
}
