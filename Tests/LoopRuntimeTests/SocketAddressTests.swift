import Effects
import LoopRuntime
import Testing

@Suite struct SocketAddressTests {
  @Test func readsAndWritesAddressesAlike() throws {
    for text in ["127.0.0.1", "255.1.2.3", "::1", "2001:db8::5", "fe80::1:2:3:4", "::ffff:1.2.3.4"] {
      let address = try #require(SocketAddress.parse(text))
      #expect(address.isIPv6 == text.contains(":"))
      #expect(SocketAddress.parse(address.description) == address)
    }
    for text in ["", "127.1", "0x7f000001", "2130706433", "1.2.3.4.5", "[::1]", "fe80::1%lo", "localhost", " 1.2.3.4"] {
      #expect(SocketAddress.parse(text) == nil, "\(text)")
    }
  }

  @Test func knowsTheAddressesOfThisHost() {
    #expect(SocketAddress.localAddresses().contains(IPAddress(v4: 0x7f00_0001)))
  }
}
