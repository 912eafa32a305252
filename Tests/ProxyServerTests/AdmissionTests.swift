import Effects
import Foundation
import LoopRuntime
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

  @Test func letsInWhomAReloadHasAddedAlthoughNobodyElseSendsAnything() throws {
    let others = try Self.network(0x0a00_0000, 8)
    let proxy = try ProxyFixture { $0.clients = IPNetworkSet([others]) }
    #expect(try proxy.client().readResponse().status == 403)
    proxy.snapshots.publish(try ProxyFixture.snapshot(generation: 2))
    let client = try proxy.client()
    try client.send(message("GET http://127.0.0.1:1/ HTTP/1.1"))
    #expect(try client.readResponse().status == 502)
  }

  @Test func usesNoConnectionToWhereAReloadLetsNobodyGo() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let client = try proxy.client()
    let request = message("GET \(origin.url)/ HTTP/1.1")
    try client.send(request)
    #expect(try client.readResponse().status == 200)
    #expect(proxy.waits { $0.upstreamsIdle == 1 })
    // A reload that changes nothing about the origin costs no connection.
    proxy.snapshots.publish(try ProxyFixture.snapshot(generation: 2))
    try client.send(request)
    #expect(try client.readResponse().status == 200)
    #expect(origin.connections == 1)
    var settings = ProxySettings()
    settings.destinations.denied = IPNetworkSet([try Self.network(0x7f00_0000, 8)])
    proxy.snapshots.publish(try ProxyFixture.snapshot(settings: settings, generation: 3))
    try client.send(request)
    #expect(try client.readResponse().status == 403)
    #expect(origin.requests.count == 2)
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
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

/// Names and passwords.
@Suite struct AuthenticationTests {
  private static func users() throws -> UserTable {
    let hashes = try ["ada": "sesame", "b\u{f6}b": "p:q"].map { name, password in
      (name: name, hash: try #require(PasswordHash.make(Array(password.utf8), cost: 4)))
    }
    return UserTable(realm: "here", users: hashes)
  }

  private static func field(_ text: String, scheme: String = "Basic") -> String {
    "Proxy-Authorization: \(scheme) \(Data(text.utf8).base64EncodedString())"
  }

  @Test(arguments: ["GET", "POST", "HEAD"])
  func asksForAPasswordAndGoesOnWithTheSameConnection(method: String) throws {
    let users = try Self.users()
    let proxy = try ProxyFixture { $0.users = users }
    let origin = try ScriptedOrigin.answering { $0.hasPrefix("HEAD") ? "HTTP/1.1 204 No Content\r\n\r\n" : ok("x") }
    let client = try proxy.client()
    let start = "\(method) \(origin.url)/ HTTP/1.1"
    let body = method == "POST" ? "hello" : ""
    let length = "Content-Length: \(body.utf8.count)"
    for wrong in [
      "A: b", Self.field("ada:wrong"), Self.field("eve:sesame"), Self.field("ada:sesame", scheme: "Bearer"),
    ] {
      try client.send(message(start, length, wrong, body: body))
      let refused = try client.readResponse(toHEAD: method == "HEAD")
      #expect(refused.status == 407)
      #expect(refused["Proxy-Authenticate"] == "Basic realm=\"here\", charset=\"UTF-8\"")
      #expect(refused["Connection"] == nil)
      #expect(refused["Proxy-Status"]?.contains("authentication_required") == true)
    }
    for right in [Self.field("ada:sesame"), Self.field("b\u{f6}b:p:q"), Self.field("ada:sesame", scheme: "bAsIc")] {
      try client.send(message(start, length, right, body: body))
      let response = try client.readResponse(toHEAD: method == "HEAD")
      #expect([200, 204].contains(response.status))
    }
    #expect(origin.requests.count == 3)
    #expect(
      origin.requests.allSatisfy { !$0.lowercased().contains("authorization") && $0.hasSuffix("\r\n\r\n\(body)") })
    #expect(proxy.counters.clientsAccepted == 1)
    let records = try proxy.records(7)
    #expect(records.compactMap(\.user) == ["ada", "b\u{f6}b", "ada"])
    #expect(records.filter { $0.status == 407 }.allSatisfy { $0.errorCode == "authentication_required" })
  }

