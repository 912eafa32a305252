import Foundation
import LoopRuntime
import ProxyCore
import ProxyServer
import Synchronization
import TestKit
import Testing

/// Connections on which an origin remembers who has authenticated (NTLM).
@Suite struct PersonalConnectionTests {
  /// An origin that greets everything on a connection by the name that came on it first.
  private static func origin() throws -> ScriptedOrigin {
    try ScriptedOrigin { turn in
      var name: String?
      while true {
        let fields = try turn.readRequest().components(separatedBy: "\r\n")
        if let field = fields.first(where: { $0.hasPrefix("Authorization: NTLM ") }) {
          name = String(field.dropFirst(20))
        }
        try turn.connection.send(
          name.map { ok($0) } ?? "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n")
      }
    }
  }

  private static func request(_ origin: ScriptedOrigin, _ fields: String...) -> String {
    (["GET \(origin.url)/ HTTP/1.1", "Host: h"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
  }

  @Test func serveOnlyTheClientThatAuthenticated() throws {
    let origin = try Self.origin()
    let proxy = try ProxyFixture()
    let ada = try proxy.client()
    // The handshake may begin on a connection of the pool.
    try ada.send(Self.request(origin))
    #expect(try ada.readResponse().status == 401)
    try ada.send(Self.request(origin, "Authorization: NTLM ada"))
    #expect(try ada.readResponse().body == "ada")
    let others = try (0..<3).map { _ in try proxy.client() }
    for other in others {
      try other.send(Self.request(origin))
      #expect(try other.readResponse().status == 401)
    }
    // Also in a pipeline, and without credentials of its own.
    try ada.send(Self.request(origin) + Self.request(origin))
    #expect(try ada.readResponse().body == "ada")
    #expect(try ada.readResponse().body == "ada")
    try others[0].send(Self.request(origin, "Authorization: NTLM bob"))
    #expect(try others[0].readResponse().body == "bob")
    #expect(origin.connections == 2)
    ada.close()
    others[0].close()
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
    try others[1].send(Self.request(origin))
    #expect(try others[1].readResponse().status == 401)
  }

  @Test func endWhenTheClientTurnsToAnotherOrigin() throws {
    let origin = try Self.origin()
    let elsewhere = try ScriptedOrigin.answering { _ in ok("elsewhere") }
    let proxy = try ProxyFixture()
    let ada = try proxy.client()
    try ada.send(Self.request(origin, "Authorization: NTLM ada"))
    #expect(try ada.readResponse().body == "ada")
    try ada.send(Self.request(elsewhere))
    #expect(try ada.readResponse().body == "elsewhere")
    #expect(proxy.waits { $0.upstreamsOpen == 1 })
    try ada.send(Self.request(origin))
    #expect(try ada.readResponse().status == 401)
  }

  @Test func endWithTheOriginsEndAndWithTheIdleTime() throws {
    for closes in [true, false] {
      let origin = try ScriptedOrigin { turn in
        _ = try turn.readRequest()
        try turn.connection.send(ok("once"))
        if !closes { _ = try turn.connection.readToEnd() }
      }
      let proxy = try ProxyFixture { if !closes { $0.timeouts.idle = 200_000_000 } }
      let client = try proxy.client()
      try client.send(Self.request(origin, "Authorization: Negotiate x"))
      #expect(try client.readResponse().body == "once")
      #expect(proxy.waits { $0.upstreamsOpen == 0 })
      if closes {
        try client.send(Self.request(origin))
        #expect(try client.readResponse().body == "once")
      }
    }
  }
}
