/// A user's name and password as the Basic scheme sends them (RFC 7617).
package struct BasicAuthorization: Sendable, Equatable {
  /// The name, in whatever the client takes for UTF-8.
  package let user: [UInt8]
  package let password: [UInt8]

  /// Reads the value of an `Authorization` or `Proxy-Authorization` field; nil when it is of another scheme or
  /// malformed.
  package init?(_ value: some Collection<UInt8>) {
    // No password that could be right is longer (crypt(3) takes 511 bytes), and what is looked up is remembered.
    guard value.count <= BasicAuthorization.lengthLimit else { return nil }
    guard value.prefix(6).map({ $0 == 0x20 ? $0 : $0 | 0x20 }).elementsEqual("basic ".utf8) else { return nil }
    let encoded = value.dropFirst(6).drop { $0 == 0x20 }
    guard let decoded = BasicAuthorization.decode(encoded),
      let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
      // RFC 7617, section 2: neither part has control characters.
      decoded.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
    else { return nil }
    user = Array(decoded[..<colon])
    password = Array(decoded[(colon + 1)...])
  }

  /// The longest value that is read.
  package static let lengthLimit = 2048

  /// Base64 with its padding (RFC 4648, section 4); nil when the text is none.
  private static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 &* 3)
    var bits: UInt32 = 0
    var digits = 0
    var padding = 0
    for byte in text {
      let digit: UInt32
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = UInt32(byte &- 65)
      case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = UInt32(byte &- 71)
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt32(byte &+ 4)
      case UInt8(ascii: "+"): digit = 62
      case UInt8(ascii: "/"): digit = 63
      case UInt8(ascii: "="):
        padding &+= 1
        continue
      default: return nil
      }
      guard padding == 0 else { return nil }
      bits = bits << 6 | digit
      digits &+= 1
      if digits & 3 == 0 {
        bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
        bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
        bytes.append(UInt8(truncatingIfNeeded: bits))
        bits = 0
      }
    }
    switch (digits & 3, padding) {
    case (0, 0): return bytes
    case (2, 2) where bits & 0xf == 0: return bytes + [UInt8(truncatingIfNeeded: bits >> 4)]
    case (3, 1) where bits & 3 == 0:
      return bytes + [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
    default: return nil
    }
  }
}
