extension HTTPDate {
  /// The moment of a text, in milliseconds since the epoch; nil when it is no HTTP date.
  ///
  /// All three forms of RFC 9110, section 5.6.7, are read: `Sun, 06 Nov 1994 08:49:37 GMT`,
  /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. The day of the week is not held against the date.
  package static func milliseconds(of text: String) -> Int64? {
    let words = text.split { $0 == " " || $0 == "," || $0 == "\t" }
    switch words.count {
    case 6 where words[5] == "GMT":
      return milliseconds(year: number(words[3], 4), month: words[2], day: number(words[1], 2), time: words[4])
    case 4 where words[3] == "GMT":
      let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
      guard date.count == 3, let short = number(date[2], 2) else { return nil }
      // Two digits stand for the last century from 70 on: HTTP is younger, and the form is obsolete.
      let year = short < 70 ? short &+ 2000 : short &+ 1900
      return milliseconds(year: year, month: date[1], day: number(date[0], 2), time: words[2])
    case 5:
      let day = number(words[2], 2) ?? number(words[2], 1)
      return milliseconds(year: number(words[4], 4), month: words[1], day: day, time: words[3])
    default: return nil
    }
  }

  private static func milliseconds(year: Int64?, month: Substring, day: Int64?, time: Substring) -> Int64? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0, 2) }
    guard let year, let day, let month = months.firstIndex(of: String(month)), clock.count == 3,
      let hour = clock[0], let minute = clock[1], let second = clock[2],
      // 60 is a leap second.
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let date = CivilDate(year: year, month: Int64(month) &+ 1, day: day)
    guard date.isValid else { return nil }
    let seconds = hour &* 3_600 &+ minute &* 60 &+ second
    return date.daysSinceEpoch &* 86_400_000 &+ seconds &* 1_000
  }

  /// A number of exactly so many digits.
  private static func number(_ text: Substring, _ digits: Int) -> Int64? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
  }
}
