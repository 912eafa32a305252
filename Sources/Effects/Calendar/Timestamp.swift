/// A moment as RFC 3339 text in UTC with milliseconds: `2026-11-30T07:25:55.123Z`.
package enum Timestamp {
  /// The range of RFC 3339 years with four digits, 0001 to 9999; moments outside are shown as its ends.
  package static let representable: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// The 24 characters of the text.
  package static func text(millisecondsSinceEpoch: Int64) -> String {
    var bytes: [UInt8] = []
    append(millisecondsSinceEpoch: millisecondsSinceEpoch, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the 24 bytes of the text.
  package static func append(millisecondsSinceEpoch: Int64, to bytes: inout [UInt8]) {
    let moment = min(max(millisecondsSinceEpoch, representable.lowerBound), representable.upperBound)
    var (days, time) = moment.quotientAndRemainder(dividingBy: 86_400_000)
    if time < 0 {
      days &-= 1
      time &+= 86_400_000
    }
    let date = CivilDate(daysSinceEpoch: days)
    append(date.year, digits: 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    append(date.month, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    append(date.day, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    append(time / 3_600_000, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    append(time / 60_000 % 60, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    append(time / 1_000 % 60, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: "."))
    append(time % 1_000, digits: 3, to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// The moment of a text in exactly the form that ``append(millisecondsSinceEpoch:to:)`` writes; nil for any other.
  package static func milliseconds(of text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 24 else { return nil }
    var numbers: [Int64] = [0]
    for (index, byte) in bytes.enumerated() {
      switch index {
      case 4, 7: guard byte == UInt8(ascii: "-") else { return nil }
      case 10: guard byte == UInt8(ascii: "T") else { return nil }
      case 13, 16: guard byte == UInt8(ascii: ":") else { return nil }
      case 19: guard byte == UInt8(ascii: ".") else { return nil }
      case 23: guard byte == UInt8(ascii: "Z") else { return nil }
      default:
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        numbers[numbers.count &- 1] = numbers[numbers.count &- 1] &* 10 &+ Int64(byte &- UInt8(ascii: "0"))
        continue
      }
      numbers.append(0)
    }
    let date = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2])
    guard date.isValid, numbers[3] < 24, numbers[4] < 60, numbers[5] < 60 else { return nil }
    let seconds = numbers[3] &* 3_600 &+ numbers[4] &* 60 &+ numbers[5]
    return date.daysSinceEpoch &* 86_400_000 &+ seconds &* 1_000 &+ numbers[6]
  }

  private static func append(_ number: Int64, digits: Int, to bytes: inout [UInt8]) {
    var divisor: Int64 = digits == 4 ? 1_000 : digits == 3 ? 100 : 10
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / divisor % 10))
      divisor /= 10
    }
  }
}
