import Effects
import ProxyCore
import Testing

@Suite struct ProxySettingsTests {
  @Test(
    arguments: [
      (0, false), (1, false), (22, false), (25, false), (79, false), (80, true), (81, false), (442, false),
      (443, true), (444, false), (587, false), (1023, false), (1024, true), (8443, true), (65_535, true),
    ] as [(UInt16, Bool)])
  func tunnelsUsuallyReachWebAndUnprivilegedPorts(_ port: UInt16, _ isAllowed: Bool) {
    #expect(TunnelPorts.usual.allow(port) == isAllowed)
    #expect(ProxySettings().tunnelPorts.allow(port) == isAllowed, "that is the default")
  }

  @Test(arguments: [22, 25, 80, 443, 65_535] as [UInt16])
  func tunnelsReachEveryPortWhenTheOperatorSaysSo(_ port: UInt16) {
    #expect(TunnelPorts.any.allow(port))
  }

  @Test func waitsForNoPeerForever() {
    let timeouts = ProxyTimeouts()
    for nanoseconds in [timeouts.head, timeouts.idle, timeouts.connect, timeouts.read, timeouts.tunnel] {
      #expect((1_000_000_000...3_600_000_000_000).contains(nanoseconds), "from a second to an hour")
    }
  }

  @Test(arguments: [(256, 2, [128, 128]), (3, 2, [2, 1]), (1, 4, [1, 1, 1, 1]), (7, 3, [3, 2, 2]), (5, 1, [5])])
  func dividesANumberAmongTheWorkers(total: Int, workers: Int, shares: [Int]) {
    #expect((0..<workers).map { ProxyLimits.share(of: total, worker: $0, of: workers) } == shares)
  }

  @Test(arguments: [(22, false), (443, true), (444, false), (7999, false), (8000, true), (8999, true), (9000, false)])
  func tunnelsReachListedPorts(_ port: UInt16, _ isAllowed: Bool) {
    #expect(TunnelPorts.only([443...443, 8000...8999]).allow(port) == isAllowed)
  }

  @Test func admitsEveryoneUnlessNetworksAreNamed() throws {
    var settings = ProxySettings()
    let inside = IPAddress(v4: 0x0a01_0203)
    #expect(!settings.checksRequests)
    #expect(settings.admits(inside) && settings.admits(nil))
    settings.clients = IPNetworkSet([try #require(IPNetwork(inside, prefixLength: 8))])
    #expect(settings.checksRequests)
    #expect(settings.admits(inside))
    #expect(!settings.admits(IPAddress(v4: 0x0b00_0000)))
    #expect(!settings.admits(nil), "an address that is not known is not on the list")
  }
}
