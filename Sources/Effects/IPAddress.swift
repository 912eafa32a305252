/// An IPv4 or IPv6 address as a value.
package struct IPAddress: Sendable, Hashable {
  /// The first eight bytes of an IPv6 address, in network order; 0 for IPv4.
  package let high: UInt64
  /// The last eight bytes of an IPv6 address; the 32 bits of an IPv4 address.
  package let low: UInt64
  /// Whether the address is IPv6.
  package let isIPv6: Bool

  /// An IPv6 address from its two halves in network order.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
    isIPv6 = true
  }

  /// An IPv4 address from its 32 bits, first byte highest.
  package init(v4 bits: UInt32) {
    high = 0
    low = UInt64(bits)
    isIPv6 = false
  }

  /// The IPv4 address inside an IPv4-mapped (RFC 4291, 2.5.5.2) address; any other address unchanged.
  package var unmapped: IPAddress {
    guard isIPv6, high == 0, low >> 32 == 0xffff else { return self }
    return IPAddress(v4: UInt32(truncatingIfNeeded: low))
  }

  /// 127.0.0.0/8 or ::1, also when mapped.
  package var isLoopback: Bool {
    let plain = unmapped
    return plain.isIPv6 ? plain.high == 0 && plain.low == 1 : plain.low >> 24 == 127
  }

  /// 0.0.0.0/8 or ::, which a connect takes for this host.
  package var isUnspecified: Bool {
    let plain = unmapped
    return plain.isIPv6 ? plain.high == 0 && plain.low == 0 : plain.low >> 24 == 0
  }

  /// The IPv4 address that a translator or a relay makes of an IPv6 address of the well-known NAT64 prefix (RFC 6052) or
  /// of 6to4 (RFC 3056), and of a mapped one; nil for all others.
  package var embeddedIPv4: IPAddress? {
    let plain = unmapped
    if !plain.isIPv6 { return isIPv6 ? plain : nil }
    if plain.high == 0x0064_ff9b_0000_0000, plain.low >> 32 == 0 {
      return IPAddress(v4: UInt32(truncatingIfNeeded: plain.low))
    }
    if plain.high >> 48 == 0x2002 { return IPAddress(v4: UInt32(truncatingIfNeeded: plain.high >> 16)) }
    return nil
  }

  /// Whether the address is one that a server profile never dials: this host, its link, private networks, carrier-grade
  /// NAT, tunnel prefixes that hide an IPv4 address, multicast, documentation and reserved blocks, as the IANA registries
  /// of special-purpose addresses list them (RFC 6890). An address of NAT64 is what it is translated to.
  package var isSpecialPurpose: Bool {
    let plain = unmapped
    if plain.isIPv6 {
      if plain.high == 0x0064_ff9b_0000_0000, let translated = plain.embeddedIPv4 { return translated.isSpecialPurpose }
      if plain.high >> 61 != 0b001 { return true }  // only 2000::/3 is global unicast
      return plain.high >> 41 == 0x2001_0000_0000_0000 >> 41  // 2001::/23: Teredo, benchmarking, ORCHID and the like
        || plain.high >> 32 == 0x2001_0db8  // documentation
        || plain.high >> 44 == 0x3fff0  // documentation (RFC 9637)
        || plain.high >> 48 == 0x2002  // 6to4
    }
    let blocks: [(UInt64, UInt64)] = [
      (0x0000_0000, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16), (0xac10_0000, 12),
      (0xc000_0000, 24), (0xc000_0200, 24), (0xc058_6300, 24), (0xc0a8_0000, 16), (0xc612_0000, 15), (0xc633_6400, 24),
      (0xcb00_7100, 24), (0xe000_0000, 3),
    ]
    return blocks.contains { plain.low >> (32 - $0.1) == $0.0 >> (32 - $0.1) }
  }
}

extension IPAddress: CustomStringConvertible {
  /// The usual text: dotted quad, or eight groups with the longest run of zeros shortened (RFC 5952).
  package var description: String {
    if !isIPv6 { return "\(low >> 24 & 255).\(low >> 16 & 255).\(low >> 8 & 255).\(low & 255)" }
    let groups = (0..<8).map { UInt16(truncatingIfNeeded: ($0 < 4 ? high : low) >> UInt64(48 - ($0 % 4) * 16)) }
    var best = (start: 0, length: 0)
    var start = 0
    while start < 8 {
      var end = start
      while end < 8, groups[end] == 0 { end += 1 }
      if end - start > best.length { best = (start, end - start) }
      start = max(end, start + 1)
    }
    let text = groups.map { String($0, radix: 16) }
    guard best.length > 1 else { return text.joined(separator: ":") }
    return text[..<best.start].joined(separator: ":") + "::"
      + text[(best.start + best.length)...].joined(separator: ":")
  }
}

/// An address and a port.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  package var address: IPAddress
  package var port: UInt16
  /// The interface of a link-local IPv6 address, or 0.
  package var scope: UInt32

  package init(_ address: IPAddress, port: UInt16, scope: UInt32 = 0) {
    self.address = address
    self.port = port
    self.scope = scope
  }

  package var description: String { address.isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)" }
}
