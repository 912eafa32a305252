import Effects
import Foundation
import Synchronization
import TestKit
import Testing

@testable import Ahoy

@Suite struct AhoyEventTests {
  /// What was given up, with the reason.
  final class GivenUp: Sendable {
    private let all = Mutex<[(Event, any Error)]>([])
    var names: [String] { all.withLock { $0.map(\.0.name) } }
    var reasons: [any Error] { all.withLock { $0.map(\.1) } }
    func add(_ event: Event, _ error: any Error) { all.withLock { $0.append((event, error)) } }
  }

  static func names(_ request: SeenRequest) throws -> [String] {
    try request.events.map { try #require($0["name"]?.string) }
  }

  static func ids(_ request: SeenRequest) throws -> [String] {
    try request.events.map { try #require($0["id"]?.string) }
  }

  // MARK: track(events:)

  @Test func registersTheVisitThenSendsOneRequest() async throws {
    let harness = try AhoyHarness()
    try await harness.ahoy.track(events: (0..<10).map { Event(name: "\($0)") })
    #expect(harness.server.requests.map(\.path) == ["/ahoy/visits", "/ahoy/events"])
    #expect(try Self.names(harness.server.events[0]) == (0..<10).map { "\($0)" })
    try await harness.ahoy.track(events: [])
    #expect(harness.server.requests.count == 2)
  }

  @Test func cutsTwentyFiveEventsIntoThreeRequests() async throws {
    let harness = try AhoyHarness()
    try await harness.ahoy.track(events: (0..<25).map { Event(name: "\($0)") })
    #expect(try harness.server.events.map { try $0.events.count } == [10, 10, 5])
    #expect(try harness.server.events.flatMap(Self.names) == (0..<25).map { "\($0)" })
    #expect(Set(harness.server.events.map { $0.fields["ahoy-visit"] }).count == 1)
    #expect(harness.server.visits.count == 1)
  }

  @Test func cutsByBytes() async throws {
    let harness = try AhoyHarness()
    let text = String(repeating: "x", count: 3000)
    try await harness.ahoy.track(events: (0..<5).map { Event(name: "\($0)", properties: ["text": text]) })
    #expect(try harness.server.events.map { try $0.events.count } == [2, 2, 1])
    #expect(harness.server.events.allSatisfy { $0.body.utf8.count <= 8192 })
  }

  @Test func sendsTheOthersWhenOneIsRefused() async throws {
    let harness = try AhoyHarness { $0.maximumEventsPerRequest = 2 }
    harness.server.script("events", [nil, AhoyServer.response(413, "Payload too large\n"), nil])
    await #expect(throws: AhoyError.unacceptableResponse(code: 413, data: Data("Payload too large\n".utf8))) {
      try await harness.ahoy.track(events: (0..<6).map { Event(name: "\($0)") })
    }
    #expect(try harness.server.events.map(Self.names) == [["0", "1"], ["2", "3"], ["4", "5"]])
  }

  @Test func stopsWhenTheServerIsAway() async throws {
    let harness = try AhoyHarness { $0.maximumEventsPerRequest = 2 }
    harness.server.script("events", [nil, AhoyServer.response(503)])
    await #expect(throws: AhoyError.unacceptableResponse(code: 503, data: Data())) {
      try await harness.ahoy.track(events: (0..<6).map { Event(name: "\($0)") })
    }
    #expect(harness.server.events.count == 2)
  }

