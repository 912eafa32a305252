import Effects
import ProxyCore
import Testing

@Suite struct RouteTests {
  private func settings(_ profile: DestinationPolicy.Profile = .desktop, hasParent: Bool = true) -> ProxySettings {
    var settings = ProxySettings()
    settings.destinations.profile = profile
    settings.destinations.ownEndpoints = [Endpoint(IPAddress(v4: 0x7f00_0001), port: 8080)]
    if hasParent {
      settings.parent = ParentProxy(host: "parent", port: 3128, bypass: ParentBypass([.name("near.test")]))
    }
    return settings
  }

  private static let loopback = IPAddress(v4: 0x7f00_0001)

  @Test func isDirectWithoutAParentAndForWhatIsBypassed() {
    #expect(Route(to: "far.test", literal: nil, port: 80, settings(hasParent: false)) == .direct)
    // Where it leads is asked when its address is dialled.
    #expect(Route(to: "127.0.0.1", literal: Self.loopback, port: 8080, settings(hasParent: false)) == .direct)
    #expect(Route(to: "near.test", literal: nil, port: 80, settings()) == .direct)
    #expect(Route(to: "far.test", literal: nil, port: 80, settings()) == .parent)
  }

  @Test func passesOnNoAddressThatItWouldNotDial() {
    #expect(Route(to: "127.0.0.1", literal: Self.loopback, port: 81, settings()) == .parent)
    #expect(Route(to: "127.0.0.1", literal: Self.loopback, port: 8080, settings()) == .refused(.destinationIsProxy))
    #expect(
      Route(to: "127.0.0.1", literal: Self.loopback, port: 81, settings(.server)) == .refused(.destinationProhibited))
    let global = IPAddress(v4: 0x0808_0808)
    #expect(Route(to: "8.8.8.8", literal: global, port: 81, settings(.server)) == .parent)
  }

  @Test(arguments: [
    ("2130706433", true), ("0x7f.1", true), ("0x7f000001", true), ("127.1", true), ("127.0.0.1.", true), ("0x", true),
    ("a.1", true), ("1.a", false), ("0xg", false), ("a.0x1f", true), ("1a", false), ("a1", false),
  ])
  func takesNoNameThatIsAnAddressInDisguise(host: String, isRefused: Bool) {
    let route = Route(to: host, literal: nil, port: 80, settings())
    #expect(route == (isRefused ? .refused(.destinationProhibited) : .parent))
  }
}
