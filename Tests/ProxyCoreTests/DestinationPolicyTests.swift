import Effects
import ProxyCore
import Testing

@Suite struct DestinationPolicyTests {
  private static let loopback = IPAddress(v4: 0x7f00_0001)
  private static let mapped = IPAddress(high: 0, low: 0xffff_7f00_0001)
  private static let any = IPAddress(v4: 0)
  private static let anyV6 = IPAddress(high: 0, low: 0)
  private static let mappedAny = IPAddress(high: 0, low: 0xffff_0000_0000)
  private static let loopbackV6 = IPAddress(high: 0, low: 1)
  private static let lan = IPAddress(v4: 0xc0a8_0105)
  private static let elsewhere = IPAddress(v4: 0x5db8_d822)

  private func policy(_ own: [Endpoint], _ profile: DestinationPolicy.Profile = .desktop) -> DestinationPolicy {
    var policy = DestinationPolicy()
    policy.profile = profile
    policy.ownEndpoints = own
    policy.localAddresses = [Self.loopback, Self.loopbackV6, Self.lan]
    return policy
  }

  @Test(arguments: [
    (loopback, loopback, true), (loopback, mapped, true), (loopback, any, true), (loopback, anyV6, true),
    (loopback, mappedAny, true), (loopback, lan, false), (loopback, elsewhere, false),
    (loopbackV6, loopbackV6, true), (loopbackV6, anyV6, true),
    (any, loopback, true), (any, IPAddress(v4: 0x7f12_3456), true), (any, lan, true), (any, mapped, true),
    (any, any, true), (any, elsewhere, false), (anyV6, loopbackV6, true), (anyV6, lan, true),
    (lan, lan, true), (lan, any, true), (lan, loopback, false),
  ])
  func refusesItselfInEverySpelling(listener: IPAddress, target: IPAddress, refused: Bool) {
    let policy = policy([Endpoint(Self.elsewhere, port: 1), Endpoint(listener, port: 8081)])
    #expect(policy.refusal(of: Endpoint(target, port: 8081)) == (refused ? .destinationIsProxy : nil))
    #expect(policy.refusal(of: Endpoint(target, port: 8082)) == nil)
  }

  @Test(
    arguments: [
      (0x7f00_0001, true), (0x0a00_0001, true), (0xa9fe_a9fe, true), (0xac10_0001, true), (0xac20_0001, false),
      (0xc0a8_0001, true), (0x6440_0001, true), (0x6480_0001, false), (0x0000_0000, true), (0xe000_0001, true),
      (0xffff_ffff, true), (0xc612_0001, true), (0xc614_0001, false), (0x0808_0808, false), (0xc000_0201, true),
      (0xc633_6401, true), (0xcb00_7101, true), (0xf000_0000, true),
    ] as [(UInt32, Bool)])
  func dialsOnlyPublicAddressesInTheServerProfile(bits: UInt32, refused: Bool) {
    let server = policy([], .server)
    let expected: ProxyError? = refused ? .destinationProhibited : nil
    #expect(server.refusal(of: Endpoint(IPAddress(v4: bits), port: 80)) == expected)
    #expect(
      server.refusal(of: Endpoint(IPAddress(high: 0, low: 0xffff_0000_0000 | UInt64(bits)), port: 80)) == expected)
    #expect(policy([]).refusal(of: Endpoint(IPAddress(v4: bits), port: 80)) == nil)
  }

  @Test(
    arguments: [
      (0xfd00_0000_0000_0000, 8, true), (0xfe80_0000_0000_0000, 1, true), (0, 1, true), (0, 0, true),
      (0x0064_ff9b_0000_0000, 0x7f00_0001, true), (0x2002_7f00_0001_0000, 0, true), (0x2001_0000_0000_0000, 1, true),
      (0x2001_0db8_0000_0000, 1, true), (0xff02_0000_0000_0000, 1, true), (0x2606_4700_4700_0000, 0x1111, false),
    ] as [(UInt64, UInt64, Bool)])
  func dialsOnlyPublicIPv6InTheServerProfile(high: UInt64, low: UInt64, refused: Bool) {
    let endpoint = Endpoint(IPAddress(high: high, low: low), port: 443)
    #expect(policy([], .server).refusal(of: endpoint) == (refused ? .destinationProhibited : nil))
  }

  private func network(_ bits: UInt32, _ length: Int) throws -> IPNetwork {
    try #require(IPNetwork(IPAddress(v4: bits), prefixLength: length))
  }

  @Test(
    arguments: [
      (IPAddress(v4: 0x0a01_0001), nil), (IPAddress(v4: 0x0a02_0001), .destinationProhibited),
      (IPAddress(high: 0, low: 0xffff_0a02_0001), .destinationProhibited),
      (IPAddress(high: 0, low: 0xffff_0a01_0001), nil),
      (IPAddress(high: 0x0064_ff9b_0000_0000, low: 0x0a02_0001), .destinationProhibited),
      (IPAddress(high: 0x2002_0a02_0001_0000, low: 1), .destinationProhibited), (elsewhere, nil),
    ] as [(IPAddress, ProxyError?)])
  func allowsAndDeniesWhatTheListsName(address: IPAddress, expected: ProxyError?) throws {
    var lists = policy([])
    lists.allowed = IPNetworkSet([try network(0x0a01_0000, 16)])
    lists.denied = IPNetworkSet([try network(0x0a00_0000, 8)])
    #expect(lists.refusal(of: Endpoint(address, port: 80)) == expected)
  }

  @Test func allowsAgainstTheProfileButNeverItself() throws {
    var server = policy([Endpoint(Self.lan, port: 8080)], .server)
    server.allowed = IPNetworkSet([try network(0xc0a8_0000, 16)])
    #expect(server.refusal(of: Endpoint(Self.lan, port: 80)) == nil)
    #expect(server.refusal(of: Endpoint(Self.lan, port: 8080)) == .destinationIsProxy)
    #expect(server.refusal(of: Endpoint(Self.loopback, port: 80)) == .destinationProhibited)
  }
}
