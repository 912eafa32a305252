import Effects
import TestKit
import Testing

@Suite struct IPNetworkTests {
  private static func v4(_ bits: UInt32) -> IPAddress { IPAddress(v4: bits) }
  private static func mapped(_ bits: UInt32) -> IPAddress { IPAddress(high: 0, low: 0xffff_0000_0000 | UInt64(bits)) }

  private func network(_ address: IPAddress, _ length: Int) throws -> IPNetwork {
    try #require(IPNetwork(address, prefixLength: length))
  }

  @Test(
    arguments: [
      (v4(0x0a00_0000), 8, v4(0x0a00_0000), true), (v4(0x0a00_0000), 8, v4(0x0aff_ffff), true),
      (v4(0x0a00_0000), 8, v4(0x0b00_0000), false), (v4(0x0a00_0000), 8, v4(0x09ff_ffff), false),
      (v4(0x0a00_0000), 8, mapped(0x0a01_0203), true), (mapped(0x0a00_0000), 104, v4(0x0a01_0203), true),
      (v4(0), 0, v4(.max), true), (v4(0), 0, IPAddress(high: 0x2000 << 48, low: 1), false),
      (IPAddress(high: 0, low: 0), 0, v4(1), false), (IPAddress(high: 0, low: 0), 0, IPAddress(high: 1, low: 1), true),
      (v4(0xc0a8_0105), 32, v4(0xc0a8_0105), true), (v4(0xc0a8_0105), 32, v4(0xc0a8_0104), false),
      (IPAddress(high: 0xfd00 << 48, low: 0), 8, IPAddress(high: 0xfdff << 48, low: 9), true),
      (IPAddress(high: 0xfd00 << 48, low: 0), 8, IPAddress(high: 0xfe00 << 48, low: 9), false),
      (IPAddress(high: 1, low: 0x8000 << 48), 65, IPAddress(high: 1, low: .max), true),
      (IPAddress(high: 1, low: 0x8000 << 48), 65, IPAddress(high: 1, low: 0x7fff << 48), false),
      (IPAddress(high: 0, low: 1), 128, IPAddress(high: 0, low: 1), true),
    ] as [(IPAddress, Int, IPAddress, Bool)])
  func containsWhatSharesItsBits(address: IPAddress, length: Int, other: IPAddress, isInside: Bool) throws {
    let network = try network(address, length)
    #expect(network.contains(other) == isInside)
    #expect(IPNetworkSet([network]).contains(other) == isInside)
  }

  @Test func hasNoMoreBitsThanItsAddress() {
    #expect(IPNetwork(Self.v4(1), prefixLength: 33) == nil)
    #expect(IPNetwork(Self.v4(1), prefixLength: -1) == nil)
    #expect(IPNetwork(IPAddress(high: 0, low: 1), prefixLength: 129) == nil)
  }

  @Test func writesItsText() throws {
    #expect(try network(Self.v4(0x0a01_0203), 8).description == "10.0.0.0/8")
    #expect(IPNetwork(Self.v4(0x7f00_0001)).description == "127.0.0.1")
    #expect(IPNetwork(IPAddress(high: 0, low: 1)).description == "::1")
    #expect(try network(IPAddress(high: 0xfd12 << 48, low: 5), 8).description == "fd00::/8")
    #expect(try network(Self.mapped(0x0a00_0000), 104).description == "10.0.0.0/8")
  }

  /// The set says of every address what its blocks say one by one.
  @Test func agreesWithItsBlocks() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<50 {
      let networks = try (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        Bool.random(using: &generator)
          ? try network(
            Self.v4(UInt32.random(in: 0...0xff, using: &generator) << 24), Int.random(in: 4...12, using: &generator))
          : try network(
            IPAddress(high: UInt64.random(in: 0...0xff, using: &generator) << 56, low: 0),
            Int.random(in: 4...70, using: &generator))
      }
      let set = IPNetworkSet(networks)
      #expect(set.isEmpty == networks.isEmpty)
      for _ in 0..<200 {
        let address =
          Bool.random(using: &generator)
          ? Self.v4(UInt32.random(in: 0...(.max), using: &generator))
          : IPAddress(high: UInt64.random(in: 0...(.max), using: &generator), low: 3)
        #expect(set.contains(address) == networks.contains { $0.contains(address) }, "\(address) in \(networks)")
      }
    }
  }
}
