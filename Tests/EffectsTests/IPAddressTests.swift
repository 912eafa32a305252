import Effects
import Testing

@Suite struct IPAddressTests {
  private static func v4(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> IPAddress {
    IPAddress(v4: a << 24 | b << 16 | c << 8 | d)
  }

  private static func mapped(_ address: IPAddress) -> IPAddress {
    IPAddress(high: 0, low: 0xffff_0000_0000 | address.low)
  }

  static let special = [
    v4(0, 0, 0, 0), v4(0, 1, 2, 3), v4(10, 0, 0, 1), v4(100, 64, 0, 1), v4(100, 127, 255, 255), v4(127, 0, 0, 1),
    v4(127, 255, 255, 254), v4(169, 254, 169, 254), v4(172, 16, 0, 1), v4(172, 31, 255, 255), v4(192, 0, 0, 1),
    v4(192, 0, 2, 1), v4(192, 168, 1, 1), v4(198, 18, 0, 1), v4(198, 19, 255, 255), v4(198, 51, 100, 1),
    v4(203, 0, 113, 1), v4(224, 0, 0, 1), v4(240, 0, 0, 1), v4(255, 255, 255, 255),
    IPAddress(high: 0, low: 0), IPAddress(high: 0, low: 1), IPAddress(high: 0xfe80_0000_0000_0000, low: 1),
    IPAddress(high: 0xfc00_0000_0000_0000, low: 1), IPAddress(high: 0xfd00_0000_0000_0000, low: 1),
    IPAddress(high: 0xff02_0000_0000_0000, low: 1), IPAddress(high: 0x0064_ff9b_0000_0000, low: 0x0a00_0001),
    IPAddress(high: 0x2001_0000_0000_0000, low: 1), IPAddress(high: 0x2002_0a00_0001_0000, low: 1),
    IPAddress(high: 0x2001_0db8_0000_0000, low: 1),
  ]

  @Test(arguments: special)
  func specialAddressesAreKnownAlsoWhenMapped(_ address: IPAddress) {
    #expect(address.isSpecialPurpose)
    if !address.isIPv6 { #expect(Self.mapped(address).isSpecialPurpose) }
  }

  static let ordinary = [
    v4(1, 1, 1, 1), v4(8, 8, 8, 8), v4(100, 63, 255, 255), v4(100, 128, 0, 0), v4(172, 15, 255, 255), v4(172, 32, 0, 0),
    v4(192, 167, 0, 1), v4(192, 0, 1, 1), v4(198, 17, 0, 1), v4(198, 20, 0, 1), v4(223, 255, 255, 255),
    v4(128, 0, 0, 1), IPAddress(high: 0x2606_4700_0000_0000, low: 1), IPAddress(high: 0x2a00_0000_0000_0000, low: 1),
  ]

  @Test(arguments: ordinary)
  func ordinaryAddressesAreNotSpecial(_ address: IPAddress) {
    #expect(!address.isSpecialPurpose)
    #expect(!address.isLoopback)
    #expect(!address.isUnspecified)
  }

  @Test func loopbackAndUnspecifiedAreKnownInEachForm() {
    #expect(Self.v4(127, 9, 9, 9).isLoopback)
    #expect(Self.mapped(Self.v4(127, 0, 0, 1)).isLoopback)
    #expect(IPAddress(high: 0, low: 1).isLoopback)
    #expect(!IPAddress(high: 1, low: 1).isLoopback)
    #expect(Self.v4(0, 0, 0, 0).isUnspecified)
    #expect(Self.mapped(Self.v4(0, 0, 0, 0)).isUnspecified)
    #expect(IPAddress(high: 0, low: 0).isUnspecified)
    #expect(!IPAddress(high: 0, low: 1).isUnspecified)
    #expect(Self.mapped(Self.v4(1, 2, 3, 4)).unmapped == Self.v4(1, 2, 3, 4))
  }

  static let texts: [(IPAddress, String)] = [
    (v4(127, 0, 0, 1), "127.0.0.1"), (IPAddress(high: 0, low: 0), "::"), (IPAddress(high: 0, low: 1), "::1"),
    (IPAddress(high: 0x2001_0db8_0000_0000, low: 0x0001_0000_0000_0001), "2001:db8::1:0:0:1"),
    (IPAddress(high: 0x2001_0db8_0000_0001, low: 0x0001_0001_0001_0001), "2001:db8:0:1:1:1:1:1"),
    (IPAddress(high: 0x0001_0000_0000_0000, low: 0), "1::"),
  ]

  @Test(arguments: texts)
  func writesTheFormOfRFC5952(_ address: IPAddress, _ text: String) {
    #expect(address.description == text)
    #expect(Endpoint(address, port: 80).description == (address.isIPv6 ? "[\(text)]:80" : "\(text):80"))
  }
}
