import Foundation
import LoopRuntime
import ProxyCore
import ProxyServer
import Synchronization
import TestKit
import Testing

/// More requests for an origin than it may have connections.
@Suite struct OriginLimitTests {
  /// An origin that answers a request when it is told to, with the request's path.
  private final class HeldOrigin: Sendable {
    let gate: Gate
    let origin: ScriptedOrigin

    init(closes: Bool = false) throws {
      let gate = Gate()
      self.gate = gate
      origin = try ScriptedOrigin { turn in
        while true {
          let path = try turn.readRequest().split(separator: " ")[1]
          gate.wait()
          try turn.connection.send(closes ? ok(String(path), "Connection: close") : ok(String(path)))
          if closes { return }
        }
      }
    }

    func request(_ number: Int) -> String { message("GET \(origin.url)/\(number) HTTP/1.1") }
  }

  private func proxy(
    limit: Int, settings change: (inout ProxySettings) -> Void = { _ in }
  ) throws -> ProxyFixture {
    try ProxyFixture { settings in
      settings.limits.connectionsPerOrigin = limit
      change(&settings)
    }
  }

  @Test(arguments: [false, true])
  func servesThoseWhoWaitInTheirOrder(closes: Bool) throws {
    let held = try HeldOrigin(closes: closes)
    let proxy = try proxy(limit: 1)
    let clients = try (0..<6).map { _ in try proxy.client() }
    for (number, client) in clients.enumerated() {
      try client.send(held.request(number))
      #expect(proxy.waits { $0.requests == number + 1 })
    }
    #expect(eventually { held.origin.requests.count == 1 })
    for _ in clients { held.gate.signal() }
    for (number, client) in clients.enumerated() { #expect(try client.readResponse().body == "/\(number)") }
    #expect(held.origin.connections == (closes ? 6 : 1))
    #expect(held.origin.requests.map { $0.split(separator: " ")[1] } == ["/0", "/1", "/2", "/3", "/4", "/5"])
    #expect(proxy.waits { $0.upstreamsOpen == (closes ? 0 : 1) })
  }

  @Test func usesAsManyConnectionsAsItMay() throws {
    let held = try HeldOrigin()
    let proxy = try proxy(limit: 3)
    let clients = try (0..<8).map { _ in try proxy.client() }
    for (number, client) in clients.enumerated() { try client.send(held.request(number)) }
    #expect(proxy.waits { $0.requests == 8 })
    #expect(eventually { held.origin.requests.count == 3 })
    #expect(proxy.counters.upstreamsOpen == 3)
    for _ in clients { held.gate.signal() }
    for (number, client) in clients.enumerated() { #expect(try client.readResponse().body == "/\(number)") }
    #expect(held.origin.connections == 3)
  }

  @Test func answers503ToWhoWaitsTooLong() throws {
    let held = try HeldOrigin()
    let proxy = try proxy(limit: 1) { $0.timeouts.connect = 300_000_000 }
    let first = try proxy.client()
    try first.send(held.request(0))
    #expect(eventually { held.origin.requests.count == 1 })
    let second = try proxy.client()
    try second.send(held.request(1))
    let response = try second.readResponse()
    #expect(response.status == 503)
    #expect(response["Retry-After"] == "1")
    #expect(response.body.contains("origin_busy"))
    #expect(response["Proxy-Status"]?.contains("connection_limit_reached") ?? false)
    // Neither connection suffers.
    held.gate.signal()
    #expect(try first.readResponse().body == "/0")
    try second.send(held.request(2))
    held.gate.signal()
    #expect(try second.readResponse().body == "/2")
    #expect(held.origin.connections == 1)
  }

  @Test func letsOnlySoManyWait() throws {
    let held = try HeldOrigin()
    let proxy = try proxy(limit: 1) { $0.limits.waitingPerOrigin = 1 }
    let clients = try (0..<3).map { _ in try proxy.client() }
    for number in 0..<3 {
      try clients[number].send(held.request(number))
      #expect(proxy.waits { $0.requests == number + 1 })
    }
    #expect(try clients[2].readResponse().status == 503)
    for _ in 0..<2 { held.gate.signal() }
    #expect(try clients[0].readResponse().body == "/0")
    #expect(try clients[1].readResponse().body == "/1")
  }

  @Test func servesTheNextWhenOneHasLeft() throws {
    let held = try HeldOrigin()
    let proxy = try proxy(limit: 1)
    let clients = try (0..<4).map { _ in try proxy.client() }
    for number in 0..<4 {
      try clients[number].send(held.request(number))
      #expect(proxy.waits { $0.requests == number + 1 })
    }
    clients[1].close(reset: true)
    // The one that is being served takes its connection along.
    clients[0].close(reset: true)
    #expect(proxy.waits { $0.clientsOpen == 2 })
    for _ in 0..<3 { held.gate.signal() }
    #expect(try clients[2].readResponse().body == "/2")
    #expect(try clients[3].readResponse().body == "/3")
  }

  @Test func failsWithoutLosingRoom() throws {
    let refusing = try ScriptedOrigin { _ in }.port
    let proxy = try proxy(limit: 1)
    let clients = try (0..<10).map { _ in try proxy.client() }
    for client in clients { try client.send(message("GET http://127.0.0.1:\(refusing)/ HTTP/1.1")) }
    for client in clients { #expect(try client.readResponse().status == 502) }
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
  }

  @Test func countsNoTunnels() throws {
    let origin = try ScriptedOrigin { turn in _ = try turn.connection.readToEnd() }
    let proxy = try proxy(limit: 1)
    let clients = try (0..<5).map { _ in try proxy.client() }
    for client in clients {
      try client.send(message("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1"))
      #expect(try client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    }
    #expect(proxy.counters.tunnelsOpen == 5)
  }

  @Test func countsNoConnectionThatHasSwitchedProtocols() throws {
    let origin = try ScriptedOrigin { turn in
      let isUpgrade = try turn.readRequest().contains("Upgrade: websocket")
      guard isUpgrade else { return try turn.connection.send(ok("x", "Connection: close")) }
      try turn.connection.send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
      _ = try turn.connection.readToEnd()
    }
    let proxy = try proxy(limit: 1)
    let clients = try (0..<3).map { _ in try proxy.client() }
    for client in clients {
      try client.send(message("GET \(origin.url)/ HTTP/1.1", "Connection: upgrade", "Upgrade: websocket"))
      #expect(try client.readResponse().status == 101)
    }
    #expect(try proxy.response(to: message("GET \(origin.url)/ HTTP/1.1")).body == "x")
    #expect(proxy.counters.tunnelsOpen == 3)
  }

  @Test func endsThoseWhoWaitWhenTheProxyStops() throws {
    let held = try HeldOrigin()
    let proxy = try proxy(limit: 1)
    let clients = try (0..<3).map { _ in try proxy.client() }
    for number in 0..<3 {
      try clients[number].send(held.request(number))
      #expect(proxy.waits { $0.requests == number + 1 })
    }
    proxy.service.stop()
    for client in clients { #expect((try? client.readToEnd()) ?? [] == []) }
    held.gate.signal()
  }
}
