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
      (0xc0a8_0000, 0xc0a8_ffff), (0xc612_0000, 0xc613_ffff), (0xc633_6400, 0xc633_64ff), (0xcb00_7100, 0xcb00_71ff),
      (0xe000_0000, 0xffff_ffff),
    ] as [(UInt32, UInt32)])
  func callsReservedBlocksSpecial(first: UInt32, last: UInt32) {
    #expect(IPAddress(v4: first).isSpecialPurpose)
    #expect(IPAddress(v4: last).isSpecialPurpose)
    if first > 0 { #expect(!IPAddress(v4: first - 1).isSpecialPurpose) }
    if last < .max { #expect(!IPAddress(v4: last + 1).isSpecialPurpose) }
  }
}
