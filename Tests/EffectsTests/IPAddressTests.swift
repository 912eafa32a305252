import Effects
import Testing

@Suite struct IPAddressTests {
  @Test(arguments: [
    (IPAddress(v4: 0), "0.0.0.0"), (IPAddress(v4: 0x7f00_0001), "127.0.0.1"), (IPAddress(v4: .max), "255.255.255.255"),
    (IPAddress(high: 0, low: 0), "::"), (IPAddress(high: 0, low: 1), "::1"),
    (IPAddress(high: 0x2001_0db8_0000_0000, low: 1), "2001:db8::1"),
    (IPAddress(high: 0x2001_0db8_0000_0001, low: 0x0001_0001_0001_0001), "2001:db8:0:1:1:1:1:1"),
    (IPAddress(high: 0x2001_0000_0000_0001, low: 0x0000_0000_0000_0001), "2001:0:0:1::1"),
    (IPAddress(high: 0x2001_0db8_0000_0000, low: 0x0001_0000_0000_0001), "2001:db8::1:0:0:1"),
    (IPAddress(high: 0xfe80_0000_0000_0000, low: 0), "fe80::"),
    (IPAddress(high: 0x0001_0002_0003_0004, low: 0x0005_0006_0007_0008), "1:2:3:4:5:6:7:8"),
  ])
  func writesTheUsualText(address: IPAddress, text: String) {
    #expect(address.description == text)
  }

  @Test func putsIPv6IntoBracketsBeforeAPort() {
    #expect(Endpoint(IPAddress(v4: 0x7f00_0001), port: 80).description == "127.0.0.1:80")
    #expect(Endpoint(IPAddress(high: 0, low: 1), port: 8080).description == "[::1]:8080")
  }

