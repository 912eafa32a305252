/// The well-formed byte sequences of UTF-8 (Unicode, table 3-7; RFC 3629, section 4).
package enum UTF8Sequence {
  /// U+FFFD as UTF-8.
  package static let replacement: [UInt8] = [0xef, 0xbf, 0xbd]

  /// How many bytes the well-formed sequence has that starts at an offset: 1 to 4; 0 when there is none.
  package static func length(at offset: Int, in bytes: [UInt8]) -> Int {
    guard offset >= 0, offset < bytes.count else { return 0 }
    let lead = bytes[offset]
    let length: Int
    // The second byte's range keeps out overlong forms, surrogates and what lies above U+10FFFF.
    var second: ClosedRange<UInt8> = 0x80...0xbf
    switch lead {
    case 0x00...0x7f: return 1
    case 0xc2...0xdf: length = 2
    case 0xe0: (length, second) = (3, 0xa0...0xbf)
    case 0xed: (length, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: length = 3
    case 0xf0: (length, second) = (4, 0x90...0xbf)
    case 0xf4: (length, second) = (4, 0x80...0x8f)
    case 0xf1...0xf3: length = 4
    default: return 0
    }
    guard bytes.count &- offset >= length, second.contains(bytes[offset &+ 1]) else { return 0 }
    for index in 2..<max(2, length) where bytes[offset &+ index] & 0xc0 != 0x80 { return 0 }
    return length
  }
}
