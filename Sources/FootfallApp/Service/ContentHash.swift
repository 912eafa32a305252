/// A short name for a text, to see whether two are the same; no protection against anybody.
enum ContentHash {
  /// Sixteen hexadecimal digits: FNV-1a with 64 bits.
  static func text(_ bytes: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
