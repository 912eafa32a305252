/// A block of addresses that share their first bits (CIDR, RFC 4632 and RFC 4291, section 2.3).
///
/// A block of IPv4-mapped addresses is the IPv4 block that they stand for, so that no spelling gets around a rule.
package struct IPNetwork: Sendable, Hashable {
  /// The first address.
  package let address: IPAddress
  /// How many bits all addresses share: 0 to 32, or to 128 for IPv6.
  package let prefixLength: Int

  /// The block of the addresses that share so many bits with this one; nil when an address has not so many bits. The
  /// bits behind the prefix do not count.
  package init?(_ address: IPAddress, prefixLength: Int) {
    guard prefixLength >= 0, prefixLength <= address.bitCount else { return nil }
    let plain = address.unmapped
    if plain.isIPv6 != address.isIPv6, prefixLength >= IPNetwork.mappedPrefix {
      self.prefixLength = prefixLength &- IPNetwork.mappedPrefix
    } else if plain.isIPv6 != address.isIPv6 {
      // Shorter than the mapped prefix itself: the block is IPv6, whatever its first address is.
      self.prefixLength = prefixLength
      self.address = IPAddress(address.bits & IPNetwork.mask(prefixLength, of: 128), isIPv6: true)
      return
    } else {
      self.prefixLength = prefixLength
    }
    self.address = IPAddress(
      plain.bits & IPNetwork.mask(self.prefixLength, of: plain.bitCount), isIPv6: plain.isIPv6)
  }

  /// The block of that address alone.
  package init(_ address: IPAddress) {
    self.address = address.unmapped
    prefixLength = self.address.bitCount
  }

  private static let mappedPrefix = 96

  /// Whether the address, or the IPv4 address that it stands for, is in the block.
  package func contains(_ address: IPAddress) -> Bool {
    let plain = address.unmapped
    return plain.isIPv6 == self.address.isIPv6 && plain.bits & mask == self.address.bits
  }

  /// The bits of the last address.
  package var lastBits: UInt128 { address.bits | ~mask & IPNetwork.mask(address.bitCount, of: address.bitCount) }

  private var mask: UInt128 { IPNetwork.mask(prefixLength, of: address.bitCount) }

  private static func mask(_ length: Int, of count: Int) -> UInt128 {
    let all = count == 128 ? UInt128.max : UInt128(UInt32.max)
    return all & ~(length >= count ? 0 : all >> UInt128(length))
  }
}

extension IPNetwork: CustomStringConvertible {
  /// The address, and the prefix length where it is more than one address.
  package var description: String {
    prefixLength == address.bitCount ? "\(address)" : "\(address)/\(prefixLength)"
  }
}

extension IPAddress {
  /// 32 or 128.
  package var bitCount: Int { isIPv6 ? 128 : 32 }

  /// The address as a number.
  package var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }

  fileprivate init(_ bits: UInt128, isIPv6: Bool) {
    if isIPv6 {
      self.init(high: UInt64(truncatingIfNeeded: bits >> 64), low: UInt64(truncatingIfNeeded: bits))
    } else {
      self.init(v4: UInt32(truncatingIfNeeded: bits))
    }
  }
}
