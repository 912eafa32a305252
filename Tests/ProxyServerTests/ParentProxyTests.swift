import Effects
import Foundation
import LoopRuntime
import ProxyCore
import ProxyServer
import TestKit
import Testing

/// A proxy behind another one, played by a script.
@Suite struct ParentProxyTests {
  /// A proxy that sends what no entry of the bypass names to a parent on that port.
  private func proxy(
    parent port: UInt16, host: String = "127.0.0.1", bypass: [ParentBypass.Entry] = [],
    credentials: String? = "me:secret",
    settings change: (inout ProxySettings) -> Void = { _ in }
  ) throws -> ProxyFixture {
    try ProxyFixture(
      settings: { settings in
        settings.parent = ParentProxy(
          host: host, port: port, credentials: credentials.flatMap { BasicCredentials(userAndPassword: $0.utf8) },
          bypass: ParentBypass(bypass))
        change(&settings)
      },
      names: { host in
        host == "bypassed.test" || host == "parent.test" ? .addresses([IPAddress(v4: 0x7f00_0001)]) : .notFound
      })
  }

  private static let authorization = "Proxy-Authorization: Basic bWU6c2VjcmV0"

  private func fields(_ request: String) -> [String] { request.components(separatedBy: "\r\n") }

  @Test(arguments: [
    "GET http://a.test/x?y=1 HTTP/1.1", "GET HTTP://A.Test:80/%7e HTTP/1.1", "GET http://a.test HTTP/1.1",
    "OPTIONS http://a.test HTTP/1.1", "GET http://[2001:db8::1]:8080/ HTTP/1.1",
  ])
  func sendsTheTargetAsItCame(startLine: String) throws {
    let parent = try ScriptedOrigin.answering { _ in ok("by way of the parent") }
    let proxy = try proxy(parent: parent.port)
    #expect(
      try proxy.response(to: message(startLine, "Proxy-Authorization: Basic dGhlaXJzOm93bg==")).body
        == "by way of the parent")
    let request = fields(try #require(parent.requests.first))
    #expect(request.first == startLine)
    #expect(request.filter { $0.hasPrefix("Proxy-Authorization") } == [Self.authorization])
    #expect(request.filter { $0.hasPrefix("Host:") }.count == 1)
    #expect(request.contains("Via: 1.1 footfall-test"))
    // The records look as without a parent.
    #expect(try proxy.records(1).first?.status == 200)
  }

  @Test func usesOneConnectionForManyOrigins() throws {
    let parent = try ScriptedOrigin.answering { request in ok(String(request.split(separator: " ")[1])) }
    let proxy = try proxy(parent: parent.port)
    let client = try proxy.client()
    for host in ["a", "b", "c"] {
      try client.send(message("GET http://\(host).test/ HTTP/1.1"))
      #expect(try client.readResponse().body == "http://\(host).test/")
    }
    #expect(parent.connections == 1)
    #expect(proxy.counters.reuses == 2)
  }

  @Test func keepsTheParentsConnectionsFromTheOriginOfTheSameAddress() throws {
    let both = try ScriptedOrigin.answering { request in ok(String(request.split(separator: " ")[1])) }
    let proxy = try proxy(parent: both.port, bypass: [.network(IPNetwork(IPAddress(v4: 0x7f00_0001)))])
    let client = try proxy.client()
    try client.send(message("GET http://a.test/ HTTP/1.1"))
    #expect(try client.readResponse().body == "http://a.test/")
    try client.send(message("GET \(both.url)/direct HTTP/1.1"))
    #expect(try client.readResponse().body == "/direct")
    #expect(both.connections == 2)
  }

  @Test(arguments: [
    (ParentBypass.Entry.name("bypassed.test"), "bypassed.test"), (.suffix(".test"), "bypassed.test"),
    (.network(IPNetwork(IPAddress(v4: 0x7f00_0001))), "127.0.0.1"), (.name("bypassed.test"), "BYPASSED.test."),
  ])
  func reachesWhatIsBypassedItself(entry: ParentBypass.Entry, host: String) throws {
    let parent = try ScriptedOrigin.answering { _ in ok("parent") }
    let origin = try ScriptedOrigin { turn in
      let request = try turn.readHead()
      try turn.connection.send(request.hasPrefix("GET /x HTTP/1.1\r\n") ? ok("direct") : ok("wrong"))
    }
    let proxy = try ProxyFixture(
      settings: { $0.parent = ParentProxy(host: "127.0.0.1", port: parent.port, bypass: ParentBypass([entry])) },
      names: { _ in .addresses([IPAddress(v4: 0x7f00_0001)]) })
    #expect(try proxy.response(to: message("GET http://\(host):\(origin.port)/x HTTP/1.1")).body == "direct")
    let client = try proxy.client()
    try client.send(message("CONNECT \(host):\(origin.port) HTTP/1.1") + "GET /x HTTP/1.1\r\n\r\n")
    #expect(try client.readTextToEnd().hasSuffix("direct"))
    #expect(parent.connections == 0)
    #expect(!origin.requests.joined().contains("Proxy-Authorization"))
  }

