import Effects
import Glibc
import LoopRuntime
import TestKit
import Testing

@Suite struct DialerTests {
  private func outcome(_ endpoint: Endpoint) throws -> SystemError? {
    let descriptor = try Dialer.start(endpoint)
    defer { close(descriptor) }
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    try #require(poll(&entry, 1, 10_000) == 1)
    return Dialer.outcome(descriptor)
  }

  @Test(arguments: [false, true])
  func connects(ipv6: Bool) throws {
    let origin = try ScriptedOrigin(ipv6: ipv6) { _ in }
    let address = ipv6 ? IPAddress(high: 0, low: 1) : IPAddress(v4: 0x7f00_0001)
    #expect(try outcome(Endpoint(address, port: origin.port)) == nil)
  }

  @Test func reachesIPv4ByItsMappedAddress() throws {
    let origin = try ScriptedOrigin { _ in }
    #expect(try outcome(Endpoint(IPAddress(high: 0, low: 0xffff_7f00_0001), port: origin.port)) == nil)
  }

  @Test func tellsWhyNot() throws {
    let failure = try outcome(Endpoint(IPAddress(v4: 0x7f00_0001), port: 1))
    #expect(failure?.code == ECONNREFUSED)
    #expect(failure?.description == "connect: Connection refused")
  }
}
