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
    let (high, low) = sixteenBytes()
    let time = UInt64(clamping: millisecondsSinceEpoch) & 0x0000_ffff_ffff_ffff
    return UUIDText.string(
      high: time << 16 | 0x7000 | (high & 0x0fff), low: (low & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000)
  }
}

/// The text form of a UUID (RFC 9562, section 4).
package enum UUIDText {
  /// Thirty-six characters in lower case, from the two halves in network order.
  package static func string(high: UInt64, low: UInt64) -> String {
    var text = [UInt8](repeating: UInt8(ascii: "-"), count: 36)
    var position = 0
    for index in 0..<32 {
      if index == 8 || index == 12 || index == 16 || index == 20 { position &+= 1 }
      let half = index < 16 ? high : low
      let nibble = UInt8(truncatingIfNeeded: half >> UInt64(60 &- (index % 16) &* 4)) & 0xf
      text[position] = nibble < 10 ? UInt8(ascii: "0") &+ nibble : UInt8(ascii: "a") &+ nibble &- 10
      position &+= 1
    }
    return String(decoding: text, as: UTF8.self)
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