  @Test func takesTheIPv4OutOfAMappedAddressOnly() {
    #expect(IPAddress(high: 0, low: 0xffff_0102_0304).unmapped == IPAddress(v4: 0x0102_0304))
    let others = [IPAddress(high: 0, low: 1), IPAddress(high: 1, low: 0xffff_0102_0304), IPAddress(v4: 9)]
    for address in others { #expect(address.unmapped == address) }
    #expect(IPAddress(v4: 1) != IPAddress(high: 0, low: 1))
  }

  @Test(arguments: [
    (IPAddress(v4: 0x7f00_0001), true, false), (IPAddress(v4: 0x7fff_ffff), true, false),
    (IPAddress(v4: 0x8000_0000), false, false), (IPAddress(high: 0, low: 1), true, false),
    (IPAddress(high: 0, low: 0xffff_7f00_0001), true, false), (IPAddress(v4: 0), false, true),
    (IPAddress(v4: 0x0001_0203), false, true), (IPAddress(v4: 0x0100_0000), false, false),
    (IPAddress(high: 0, low: 0), false, true), (IPAddress(high: 0, low: 0xffff_0000_0000), false, true),
    (IPAddress(high: 1, low: 1), false, false),
  ])
  func knowsItsOwnHost(address: IPAddress, isLoopback: Bool, isUnspecified: Bool) {
    #expect(address.isLoopback == isLoopback)
    #expect(address.isUnspecified == isUnspecified)
  }

  /// The first and last address of each block of RFC 6890, and the neighbours outside.
  @Test(
    arguments: [
      (0x0000_0000, 0x00ff_ffff), (0x0a00_0000, 0x0aff_ffff), (0x6440_0000, 0x647f_ffff), (0x7f00_0000, 0x7fff_ffff),
      (0xa9fe_0000, 0xa9fe_ffff), (0xac10_0000, 0xac1f_ffff), (0xc000_0000, 0xc000_00ff), (0xc000_0200, 0xc000_02ff),
      (0xc058_6300, 0xc058_63ff),
      (0xc0a8_0000, 0xc0a8_ffff), (0xc612_0000, 0xc613_ffff), (0xc633_6400, 0xc633_64ff), (0xcb00_7100, 0xcb00_71ff),
      (0xe000_0000, 0xffff_ffff),
    ] as [(UInt32, UInt32)])
  func callsReservedBlocksSpecial(first: UInt32, last: UInt32) {
    #expect(IPAddress(v4: first).isSpecialPurpose)
    #expect(IPAddress(v4: last).isSpecialPurpose)
    if first > 0 { #expect(!IPAddress(v4: first - 1).isSpecialPurpose) }
    if last < .max { #expect(!IPAddress(v4: last + 1).isSpecialPurpose) }
  }

  /// The blocks of the IANA registry of special-purpose IPv6 addresses, and neighbours outside.
  @Test(
    arguments: [
      (0, 0, true), (0, 1, true), (0, 0x0808_0808, true), (0x0064_ff9b_0001_0000, 0x0808_0808, true),
      (0x0100_0000_0000_0000, 1, true), (0x0100_0000_0000_0001, 1, true), (0x2001_0000_0000_0000, 1, true),
      (0x2001_0002_0000_0000, 1, true), (0x2001_0010_0000_0000, 1, true), (0x2001_0020_0000_0000, 1, true),
      (0x2001_0030_0000_0000, 1, true), (0x2001_01ff_ffff_ffff, .max, true), (0x2001_0200_0000_0000, 0, false),
      (0x2001_0db7_ffff_ffff, .max, false), (0x2001_0db8_0000_0000, 0, true), (0x2001_0db8_ffff_ffff, .max, true),
      (0x2001_0db9_0000_0000, 0, false), (0x2001_4860_4860_0000, 0x8888, false), (0x2002_0808_0808_0000, 1, true),
      (0x2003_0000_0000_0000, 0, false), (0x3ffe_ffff_ffff_ffff, .max, false), (0x3fff_0000_0000_0000, 0, true),
      (0x3fff_0fff_ffff_ffff, .max, true), (0x3fff_1000_0000_0000, 0, false), (0x4000_0000_0000_0000, 0, true),
      (0x5f00_0000_0000_0000, 1, true), (0xfc00_0000_0000_0000, 1, true), (0xfdff_ffff_ffff_ffff, 1, true),
      (0xfe80_0000_0000_0000, 1, true), (0xfec0_0000_0000_0000, 1, true), (0xff02_0000_0000_0000, 1, true),
    ] as [(UInt64, UInt64, Bool)])
  func callsReservedIPv6BlocksSpecial(high: UInt64, low: UInt64, isSpecial: Bool) {
    #expect(IPAddress(high: high, low: low).isSpecialPurpose == isSpecial)
  }

  @Test(arguments: [(0x0808_0808, false), (0x7f00_0001, true), (0xa9fe_a9fe, true)] as [(UInt32, Bool)])
  func judgesATranslatedAddressByWhatItIsTranslatedTo(bits: UInt32, isSpecial: Bool) {
    let translated = IPAddress(high: 0x0064_ff9b_0000_0000, low: UInt64(bits))
    #expect(translated.embeddedIPv4 == IPAddress(v4: bits))
    #expect(translated.isSpecialPurpose == isSpecial)
  }

  @Test func findsTheIPv4InsideAnIPv6AddressWhereOneIs() {
    #expect(IPAddress(high: 0x2002_0a00_0001_0000, low: 7).embeddedIPv4 == IPAddress(v4: 0x0a00_0001))
    #expect(IPAddress(high: 0, low: 0xffff_0a00_0001).embeddedIPv4 == IPAddress(v4: 0x0a00_0001))
    for other in [
      IPAddress(v4: 0x0a00_0001), IPAddress(high: 0x0064_ff9b_0000_0000, low: 1 << 32), IPAddress(high: 1, low: 9),
    ] {
      #expect(other.embeddedIPv4 == nil)
    }
  }
}
