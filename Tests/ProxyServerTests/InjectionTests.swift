import Effects
import Foundation
import HTTPWire
import ProxyCore
import ProxyServer
import Synchronization
import TestKit
import Testing
import URLRules

@Suite struct InjectionTests {
  private static func rule(_ origin: ScriptedOrigin, _ path: String = "/") -> RuleDefinition {
    RuleDefinition(name: "shop", matchers: [.prefix(origin.url + path)], effects: [.visitorID, .record])
  }

  private func visitorLines(_ request: String) -> [String] {
    request.components(separatedBy: "\r\n").filter {
      $0.lowercased().replacingOccurrences(of: "_", with: "-").hasPrefix("x-visitor-id:")
    }
  }

  @Test(arguments: [
    [], ["X-Visitor-Id: spoof"], ["x-visitor-id: a", "X-VISITOR-ID: b"], ["X_Visitor_Id: spoof"],
    ["Connection: x-visitor-id", "x-visitor-id: a"],
  ])
  func injectsExactlyOnceOnAMatchAndNothingElsewhere(spoofs: [String]) throws {
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let proxy = try ProxyFixture(rules: [Self.rule(origin, "/shop/")])
    let fields = spoofs.map { $0 + "\r\n" }.joined()
    let client = try proxy.client()
    try client.send("GET \(origin.url)/shop/a HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
    _ = try client.readResponse()
    try client.send("GET \(origin.url)/other HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
    _ = try client.readResponse()
    #expect(visitorLines(origin.requests[0]) == ["x-visitor-id: the-id"])
    let nominated = spoofs.contains { $0.hasPrefix("Connection") }
    #expect(visitorLines(origin.requests[1]) == (nominated ? [] : spoofs))
  }

  @Test func takesTheNextSnapshotForTheNextRequest() throws {
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let rules = [Self.rule(origin)]
    let proxy = try ProxyFixture(rules: rules)
    let client = try proxy.client()
    for generation in 1...4 {
      if generation > 1 {
        proxy.snapshots.publish(
          try ProxyFixture.snapshot(rules: rules, visitorID: "id-\(generation)", generation: generation))
      }
      try client.send(message("GET \(origin.url)/ HTTP/1.1"))
      _ = try client.readResponse()
      let expected = generation == 1 ? "the-id" : "id-\(generation)"
      #expect(visitorLines(try #require(origin.requests.last)) == ["x-visitor-id: \(expected)"])
    }
  }

  @Test(arguments: [0..<1, Int64.max - 1..<Int64.max])
  func renewsASnapshotOutsideItsTime(validity: Range<Int64>) throws {
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let rules = [Self.rule(origin)]
    let next = try ProxyFixture.snapshot(rules: rules, visitorID: "renewed", generation: 2)
    let renewals = Mutex(0)
    let proxy = try ProxyFixture(
      rules: rules, validity: validity,
      renew: { box in
        renewals.withLock { $0 += 1 }
        box.publish(next)
      })
    let client = try proxy.client()
    for _ in 0..<3 {
      try client.send(message("GET \(origin.url)/ HTTP/1.1"))
      _ = try client.readResponse()
    }
    #expect(origin.requests.map(visitorLines) == [[String]](repeating: ["x-visitor-id: renewed"], count: 3))
    #expect(renewals.withLock { $0 } == 1)
    // An older snapshot does not come back.
    proxy.snapshots.publish(try ProxyFixture.snapshot(rules: rules, visitorID: "old", generation: 1))
    #expect(proxy.snapshots.snapshot.visitorID == "renewed")
  }

  @Test func survivesAReloadWithFewerRulesAndOtherLimits() throws {
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let many = (0..<50).map { RuleDefinition(name: "r\($0)", matchers: [.regex("http")], effects: .visitorID) }
    let proxy = try ProxyFixture(rules: many)
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    _ = try client.readResponse()
    #expect(proxy.counters.ruleMatches == [Int](repeating: 1, count: 50))

    var settings = ProxySettings()
    settings.limits.head.fields = 5
    settings.limits.head.head = 300
    proxy.snapshots.publish(
      try ProxyFixture.snapshot(settings: settings, rules: [Self.rule(origin)], visitorID: "two", generation: 2))
    // The first head after the reload: read by the new limits, and whole.
    try client.send(message("GET \(origin.url)/ HTTP/1.1", "A: 1", "B: 2", "C: 3"))
    #expect(try client.readResponse().status == 200)
    #expect(
      origin.requests.last
        == "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\nA: 1\r\nB: 2\r\nC: 3\r\nx-visitor-id: two\r\n"
        + "Via: 1.1 footfall-test\r\n\r\n")
    #expect(proxy.counters.ruleMatches == [1])
    try client.send(message("GET \(origin.url)/ HTTP/1.1", "A: 1", "B: 2", "C: 3", "D: 4", "E: 5"))
    #expect(try client.readResponse().status == 431)

    proxy.snapshots.publish(try ProxyFixture.snapshot(rules: [], visitorID: "three", generation: 3))
    #expect(try proxy.response(to: message("GET \(origin.url)/ HTTP/1.1")).status == 200)
    #expect(proxy.counters.ruleMatches == [])
  }

  @Test func aReloadInsideAHeadMakesNoDifference() throws {
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let proxy = try ProxyFixture(rules: [Self.rule(origin)])
    let client = try proxy.client()
    try client.send("GET \(origin.url)/ HTTP/1.1\r\nHost: h\r\nA: 1\r\n")
    #expect(client.isSilent(milliseconds: 50))
    var settings = ProxySettings()
    settings.limits.head.fields = 3
    proxy.snapshots.publish(
      try ProxyFixture.snapshot(settings: settings, rules: [Self.rule(origin)], visitorID: "two", generation: 2))
    try client.send("B: 2\r\n\r\n")
    #expect(try client.readResponse().status == 200)
    #expect(origin.requests.last?.contains("\r\nA: 1\r\nB: 2\r\nx-visitor-id: two\r\n") == true)
  }

  @Test func injectsNothingIntoAWebSocketHandshake() throws {
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let proxy = try ProxyFixture(rules: [Self.rule(origin)])
    _ = try proxy.response(to: message("GET \(origin.url)/ HTTP/1.1", "Upgrade: websocket", "Connection: upgrade"))
    #expect(visitorLines(try #require(origin.requests.first)) == [])
    // The client's own header passes, as on any request that does not match.
    _ = try proxy.response(
      to: message("GET \(origin.url)/ HTTP/1.1", "Upgrade: websocket", "Connection: upgrade", "X-Visitor-Id: mine"))
    #expect(visitorLines(try #require(origin.requests.last)) == ["X-Visitor-Id: mine"])
  }

  @Test func recordsEachExchange() throws {
    let origin = try ScriptedOrigin.answering { _ in ok("hello") }
    let proxy = try ProxyFixture(rules: [Self.rule(origin, "/shop"), Self.rule(origin, "/shop/a")])
    let client = try proxy.client()
    let first = message("POST \(origin.url)/shop/a?secret=1 HTTP/1.1", "Content-Length: 4", body: "body")
    try client.send(first)
    let firstResponse = try client.readResponse()
    try client.send(message("GET \(origin.url)/plain HTTP/1.1"))
    _ = try client.readResponse()
    try client.send(message("GET http://127.0.0.1:1/none HTTP/1.1"))
    #expect(try client.readResponse().status == 502)
    let records = try proxy.records(3)
    let one = records[0]
    #expect(one.mode == .forward)
    #expect(one.method == "POST")
    #expect(one.url == "\(origin.url)/shop/a")
    #expect(one.status == 200)
    #expect(one.errorCode == nil)
    #expect(one.rules == ["shop", "shop"])
    #expect(one.injected == ["x-visitor-id"])
    #expect(one.visitorID == "the-id")
    #expect(one.reusedConnection == false)
    #expect(one.connectMicroseconds != nil)
    #expect(one.requestBytes == Int64(first.utf8.count))
    let sent = (firstResponse.head.joined(separator: "\r\n") + "\r\n\r\n" + firstResponse.body).utf8.count
    #expect(one.responseBytes == Int64(sent))
    #expect(one.durationMicroseconds >= one.firstByteMicroseconds ?? .max)
    #expect(abs(one.startedAtMilliseconds - Int64(Date().timeIntervalSince1970 * 1000)) < 60_000)
    #expect(records[1].rules == [])
    #expect(records[1].injected == [])
    #expect(records[1].reusedConnection)
    #expect(records[1].connectMicroseconds == nil)
    #expect(records[2].errorCode == "connection_refused")
    #expect(records[2].status == 502)
    #expect(records[2].firstByteMicroseconds == nil)
  }

  @Test func recordsWhatTheScopeSays() throws {
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    for (scope, expected) in [(RecordingScope.matched, ["/shop?q"]), (.none, []), (.all, ["/shop?q", "/other?q"])] {
      let proxy = try ProxyFixture(rules: [Self.rule(origin, "/shop")]) {
        $0.recording = scope
        $0.keepsQuery = true
      }
      _ = try proxy.response(to: message("GET \(origin.url)/shop?q HTTP/1.1"))
      _ = try proxy.response(to: message("GET \(origin.url)/other?q HTTP/1.1"))
      proxy.service.drain(milliseconds: 5000)
      #expect(try proxy.records(expected.count).map(\.url) == expected.map { origin.url + $0 })
    }
  }
}
