import Effects

extension IPAddress {
  /// The address that a text names: a dotted quad of decimal numbers without leading zeros, or the forms of RFC 4291
  /// (section 2.2) without zone. No names, no folded or octal numbers.
  init?(text: String) {
    let bytes = Array(text.utf8)
    guard bytes.contains(UInt8(ascii: ":")) else {
      guard let bits = Self.dottedQuad(bytes[...]) else { return nil }
      self.init(v4: bits)
      return
    }
    guard let groups = Self.groups(bytes) else { return nil }
    self.init(high: Self.half(groups[..<4]), low: Self.half(groups[4...]))
  }

  private static func half(_ groups: ArraySlice<UInt16>) -> UInt64 { groups.reduce(0) { $0 << 16 | UInt64($1) } }

  private static func dottedQuad(_ bytes: ArraySlice<UInt8>) -> UInt32? {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0"),
        part.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
        let value = UInt8(String(decoding: part, as: UTF8.self))
      else { return nil }
      bits = bits << 8 | UInt32(value)
    }
    return bits
  }

  /// The eight groups of an IPv6 address.
  private static func groups(_ bytes: [UInt8]) -> [UInt16]? {
    guard bytes.count <= 45 else { return nil }
    guard let gap = doubleColon(in: bytes) else {
      guard let groups = run(bytes[...]), groups.count == 8 else { return nil }
      return groups
    }
    let (head, tail) = (bytes[..<gap], bytes[(gap + 2)...])
    guard let first = head.isEmpty ? [] : run(head), let last = tail.isEmpty ? [] : run(tail),
      !head.contains(UInt8(ascii: ".")), first.count + last.count <= 7
    else { return nil }
    return first + Array(repeating: 0, count: 8 - first.count - last.count) + last
  }

  private static func doubleColon(in bytes: [UInt8]) -> Int? {
    bytes.indices.dropLast().first { bytes[$0] == UInt8(ascii: ":") && bytes[$0 + 1] == UInt8(ascii: ":") }
  }

  /// Groups between single colons; a dotted quad at the end is two of them.
  private static func run(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
    let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var groups: [UInt16] = []
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
        guard let bits = dottedQuad(part) else { return nil }
        groups += [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
        continue
      }
      // The number's own initializer would take a sign too.
      guard (1...4).contains(part.count), part.first != UInt8(ascii: "+"), part.first != UInt8(ascii: "-"),
        let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
      else { return nil }
      groups.append(group)
    }
    return groups.count <= 8 ? groups : nil
  }
}
