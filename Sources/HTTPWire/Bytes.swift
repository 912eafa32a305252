/// Received bytes: the first of a run whose length travels beside it.
///
/// Raw pointers, because the parsers run once per request over bytes that the event loop owns for the whole call,
/// and bounds-checked views cost about twice the time there. Each function that takes a pointer and a count
/// reads inside that range only; the tests put the range against an unmapped page.
package typealias Bytes = UnsafePointer<UInt8>

/// Writable bytes, with the same rules.
package typealias MutableBytes = UnsafeMutablePointer<UInt8>

/// Names for the bytes that the grammar is made of.
enum Octet {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0a
  static let carriageReturn: UInt8 = 0x0d
  static let space: UInt8 = 0x20
  static let numberSign: UInt8 = 0x23
  static let percent: UInt8 = 0x25
  static let comma: UInt8 = 0x2c
  static let dot: UInt8 = 0x2e
  static let slash: UInt8 = 0x2f
  static let zero: UInt8 = 0x30
  static let nine: UInt8 = 0x39
  static let colon: UInt8 = 0x3a
  static let semicolon: UInt8 = 0x3b
  static let questionMark: UInt8 = 0x3f
  static let at: UInt8 = 0x40
  static let openBracket: UInt8 = 0x5b
  static let backslash: UInt8 = 0x5c
  static let closeBracket: UInt8 = 0x5d
  static let underscore: UInt8 = 0x5f
  static let delete: UInt8 = 0x7f

  /// Optional white space (RFC 9110, section 5.6.3).
  @inline(__always) static func isWhitespace(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- zero <= 9 }

  /// The byte with ASCII capitals made small.
  @inline(__always) static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  /// 0 to 15, or 255 for a byte that is no hexadecimal digit.
  @inline(__always) static func hexadecimalValue(_ byte: UInt8) -> UInt8 {
    let digit = byte &- zero
    if digit <= 9 { return digit }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? letter &+ 10 : 255
  }
}
