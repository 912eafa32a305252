import Effects
import ProxyCore
import ProxyServer
import TestKit
import Testing

/// Who may use the proxy, for what.
@Suite struct AdmissionTests {
  private static func network(_ bits: UInt32, _ length: Int) throws -> IPNetwork {
    try #require(IPNetwork(IPAddress(v4: bits), prefixLength: length))
  }

  @Test func letsInOnlyTheClientsOfItsNetworks() throws {
    let networks = [try Self.network(0x7f00_0200, 24), IPNetwork(IPAddress(v4: 0x7f00_0001))]
    let proxy = try ProxyFixture { $0.clients = IPNetworkSet(networks) }
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    for (source, status) in [("127.0.2.9", 200), ("127.0.0.1", 200), ("127.0.3.1", 403), ("127.0.0.2", 403)] {
      let client = try RawConnection(port: proxy.port, from: source)
      if status == 200 { try client.send(message("GET \(origin.url)/ HTTP/1.1")) }
      let response = try client.readResponse()
      #expect(response.status == status, "\(source)")
      if status == 403 {
        #expect(response["Proxy-Status"]?.contains("client_prohibited") == true)
        #expect(response["Connection"] == "close")
        #expect(try client.readToEnd() == [])
      }
    }
    #expect(origin.requests.count == 2)
    #expect(proxy.counters.errors[Int(ProxyError.clientProhibited.rawValue)] == 2)
  }

  @Test func refusesTheNextRequestOfAClientThatAReloadHasLeftOut() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(try client.readResponse().status == 200)
    var settings = ProxySettings()
    settings.clients = IPNetworkSet([try Self.network(0x0a00_0000, 8)])
    proxy.snapshots.publish(try ProxyFixture.snapshot(settings: settings, generation: 2))
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(try client.readResponse().status == 403)
    #expect(try client.readToEnd() == [])
    #expect(origin.requests.count == 1)
  }

  @Test(arguments: ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
  func judgesDestinationsByTheAddressThatIsDialled(host: String) throws {
    let denied = [try Self.network(0x7f00_0000, 8), IPNetwork(IPAddress(high: 0, low: 1))]
    let proxy = try ProxyFixture { $0.destinations.denied = IPNetworkSet(denied) }
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let target = "\(host):\(origin.port)"
    let plain = try proxy.response(to: message("GET http://\(target)/ HTTP/1.1"))
    #expect(plain.status == 403)
    #expect(plain["Proxy-Status"]?.contains("destination_prohibited") == true)
    #expect(try proxy.response(to: message("CONNECT \(target) HTTP/1.1")).status == 403)
    #expect(proxy.counters.dials == 0)

    var settings = ProxySettings()
    settings.destinations.profile = .server
    settings.destinations.denied = IPNetworkSet(denied)
    settings.destinations.allowed = IPNetworkSet(denied)
    proxy.snapshots.publish(try ProxyFixture.snapshot(settings: settings, generation: 2))
    #expect(try proxy.response(to: message("GET http://\(target)/ HTTP/1.1")).status == 200)
  }

  @Test func tunnelsToTheListedPortsOnly() throws {
    let origin = try ScriptedOrigin { turn in _ = try turn.connection.readToEnd() }
    let proxy = try ProxyFixture { $0.tunnelPorts = .only([443...443, origin.port...origin.port]) }
    let tunnel = try proxy.client()
    try tunnel.send(message("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1"))
    #expect(try tunnel.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    let refused = try proxy.response(to: message("CONNECT 127.0.0.1:80 HTTP/1.1"))
    #expect(refused.status == 403)
    #expect(refused["Proxy-Status"]?.contains("port_prohibited") == true)
  }
}
