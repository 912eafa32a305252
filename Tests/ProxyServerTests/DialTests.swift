import Effects
import Foundation
import LoopRuntime
import ProxyCore
import ProxyServer
import Synchronization
import TestKit
import Testing

/// Names with several addresses, of which some work, some refuse, and some hang.
@Suite struct DialTests {
  private static let v4 = IPAddress(v4: 0x7f00_0001)
  private static let v6 = IPAddress(high: 0, low: 1)

  /// A proxy for which every name has these addresses.
  private func proxy(
    _ addresses: [IPAddress], settings: (inout ProxySettings) -> Void = { _ in }
  ) throws -> ProxyFixture {
    try ProxyFixture(settings: settings, names: { _ in .addresses(addresses) })
  }

  @Test(arguments: [[v6, v4], [v4, v6]], [false, true])
  func reachesAnOriginThatListensOnOneFamilyOnly(addresses: [IPAddress], ipv6: Bool) throws {
    let origin = try ScriptedOrigin.answering(ipv6: ipv6) { _ in ok("here") }
    let proxy = try proxy(addresses)
    let client = try proxy.client()
    for _ in 0..<2 {
      try client.send(message("GET http://two.test:\(origin.port)/ HTTP/1.1"))
      #expect(try client.readResponse().body == "here")
    }
    #expect(proxy.counters.dials == (addresses.first?.isIPv6 == ipv6 ? 1 : 2))
    #expect(origin.connections == 1)
    #expect(proxy.waits { $0.upstreamsOpen == 1 && $0.upstreamsIdle == 1 })
  }

  @Test func doesNotWaitForAnAddressThatHangs() throws {
    let hole = try FullListener()
    let origin = try ScriptedOrigin.answering(ipv6: true, port: hole.port) { _ in ok("other family") }
    let proxy = try proxy([Self.v4, Self.v6])
    let client = try proxy.client()
    try client.send(message("GET http://two.test:\(origin.port)/ HTTP/1.1"))
    #expect(try client.readResponse().body == "other family")
    #expect(proxy.counters.dials == 2)
    // The attempt that hangs is closed, and the connection that stands is kept.
    #expect(proxy.waits { $0.upstreamsOpen == 1 && $0.upstreamsIdle == 1 })
  }

  @Test func tunnelsByTheAddressThatAnswersFirst() throws {
    let hole = try FullListener(ipv6: true)
    let origin = try ScriptedOrigin(port: hole.port) { turn in
      try turn.connection.send(try turn.connection.readToEnd())
    }
    let proxy = try proxy([Self.v6, Self.v4])
    let client = try proxy.client()
    try client.send(message("CONNECT two.test:\(origin.port) HTTP/1.1") + "early")
    client.shutdownWriting()
    #expect(try client.readTextToEnd() == "HTTP/1.1 200 Connection Established\r\n\r\nearly")
    #expect(proxy.waits { $0.upstreamsOpen == 0 && $0.clientsOpen == 0 })
  }

  @Test func saysOfAllFailuresTheMostUseful() throws {
    let refusing = try ScriptedOrigin(ipv6: true) { _ in }.port
    let proxy = try proxy([Self.v4, Self.v6])
    let response = try proxy.response(to: message("GET http://two.test:\(refusing)/ HTTP/1.1"))
    #expect(response.status == 502)
    #expect(response.body.contains("connection_refused"))
    #expect(response.body.contains("two.test port \(refusing)"))
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
  }

  @Test func givesUpOnAllAddressesAfterTheConnectTime() throws {
    let hole = try FullListener()
    let proxy = try proxy([Self.v4, Self.v6]) { $0.timeouts.connect = 600_000_000 }
    let response = try proxy.response(to: message("GET http://two.test:\(hole.port)/ HTTP/1.1"))
    #expect(response.status == 504)
    #expect(response.body.contains("connection_timeout"))
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
  }

  @Test func passesOverAnAddressThatItMustNotDial() throws {
    let origin = try ScriptedOrigin.answering(ipv6: true) { _ in ok("allowed") }
    let own = Endpoint(Self.v4, port: origin.port)
    let proxy = try proxy([Self.v4, Self.v6]) { $0.destinations.ownEndpoints = [own] }
    let response = try proxy.response(to: message("GET http://two.test:\(origin.port)/ HTTP/1.1"))
    #expect(response.body == "allowed")
    #expect(proxy.counters.dials == 1)
  }

  @Test func refusesANameWhoseAddressesAreAllProhibited() throws {
    let origin = try ScriptedOrigin.answering { _ in ok("never") }
    let proxy = try proxy([Self.v4, Self.v6]) { $0.destinations.profile = .server }
    let response = try proxy.response(to: message("GET http://two.test:\(origin.port)/ HTTP/1.1"))
    #expect(response.status == 403)
    #expect(response.body.contains("destination_prohibited"))
    #expect(response.body.contains("127.0.0.1:\(origin.port)"))
    #expect(proxy.counters.dials == 0)
    #expect(origin.connections == 0)
  }