  @Test func sendsAnEventThatIsTooLargeAlone() async throws {
    let harness = try AhoyHarness()
    let large = Event(name: "large", properties: ["text": String(repeating: "x", count: 9000)])
    harness.server.script("events", [nil, AhoyServer.response(413), nil])
    await #expect(throws: AhoyError.unacceptableResponse(code: 413, data: Data())) {
      try await harness.ahoy.track(events: [Event(name: "a"), large, Event(name: "b")])
    }
    #expect(try harness.server.events.map(Self.names) == [["a"], ["large"], ["b"]])
  }

  @Test func sendsNothingWhenAnEventCannotBeEncoded() async throws {
    let harness = try AhoyHarness()
    await #expect(throws: EncodingError.self) {
      try await harness.ahoy.track(events: [Event(name: "a"), Event(name: "b", properties: ["x": Double.nan])])
    }
    #expect(harness.server.requests.isEmpty)
  }

  @Test func tellsTheCallerWhyThereIsNoVisit() async throws {
    let harness = try AhoyHarness()
    harness.server.script("visits", [AhoyServer.response(401)])
    await #expect(throws: AhoyError.unacceptableResponse(code: 401, data: Data())) {
      try await harness.ahoy.track(events: [Event(name: "a")])
    }
    #expect(harness.server.events.isEmpty)
  }

  @Test func renewsTheVisitLazily() async throws {
    let harness = try AhoyHarness()
    try await harness.ahoy.track(events: [Event(name: "a")])
    harness.clock.advance(milliseconds: AhoyHarness.window)
    try await harness.ahoy.track(events: [Event(name: "b")])
    #expect(harness.server.visits.count == 2)
    #expect(Set(harness.server.events.map { $0.fields["ahoy-visit"] }).count == 2)
  }

  // MARK: track(_:properties:)

  @Test func deliversWhatWasHandedOverAndForgotten() async throws {
    let harness = try AhoyHarness()
    harness.ahoy.track("ride_details.update_driver_rating", properties: ["driver_id": 4])
    harness.ahoy.track("no.properties")
    await harness.ahoy.flush()
    let events = try harness.server.events.flatMap { try $0.events }
    #expect(events.map { $0["name"] } == ["ride_details.update_driver_rating", "no.properties"])
    #expect(events[0]["properties"]?["driver_id"] == 4)
    #expect(events[0]["time"]?.string == "2023-11-14T22:13:20Z")
    for event in events {
      let id = try #require(event["id"]?.string)
      #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    }
    #expect(harness.pauses.milliseconds.isEmpty)
  }

  @Test func oneThousandEventsFromManyThreadsArriveOnce() async throws {
    let harness = try AhoyHarness()
    DispatchQueue.concurrentPerform(iterations: 1000) { harness.ahoy.track("\($0)") }
    await harness.ahoy.flush()
    let events = try harness.server.events.flatMap { try $0.events }
    #expect(events.count == 1000)
    #expect(Set(events.compactMap { $0["id"]?.string }).count == 1000)
    #expect(Set(events.compactMap { $0["name"]?.string }).count == 1000)
    #expect(harness.server.visits.count == 1)
    #expect(try harness.server.events.allSatisfy { try $0.events.count <= 10 })
  }

  @Test func triesAgainWithTheSameIDAndInTheSameVisit() async throws {
    let harness = try AhoyHarness()
    harness.server.script(
      "events", [AhoyServer.response(500), AhoyServer.response(429, "", "Retry-After: 7"), AhoyServer.response(404)])
    harness.ahoy.track("a")
    await harness.ahoy.flush()
    #expect(harness.server.events.count == 4)
    #expect(Set(harness.server.events.map(\.body)).count == 1)
    #expect(Set(harness.server.events.map { $0.fields["ahoy-visit"] }).count == 1)
    #expect(harness.pauses.milliseconds == [1000, 7000, 4000])
  }

  @Test func doesNotWaitForEver() async throws {
    let harness = try AhoyHarness()
    harness.server.script("events", [AhoyServer.response(503, "", "Retry-After: 99999999999999999999")])
    harness.ahoy.track("a")
    await harness.ahoy.flush()
    #expect(harness.server.events.count == 2)
    #expect(harness.pauses.milliseconds == [600_000])
  }

  @Test func triesAgainUntilThereIsAVisit() async throws {
    let harness = try AhoyHarness()
    harness.server.script("visits", [AhoyServer.response(503), AhoyServer.response(503)])
    harness.ahoy.track("a")
    await harness.ahoy.flush()
    #expect(harness.server.events.count == 1)
    #expect(Set(harness.server.visits.map { $0.fields["ahoy-visit"] }).count == 1)
    #expect(harness.pauses.milliseconds == [1000, 2000])
  }

  @Test func givesUpAfterTenAttemptsAndSaysSo() async throws {
    let givenUp = GivenUp()
    let harness = try AhoyHarness { $0.undeliveredEventHandler = givenUp.add }
    harness.server.script("events", Array(repeating: AhoyServer.response(500), count: 10))
    harness.ahoy.track("a")
    await harness.ahoy.flush()
    #expect(harness.server.events.count == 10)
    #expect(givenUp.names == ["a"])
    #expect(givenUp.reasons.first as? AhoyError == .unacceptableResponse(code: 500, data: Data()))
    #expect(harness.pauses.milliseconds == [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
    harness.ahoy.track("b")
    await harness.ahoy.flush()
    #expect(harness.server.events.count == 11)
  }

  @Test func findsTheOneThatIsRefused() async throws {
    let givenUp = GivenUp()
    let harness = try AhoyHarness { $0.undeliveredEventHandler = givenUp.add }
    try await harness.ahoy.ensureCurrentVisit()
    harness.server.hold()
    let bad = AhoyServer.response(400, "Invalid parameters\n")
    // The first goes alone; the four behind it together, then in halves.
    harness.server.script("events", [nil, bad, nil, bad, bad, nil])
    harness.ahoy.track("first")
    while harness.server.events.isEmpty { await Task.yield() }
    for name in ["a", "b", "c", "d"] { harness.ahoy.track(name) }
    harness.server.release()
    await harness.ahoy.flush()
    #expect(
      try harness.server.events.map(Self.names) == [
        ["first"], ["a", "b", "c", "d"], ["a", "b"], ["c", "d"], ["c"], ["d"],
      ])
    #expect(givenUp.names == ["c"])
    #expect(harness.pauses.milliseconds.isEmpty)
    let sent = try harness.server.events.flatMap { try zip(Self.names($0), Self.ids($0)).map { "\($0)=\($1)" } }
    #expect(Set(sent).count == 5)
  }

  @Test func keepsAThousandAndDropsTheOldest() async throws {
    let givenUp = GivenUp()
    let harness = try AhoyHarness { $0.undeliveredEventHandler = givenUp.add }
    try await harness.ahoy.ensureCurrentVisit()
    harness.server.hold()
    harness.ahoy.track("first")
    while harness.server.events.isEmpty { await Task.yield() }
    for number in 0..<1002 { harness.ahoy.track("\(number)") }
    #expect(givenUp.names == ["0", "1"])
    harness.server.release()
    await harness.ahoy.flush()
    #expect(try harness.server.events.flatMap { try $0.events }.count == 1001)
  }

  @Test func saysWhichEventCannotBeEncoded() async throws {
    let givenUp = GivenUp()
    let harness = try AhoyHarness { $0.undeliveredEventHandler = givenUp.add }
    harness.ahoy.track("a", properties: ["x": Double.infinity])
    #expect(givenUp.names == ["a"])
    #expect(givenUp.reasons.first is EncodingError)
    await harness.ahoy.flush()
    #expect(harness.server.requests.isEmpty)
  }

  @Test func takesTheUserOfTheMoment() async throws {
    let harness = try AhoyHarness()
    harness.ahoy.track("anonymous")
    await harness.ahoy.attach(userId: "12345")
    harness.ahoy.track("known")
    await harness.ahoy.flush()
    harness.clock.advance(milliseconds: AhoyHarness.window)
    harness.ahoy.track("known in the next visit")
    await harness.ahoy.detachUser()
    harness.ahoy.track("anonymous again")
    await harness.ahoy.flush()
    let events = try harness.server.events.flatMap { try $0.events }
    #expect(events.map { $0["user_id"]?.string } == [nil, "12345", "12345", nil])
    #expect(harness.server.visits.count == 2)
  }

  @Test func survivesALostConnection() async throws {
    // The first connection is closed without an answer.
    let origin = try ScriptedOrigin { turn in
      while true {
        let request = SeenRequest(try turn.readRequest())
        if turn.number == 0 { return }
        let echo = #"{"visit_token":"one","visitor_token":"v"}"#
        try turn.connection.send(AhoyServer.response(200, request.isVisit ? echo : "{}"))
      }
    }
    let url = try #require(URL(string: "http://127.0.0.1:\(origin.port)"))
    let harness = try AhoyHarness(tokens: FixedTokens(visit: "one", visitor: "v")) { $0.baseUrl = url }
    harness.ahoy.track("a")
    await harness.ahoy.flush()
    #expect(origin.requests.map { SeenRequest($0).isVisit } == [true, true, false])
  }
}