  @Test func hidesWhatTheParentAsksOfThisProxy() throws {
    let parent = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(
        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"inner\"\r\n"
          + "Content-Length: 6\r\n\r\nsecret")
    }
    let proxy = try proxy(parent: parent.port, credentials: nil)
    for startLine in ["GET http://a.test/ HTTP/1.1", "CONNECT a.test:443 HTTP/1.1"] {
      let response = try proxy.response(to: message(startLine))
      #expect(response.status == 502)
      #expect(response["Proxy-Authenticate"] == nil)
      #expect(response.body.contains("parent_authentication_failed"))
      #expect(!response.body.contains("secret") && !response.head.joined().contains("inner"))
    }
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
  }

  @Test func givesUpOnAParentThatAnswersForEver() throws {
    let parent = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      for _ in 0..<1000 { try turn.connection.send("HTTP/1.1 102 Processing\r\n\r\n") }
      _ = try turn.connection.readToEnd()
    }
    let proxy = try proxy(parent: parent.port)
    let response = try proxy.response(to: message("CONNECT a.test:443 HTTP/1.1"))
    #expect(response.status == 502)
    #expect(response.body.contains("too_many_interim_responses"))
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
  }

  @Test(arguments: ["a.test:443", "[2001:db8::1]:443", "A.Test:8443"])
  func asksForATunnelByNameAndHost(authority: String) throws {
    let parent = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      // What comes behind the head belongs to the tunnel, and framing fields mean nothing.
      try turn.connection.send(
        "HTTP/1.1 200 Fine\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\nbanner:")
      try turn.connection.send(try turn.connection.readToEnd())
    }
    let proxy = try proxy(parent: parent.port)
    let client = try proxy.client()
    try client.send(message("CONNECT \(authority) HTTP/1.1", "Via: 1.1 before", "X-Mine: z") + "early")
    #expect(try client.read(until: "banner:") == "HTTP/1.1 200 Connection Established\r\n\r\nbanner:")
    try client.send(" late")
    client.shutdownWriting()
    #expect(try client.readTextToEnd() == "early late")
    let lowercased = authority.lowercased()
    #expect(
      fields(try #require(parent.requests.first)) == [
        "CONNECT \(lowercased) HTTP/1.1", "Host: \(lowercased)", "Via: 1.1 before", Self.authorization,
        "Via: 1.1 footfall-test", "", "",
      ])
    let record = try #require(try proxy.records(1).first)
    #expect(record.url == lowercased && record.method == "CONNECT" && record.status == 200 && record.mode == .tunnel)
    #expect(proxy.waits { $0.upstreamsOpen == 0 && $0.tunnelsOpen == 0 })
  }

  @Test(arguments: [
    ("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "parent_refused", "answered 403"),
    ("HTTP/1.1 503 Busy\r\nContent-Length: 5\r\n\r\nwords", "parent_refused", "answered 503"),
    ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 302 Go\r\nLocation: http://x/\r\n\r\n", "parent_refused", "answered 302"),
    ("SSH-2.0-not-a-proxy\r\n\r\n", "malformed_response", "parent proxy"),
    ("", "connection_lost", "parent proxy"), ("HTTP/1.1 200", "connection_lost", "parent proxy"),
  ])
  func answers502WhenTheParentOpensNoTunnel(answer: String, code: String, detail: String) throws {
    let parent = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send(answer)
    }
    let proxy = try proxy(parent: parent.port)
    let client = try proxy.client()
    try client.send(message("CONNECT a.test:443 HTTP/1.1") + "early")
    let response = try client.readResponse()
    #expect(response.status == 502)
    #expect(response.body.contains(code) && response.body.contains(detail))
    #expect(response["Proxy-Status"]?.contains(code) ?? false)
    #expect(response["Location"] == nil)
    #expect(proxy.waits { $0.upstreamsOpen == 0 && $0.tunnelsOpen == 0 })
  }

  @Test func answers504ToAParentThatDoesNotAnswer() throws {
    let parent = try ScriptedOrigin { turn in _ = try turn.connection.readToEnd() }
    let proxy = try proxy(parent: parent.port) { $0.timeouts.read = 300_000_000 }
    let response = try proxy.response(to: message("CONNECT a.test:443 HTTP/1.1"))
    #expect(response.status == 504)
    #expect(response.body.contains("response_timeout"))
  }

  @Test func saysThatItIsTheParentThatIsDown() throws {
    let free = try ScriptedOrigin { _ in }.port
    let proxy = try proxy(parent: free)
    for startLine in ["GET http://a.test/ HTTP/1.1", "CONNECT a.test:443 HTTP/1.1"] {
      let response = try proxy.response(to: message(startLine))
      #expect(response.status == 502)
      #expect(response.body.contains("connection_refused"))
      #expect(response.body.contains("parent proxy 127.0.0.1 port \(free)"))
    }
  }

  @Test func looksTheParentsNameUp() throws {
    let parent = try ScriptedOrigin.answering { _ in ok("found") }
    let proxy = try proxy(parent: parent.port, host: "parent.test")
    #expect(try proxy.response(to: message("GET http://a.test/ HTTP/1.1")).body == "found")
    let lost = try self.proxy(parent: parent.port, host: "lost.test")
    let response = try lost.response(to: message("GET http://a.test/ HTTP/1.1"))
    #expect(response.status == 502)
    #expect(response.body.contains("name_not_found") && response.body.contains("parent proxy lost.test"))
  }

  @Test func reachesAParentWhoseAddressNoClientMayName() throws {
    let parent = try ScriptedOrigin.answering { _ in ok("parent") }
    let proxy = try proxy(parent: parent.port) { $0.destinations.profile = .server }
    #expect(try proxy.response(to: message("GET http://a.test/ HTTP/1.1")).body == "parent")
    for target in ["127.0.0.1", "[::1]", "10.0.0.1", "2130706433", "0x7f.1"] {
      for startLine in ["GET http://\(target):8080/ HTTP/1.1", "CONNECT \(target):8080 HTTP/1.1"] {
        let response = try proxy.response(to: message(startLine))
        #expect(response.status == 403, "\(startLine)")
        #expect(response.body.contains("destination_prohibited"))
      }
    }
    #expect(parent.requests.count == 1)
  }

  @Test func isNotItsOwnParent() throws {
    let own = Endpoint(IPAddress(v4: 0x7f00_0001), port: 8080)
    let proxy = try proxy(parent: 8080, host: "parent.test") { $0.destinations.ownEndpoints = [own] }
    for startLine in ["GET http://a.test/ HTTP/1.1", "CONNECT a.test:443 HTTP/1.1"] {
      let response = try proxy.response(to: message(startLine))
      #expect(response.status == 403)
      #expect(response.body.contains("destination_is_proxy"))
    }
    #expect(proxy.counters.dials == 0)
  }

  @Test func retriesOnceOnALostConnectionToTheParent() throws {
    let parent = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(ok("\(turn.number)"))
      if turn.number == 0 { return _ = try turn.readRequest() }
      while true {
        _ = try turn.readRequest()
        try turn.connection.send(ok("\(turn.number)"))
      }
    }
    let proxy = try proxy(parent: parent.port)
    let client = try proxy.client()
    for answer in ["0", "1"] {
      try client.send(message("GET http://a.test/ HTTP/1.1"))
      #expect(try client.readResponse().body == answer)
    }
    #expect(proxy.counters.retries == 1)
    #expect(parent.requests.last.map { $0.hasPrefix("GET http://a.test/ HTTP/1.1\r\n") } ?? false)
  }

  @Test func followsAReload() throws {
    let first = try ScriptedOrigin.answering { _ in ok("first") }
    let second = try ScriptedOrigin.answering { _ in ok("second") }
    let proxy = try proxy(parent: first.port)
    let client = try proxy.client()
    try client.send(message("GET http://a.test/ HTTP/1.1"))
    #expect(try client.readResponse().body == "first")
    var settings = ProxySettings()
    settings.parent = ParentProxy(host: "127.0.0.1", port: second.port)
    proxy.snapshots.publish(try ProxyFixture.snapshot(settings: settings, generation: 2))
    try client.send(message("GET http://a.test/ HTTP/1.1"))
    #expect(try client.readResponse().body == "second")
    #expect(!(second.requests.first?.contains("Proxy-Authorization") ?? true))
  }
}
