/// Where random bytes come from: the operating system's generator in the product, a sequence in tests.
public protocol TokenSource: Sendable {
  /// Fills a sixteen-byte token, enough for one UUID.
  func sixteenBytes() -> (UInt64, UInt64)
}

extension TokenSource {
  /// A random UUID in lower case, version 4, variant 10 (RFC 9562, section 5.4).
  package func uuidVersion4() -> String {
    let (high, low) = sixteenBytes()
    return UUIDText.string(
      high: (high & 0xffff_ffff_ffff_0fff) | 0x0000_0000_0000_4000,
      low: (low & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000)
  }

  /// A time-ordered UUID in lower case, version 7 (RFC 9562, section 5.7).
  package func uuidVersion7(millisecondsSinceEpoch: Int64) -> String {
    String(decoding: uuidVersion7Bytes(millisecondsSinceEpoch: millisecondsSinceEpoch), as: UTF8.self)
  }

  /// The same as the bytes of its text.
  package func uuidVersion7Bytes(millisecondsSinceEpoch: Int64) -> [UInt8] {
    let (high, low) = sixteenBytes()
    let time = UInt64(clamping: millisecondsSinceEpoch) & 0x0000_ffff_ffff_ffff
    return UUIDText.bytes(
      high: time << 16 | 0x7000 | (high & 0x0fff), low: (low & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000)
  }
}

/// The text form of a UUID (RFC 9562, section 4).
package enum UUIDText {
  /// Thirty-six characters in lower case, from the two halves in network order.
  package static func string(high: UInt64, low: UInt64) -> String {
    String(decoding: bytes(high: high, low: low), as: UTF8.self)
  }

  /// The same as bytes.
  static func bytes(high: UInt64, low: UInt64) -> [UInt8] {
    let dash = UInt8(ascii: "-")
    func digit(_ half: UInt64, _ shift: UInt64) -> UInt8 {
      let nibble = UInt8(truncatingIfNeeded: half &>> shift) & 0xf
      return nibble &+ (nibble < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10)
    }
    return [
      digit(high, 60), digit(high, 56), digit(high, 52), digit(high, 48), digit(high, 44), digit(high, 40),
      digit(high, 36), digit(high, 32), dash, digit(high, 28), digit(high, 24), digit(high, 20), digit(high, 16), dash,
      digit(high, 12), digit(high, 8), digit(high, 4), digit(high, 0), dash, digit(low, 60), digit(low, 56),
      digit(low, 52), digit(low, 48), dash, digit(low, 44), digit(low, 40), digit(low, 36), digit(low, 32),
      digit(low, 28), digit(low, 24), digit(low, 20), digit(low, 16), digit(low, 12), digit(low, 8), digit(low, 4),
      digit(low, 0),
    ]
  }

  /// Whether the text is a UUID in lower case with its dashes in place.
  package static func isLowercaseUUID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    for (index, byte) in bytes.enumerated() {
      switch index {
      case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
      default:
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): continue
        default: return false
        }
      }
    }
    return true
  }
}