  @Test func triesTheOtherFamilyOfTenThousandAddresses() throws {
    let origin = try ScriptedOrigin.answering(ipv6: true) { _ in ok("found") }
    // Two are enough of 127.0.0.0/8: the same port is refused on each.
    let many = (0..<10_000).map { IPAddress(v4: 0x7f00_0001 + UInt32($0)) } + [Self.v6]
    let proxy = try proxy(many)
    let response = try proxy.response(to: message("GET http://many.test:\(origin.port)/ HTTP/1.1"))
    #expect(response.body == "found")
    #expect(proxy.counters.dials == 2)
  }

  @Test(arguments: [
    (Resolver.Answer.notFound, 502, "name_not_found"), (.addresses([]), 502, "name_not_found"),
    (.failed("try again"), 502, "name_lookup_failed"), (.exhausted("no descriptors"), 503, "out_of_descriptors"),
    (.crowded, 503, "overloaded"),
  ])
  func answersWhatTheResolverSays(answer: Resolver.Answer, status: Int, code: String) throws {
    let proxy = try ProxyFixture(names: { _ in answer })
    for startLine in ["GET http://none.test/ HTTP/1.1", "CONNECT none.test:443 HTTP/1.1"] {
      let response = try proxy.response(to: message(startLine))
      #expect(response.status == status)
      #expect(response.body.contains(code))
      #expect(response.body.contains("none.test"))
      #expect((response["Retry-After"] != nil) == (status == 503))
    }
    #expect(proxy.counters.dials == 0)
  }

  @Test func closesWhatIsIdleAndLooksAgainWithoutDescriptors() throws {
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let asked = Mutex(0)
    let proxy = try ProxyFixture(names: { host in
      guard host == "late.test" else { return .addresses([Self.v4]) }
      return asked.withLock { count in
        count += 1
        return count == 1 ? .exhausted("no descriptors") : .addresses([Self.v4])
      }
    })
    #expect(try proxy.response(to: message("GET http://one.test:\(origin.port)/ HTTP/1.1")).status == 200)
    #expect(proxy.waits { $0.upstreamsIdle == 1 })
    // On its own connection, because the one that was idle has gone.
    #expect(try proxy.response(to: message("GET http://late.test:\(origin.port)/ HTTP/1.1")).status == 200)
    #expect(proxy.waits { $0.upstreamsOpen == 1 && $0.dials == 2 })
    #expect(asked.withLock { $0 } == 2)
    #expect(origin.connections == 2)
  }

  @Test func looksANameUpOnceForAllWhoAskMeanwhile() throws {
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let gate = Gate()
    let asked = Mutex<[String]>([])
    let proxy = try ProxyFixture(names: { host in
      asked.withLock { $0.append(host) }
      gate.wait()
      return .addresses([Self.v4])
    })
    let clients = try (0..<20).map { _ in try proxy.client() }
    for client in clients { try client.send(message("GET http://one.test:\(origin.port)/ HTTP/1.1")) }
    // One of them goes before the answer comes.
    #expect(proxy.waits { $0.requests == 20 })
    clients[7].close(reset: true)
    #expect(proxy.waits { $0.clientsOpen == 19 })
    gate.signal()
    for (number, client) in clients.enumerated() where number != 7 {
      #expect(try client.readResponse().body == "x")
    }
    #expect(asked.withLock { $0 } == ["one.test"])
  }

  @Test func forgetsAddressesThatDoNotWork() throws {
    let asked = Mutex(0)
    let proxy = try ProxyFixture(names: { _ in
      asked.withLock { $0 += 1 }
      return .addresses([Self.v4])
    })
    let refusing = try ScriptedOrigin { _ in }.port
    for _ in 0..<2 {
      #expect(try proxy.response(to: message("GET http://moved.test:\(refusing)/ HTTP/1.1")).status == 502)
    }
    #expect(asked.withLock { $0 } == 2)
    let origin = try ScriptedOrigin.answering { _ in ok("x", "Connection: close") }
    for _ in 0..<3 {
      #expect(try proxy.response(to: message("GET http://moved.test:\(origin.port)/ HTTP/1.1")).status == 200)
    }
    #expect(asked.withLock { $0 } == 3)
  }

  @Test func answers504ToALookUpThatTakesTooLong() throws {
    let gate = Gate()
    let proxy = try ProxyFixture(
      settings: { $0.timeouts.connect = 200_000_000 },
      names: { _ in
        gate.wait()
        return .addresses([Self.v4])
      })
    defer { gate.signal() }
    let response = try proxy.response(to: message("GET http://slow.test/ HTTP/1.1"))
    #expect(response.status == 504)
    #expect(response.body.contains("name_lookup_timeout"))
  }
}