  @Test func opensATunnelAfterTheQuestion() throws {
    let users = try Self.users()
    let proxy = try ProxyFixture { $0.users = users }
    let origin = try ScriptedOrigin { turn in
      try turn.connection.send(try turn.connection.read(until: "!") + "?")
    }
    let client = try proxy.client()
    try client.send(message("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1"))
    #expect(try client.readResponse().status == 407)
    // What was sent early waits with the request while the password is looked at.
    try client.send(message("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1", Self.field("ada:sesame")) + "hi!")
    #expect(try client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    #expect(try client.read(count: 4) == Array("hi!?".utf8))
  }

  @Test func endsAConnectionWhoseNextBytesItCannotTell() throws {
    let users = try Self.users()
    let proxy = try ProxyFixture { $0.users = users }
    for request in [
      message("POST http://h/ HTTP/1.1", "Content-Length: 10", body: "short"),
      message("POST http://h/ HTTP/1.1", "Transfer-Encoding: chunked", body: "5\r\nhello\r\n0\r\n\r\n"),
      message("CONNECT h:443 HTTP/1.1") + "early", message("GET http://h/ HTTP/1.0"),
      message("GET http://h/ HTTP/1.1", "Connection: close"),
    ] {
      let client = try proxy.client()
      try client.send(request)
      let response = try client.readResponse()
      #expect(response.status == 407)
      #expect(response["Connection"] == "close")
      #expect(try client.readToEnd() == [])
    }
  }

  @Test func writesNoUserDownForARequestThatDidNotProveOne() throws {
    let users = try Self.users()
    let proxy = try ProxyFixture { $0.users = users }
    let client = try proxy.client()
    for field in [Self.field("ada:sesame"), Self.field("eve:sesame"), "A: b"] {
      try client.send(message("GET http://127.0.0.1:1/ HTTP/1.1", field))
      _ = try client.readResponse()
    }
    try client.send("nonsense\r\n\r\n")
    #expect(try client.readResponse().status == 400)
    #expect(try proxy.records(4).map(\.user) == ["ada", nil, nil, nil])
  }

  @Test func takesNoTwoFieldsWithCredentials() throws {
    let users = try Self.users()
    let proxy = try ProxyFixture { $0.users = users }
    let request = message("GET http://127.0.0.1:1/ HTTP/1.1", Self.field("ada:sesame"), Self.field("ada:wrong"))
    #expect(try proxy.response(to: request).status == 407)
  }

  @Test func aReloadChangesPasswords() throws {
    let first = try Self.users()
    let proxy = try ProxyFixture { $0.users = first }
    let request = message("GET http://127.0.0.1:1/ HTTP/1.1", Self.field("ada:sesame"))
    let client = try proxy.client()
    for _ in 0..<3 {
      try client.send(request)
      #expect(try client.readResponse().status == 502)
    }
    var settings = ProxySettings()
    settings.users = UserTable(
      realm: "here", users: [("ada", try #require(PasswordHash.make(Array("other".utf8), cost: 4)))])
    proxy.snapshots.publish(try ProxyFixture.snapshot(settings: settings, generation: 2))
    try client.send(request)
    #expect(try client.readResponse().status == 407)
    try client.send(message("GET http://127.0.0.1:1/ HTTP/1.1", Self.field("ada:other")))
    #expect(try client.readResponse().status == 502)
  }

  @Test func servesManyClientsOfOneUserAtOnce() throws {
    let users = try Self.users()
    let proxy = try ProxyFixture(workers: 2) { $0.users = users }
    let clients = try (0..<50).map { _ in try proxy.client() }
    for client in clients {
      try client.send(message("GET http://127.0.0.1:1/ HTTP/1.1", Self.field("ada:sesame")))
    }
    for client in clients { #expect(try client.readResponse().status == 502) }
  }
}
