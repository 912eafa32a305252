/// A place in the bytes of a text that moves forward, and knows its line and column.
struct JSONCursor {
  let bytes: [UInt8]
  /// Always in `0...bytes.count`.
  private(set) var offset = 0

  // The place up to which line and column are counted. Positions are asked for in ascending order, so that the sum of
  // all counting is one pass over the text.
  private var counted = 0
  private var line = 1
  private var column = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The byte here; nil at the end.
  var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// The byte some places ahead; nil past the end.
  func byte(ahead distance: Int) -> UInt8? {
    let place = offset &+ distance
    return place >= 0 && place < bytes.count ? bytes[place] : nil
  }

  /// Whether these bytes stand here.
  func starts(with text: StaticString) -> Bool {
    text.description.utf8.elementsEqual(bytes[offset...].prefix(text.utf8CodeUnitCount))
  }

  /// Moves forward, at most to the end.
  mutating func advance(_ distance: Int = 1) { offset = min(bytes.count, offset &+ max(0, distance)) }

  /// Moves to a place seen before.
  mutating func move(to place: Int) { offset = min(bytes.count, max(0, place)) }

  /// Moves over bytes as long as they fulfil the condition.
  mutating func skip(while condition: (UInt8) -> Bool) {
    while let byte, condition(byte) { offset &+= 1 }
  }

  /// The bytes from a place seen before to here.
  func slice(from start: Int) -> ArraySlice<UInt8> { bytes[min(start, offset)..<offset] }

  /// The line and column of this place.
  mutating func position() -> JSONPosition {
    if offset < counted { (counted, line, column) = (0, 1, 1) }
    for byte in bytes[counted..<offset] {
      if byte == UInt8(ascii: "\n") {
        line &+= 1
        column = 1
      } else if byte & 0xc0 != 0x80 {
        // A continuation byte of UTF-8 starts no character.
        column &+= 1
      }
    }
    counted = offset
    return JSONPosition(offset: offset, line: line, column: column)
  }
}

extension UInt8 {
  /// Whether the byte can start a word: a letter, `_` or `$`.
  var startsWord: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "$"):
      true
    default: false
    }
  }

  /// Whether the byte can go on a word or a number.
  var continuesWord: Bool {
    startsWord || isDecimalDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "+") || self == UInt8(ascii: "-")
  }

  /// Whether the byte is an ASCII digit.
  var isDecimalDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  /// The value of a hexadecimal digit.
  var hexadecimalValue: UInt32? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self &- UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self &- UInt8(ascii: "a") &+ 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self &- UInt8(ascii: "A") &+ 10)
    default: nil
    }
  }
}
