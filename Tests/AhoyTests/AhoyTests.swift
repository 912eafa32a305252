import Effects
import Foundation
import Synchronization
import TestKit
import Testing

@testable import Ahoy

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct AhoyTests {
  // MARK: The vectors of the contract, section 1.1

  static func vectorClient(_ recorded: RecordedRequests, tokens: FixedTokens = .vector) throws -> Ahoy {
    Ahoy(
      configuration: Configuration(
        environment: .init(platform: "iOS", appVersion: "9.9.99", osVersion: "16.0.2"),
        urlRequestHandler: recorded.echo,
        baseUrl: try #require(URL(string: "https://ahoy.com")), ahoyPath: "test-ahoy", eventsPath: "my-events",
        visitsPath: "my-visits"),
      storage: tokens)
  }

  @Test func registersVisitsToTheByte() async throws {
    let recorded = RecordedRequests()
    let ahoy = try Self.vectorClient(recorded)
    let visit = try await ahoy.trackVisit()
    let again = try await ahoy.trackVisit(additionalParams: ["utm_source": "some-place", "source": 3])
    let tokens =
      #""visit_token":"B054681C-100B-46FE-94A0-7AACA78116CB","visitor_token":"EB4DCB73-2B32-52CD-A2CF-AD7948674B22"}"#
    #expect(
      recorded.bodies == [
        #"{"app_version":"9.9.99","os_version":"16.0.2","platform":"iOS","# + tokens,
        #"{"app_version":"9.9.99","os_version":"16.0.2","platform":"iOS","source":3,"utm_source":"some-place","#
          + tokens,
      ])
    #expect(
      recorded.requests.map(\.url?.absoluteString) == Array(repeating: "https://ahoy.com/test-ahoy/my-visits", count: 2)
    )
    #expect(visit.visitToken == "B054681C-100B-46FE-94A0-7AACA78116CB")
    #expect(visit.visitorToken == "EB4DCB73-2B32-52CD-A2CF-AD7948674B22")
    #expect(visit.additionalParams == nil)
    #expect(again.additionalParams?["source"] as? Int == 3)
  }

  @Test func sendsEventsToTheByte() async throws {
    let recorded = RecordedRequests()
    let tokens = FixedTokens(
      visit: "98C44594-050F-4DE7-80AC-5BB8B1A2E4E9", visitor: "EB4DCB73-2B32-52CD-A2CF-AD7948674B22")
    let ahoy = try Self.vectorClient(recorded, tokens: tokens)
    let event = Event(name: "test", properties: ["123": 456], time: Date(timeIntervalSince1970: 0))
    try await ahoy.track(events: [event])
    await ahoy.attach(userId: "12345")
    try await ahoy.track(events: [event])
    await ahoy.detachUser()
    try await ahoy.track(events: [event])
    func body(_ member: String) -> String {
      #"{"events":[{"name":"test","properties":{"123":456},"time":"1970-01-01T00:00:00Z""# + member
        + #"}],"visit_token":"98C44594-050F-4DE7-80AC-5BB8B1A2E4E9","visitor_token":"EB4DCB73-2B32-52CD-A2CF-AD7948674B22"}"#
    }
    #expect(Array(recorded.bodies.dropFirst()) == [body(""), body(#","user_id":"12345""#), body("")])
    #expect(recorded.requests.count == 4)
    for request in recorded.requests {
      #expect(request.httpMethod == "POST")
      #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json; charset=utf-8")
      #expect(request.value(forHTTPHeaderField: "Ahoy-Visit") == tokens.visitToken)
      #expect(request.value(forHTTPHeaderField: "Ahoy-Visitor") == tokens.visitorToken)
    }
    #expect(recorded.requests.last?.url?.absoluteString == "https://ahoy.com/test-ahoy/my-events")
  }

  // MARK: Visits

  @Test func hasNoVisitBeforeTheServerHasConfirmedOne() async throws {
    let harness = try AhoyHarness()
    #expect(await harness.ahoy.currentVisit == nil)
    #expect(await harness.ahoy.headers.isEmpty)
    harness.server.script("visits", [AhoyServer.response(503)])
    await #expect(throws: AhoyError.unacceptableResponse(code: 503, data: Data())) {
      try await harness.ahoy.trackVisit()
    }
    #expect(await harness.ahoy.currentVisit == nil)
    #expect(await harness.ahoy.headers.isEmpty)
    let visit = try await harness.ahoy.trackVisit()
    #expect(await harness.ahoy.currentVisit?.visitToken == visit.visitToken)
    #expect(
      await harness.ahoy.headers == ["Ahoy-Visit": visit.visitToken, "Ahoy-Visitor": visit.visitorToken])
  }

  @Test func keepsTheTokenAfterAFailure() async throws {
    let harness = try AhoyHarness()
    harness.server.script("visits", [AhoyServer.response(500), AhoyServer.response(404, "no")])
    await #expect(throws: AhoyError.self) { try await harness.ahoy.ensureCurrentVisit() }
    await #expect(throws: AhoyError.self) { try await harness.ahoy.trackVisit() }
    let visit = try await harness.ahoy.ensureCurrentVisit()
    #expect(Set(harness.server.visits.compactMap { $0.fields["ahoy-visit"] }) == [visit.visitToken])
    #expect(harness.server.visits.count == 3)
    // A random UUID in lower case.
    #expect(
      visit.visitToken.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
  }

  /// One second before the end of the window, at its end, one second behind it.
  @Test(arguments: [(-1000, true), (-1, true), (0, false), (1000, false)] as [(Int64, Bool)])
  func keepsAVisitForItsWindow(_ offset: Int64, _ isSame: Bool) async throws {
    let harness = try AhoyHarness()
    let first = try await harness.ahoy.ensureCurrentVisit()
    harness.clock.advance(milliseconds: AhoyHarness.window + offset)
    #expect((await harness.ahoy.currentVisit != nil) == isSame)
    #expect(await harness.ahoy.headers.isEmpty == !isSame)
    let second = try await harness.ahoy.ensureCurrentVisit()
    #expect((second.visitToken == first.visitToken) == isSame)
    #expect(second.visitorToken == first.visitorToken)
    #expect(harness.server.visits.count == (isSame ? 1 : 2))
  }

  @Test func registersAgainWithTheSameTokenWhenAskedTo() async throws {
    let harness = try AhoyHarness()
    let first = try await harness.ahoy.trackVisit()
    let second = try await harness.ahoy.trackVisit(additionalParams: ["utmSource": "some-place"])
    #expect(first.visitToken == second.visitToken)
    #expect(harness.server.visits.count == 2)
    #expect(try harness.server.visits[1].json["utm_source"] == "some-place")
    // A failure does not end what is confirmed.
    harness.server.script("visits", [AhoyServer.response(500)])
    await #expect(throws: AhoyError.self) { try await harness.ahoy.trackVisit() }
    #expect(await harness.ahoy.currentVisit?.visitToken == first.visitToken)
  }

  @Test func oneHundredCallersMakeOneRequest() async throws {
    let harness = try AhoyHarness()
    harness.server.hold()
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<100 {
        group.addTask {
          let ahoy = harness.ahoy
          return try await (number % 3 == 0 ? ahoy.trackVisit() : ahoy.ensureCurrentVisit()).visitToken
        }
      }
      while await harness.ahoy.waiting.count < 100 { await Task.yield() }
      harness.server.release()
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(tokens.count == 1)
    #expect(harness.server.requests.count == 1)
  }

  @Test func allCallersGetTheFailureAndTheNextOneTriesAgain() async throws {
    let harness = try AhoyHarness()
    harness.server.script("visits", [AhoyServer.response(503)])
    harness.server.hold()
    let failures = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<10 {
        group.addTask {
          do {
            try await harness.ahoy.ensureCurrentVisit()
            return false
          } catch {
            return (error as? AhoyError) == .unacceptableResponse(code: 503, data: Data())
          }
        }
      }
      while await harness.ahoy.waiting.count < 10 { await Task.yield() }
      harness.server.release()
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(failures == 10)
    try await harness.ahoy.ensureCurrentVisit()
    #expect(harness.server.visits.count == 2)
  }

  @Test func aCancelledCallerLeavesTheOthers() async throws {
    let harness = try AhoyHarness()
    harness.server.hold()
    let cancelled = Task { try await harness.ahoy.ensureCurrentVisit() }
    while await harness.ahoy.waiting.count < 1 { await Task.yield() }
    let other = Task { try await harness.ahoy.ensureCurrentVisit() }
    while await harness.ahoy.waiting.count < 2 { await Task.yield() }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    harness.server.release()
    _ = try await other.value
    #expect(harness.server.visits.count == 1)
  }

  @Test func tellsOfAServerThatConfirmsOtherTokens() async throws {
    let harness = try AhoyHarness()
    harness.server.script("visits", [AhoyServer.response(200, #"{"visit_token":"x","visitor_token":"y"}"#)])
    await #expect(throws: AhoyError.mismatchingVisit) { try await harness.ahoy.trackVisit() }
    #expect(await harness.ahoy.currentVisit == nil)
    harness.server.script("visits", [AhoyServer.response(200, "<html>")])
    await #expect(throws: AhoyError.unacceptableResponse(code: 200, data: Data("<html>".utf8))) {
      try await harness.ahoy.trackVisit()
    }
  }

  @Test(arguments: ["", "null", "a b", String(repeating: "x", count: 65)])
  func sendsNoTokenThatTheServerWouldChange(_ token: String) async throws {
    let harness = try AhoyHarness(tokens: FixedTokens(visit: token, visitor: "v"))
    await #expect(throws: AhoyError.mismatchingVisit) { try await harness.ahoy.trackVisit() }
    #expect(harness.server.requests.isEmpty)
  }

  @Test func beginsAVisitWhenTheTokenManagerDoes() async throws {
    let tokens = FixedTokens(visit: "one", visitor: "v")
    let harness = try AhoyHarness(tokens: tokens)
    try await harness.ahoy.ensureCurrentVisit()
    tokens.visitToken = "two"
    #expect(await harness.ahoy.currentVisit == nil)
    #expect(try await harness.ahoy.ensureCurrentVisit().visitToken == "two")
    #expect(harness.server.visits.compactMap { $0.fields["ahoy-visit"] } == ["one", "two"])
  }

  @Test func tellsTheServerWhereTheVisitorCameFrom() async throws {
    let asked = Mutex(0)
    let harness = try AhoyHarness {
      $0.visitParams = {
        asked.withLock { $0 += 1 }
        return ["utmSource": "campaign", "referrer": "https://example.com/", "since": Date(timeIntervalSince1970: 0)]
      }
    }
    try await harness.ahoy.track(events: [Event(name: "a"), Event(name: "b")])
    let visit = try await harness.ahoy.trackVisit(additionalParams: ["utmSource": "other", "referralURLPath": "/x"])
    let bodies = try harness.server.visits.map { try $0.json }
    #expect(bodies.map { $0["utm_source"] } == ["campaign", "other"])
    #expect(bodies.map { $0["referrer"] } == ["https://example.com/", "https://example.com/"])
    #expect(bodies.map { $0["since"] } == ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])
    #expect(bodies[1]["referral_url_path"] == "/x")
    #expect(bodies[1]["platform"] == "Linux")
    #expect(visit.additionalParams?.count == 4)
    #expect(asked.withLock { $0 } == 2)
  }

  @Test func leavesOutTheParametersThatAreTooLarge() async throws {
    let harness = try AhoyHarness()
    harness.server.script("visits", [AhoyServer.response(413, "Payload too large\n")])
    let visit = try await harness.ahoy.trackVisit(additionalParams: ["landing_page": "https://example.com/"])
    #expect(harness.server.visits.count == 2)
    #expect(try harness.server.visits[1].json["landing_page"] == nil)
    #expect(try harness.server.visits[1].json["platform"] == "Linux")
    #expect(try harness.server.visits[1].json["visit_token"]?.string == visit.visitToken)
    harness.server.script("visits", [AhoyServer.response(413)])
    await #expect(throws: AhoyError.unacceptableResponse(code: 413, data: Data())) {
      try await harness.ahoy.trackVisit()
    }
    #expect(harness.server.visits.count == 3)
  }

  @Test func givesEachObserverTheCurrentVisitAndTheNext() async throws {
    let harness = try AhoyHarness()
    var early = harness.ahoy.visits.makeAsyncIterator()
    let first = try await harness.ahoy.trackVisit()
    var late = harness.ahoy.visits.makeAsyncIterator()
    harness.clock.advance(milliseconds: AhoyHarness.window)
    var atTheEnd = harness.ahoy.visits.makeAsyncIterator()
    let second = try await harness.ahoy.trackVisit()
    #expect(first.visitToken != second.visitToken)
    #expect(await early.next()?.visitToken == first.visitToken)
    #expect(await early.next()?.visitToken == second.visitToken)
    #expect(await late.next()?.visitToken == first.visitToken)
    #expect(await late.next()?.visitToken == second.visitToken)
    // When this one began, no visit was current.
    #expect(await atTheEnd.next()?.visitToken == second.visitToken)
  }

  @Test func endsTheSequencesWithTheClient() async throws {
    let recorded = RecordedRequests()
    var ahoy: Ahoy? = try Self.vectorClient(recorded)
    try await ahoy?.trackVisit()
    let visits = try #require(ahoy?.visits)
    ahoy = nil
    var count = 0
    for await _ in visits { count += 1 }
    #expect(count == 1)
  }

  // MARK: Without automatic renewal

  @Test func sendsNoEventsBeforeAVisitWhenItMayNotMakeOne() async throws {
    let harness = try AhoyHarness { $0.automaticVisitRenewal = false }
    await #expect(throws: AhoyError.noVisit) { try await harness.ahoy.track(events: [Event(name: "a")]) }
    #expect(harness.server.requests.isEmpty)
    let visit = try await harness.ahoy.ensureCurrentVisit()
    try await harness.ahoy.track(events: [Event(name: "a")])
    // The visit ends when its owner says so.
    harness.clock.advance(milliseconds: 2 * AhoyHarness.window)
    try await harness.ahoy.track(events: [Event(name: "b")])
    #expect(harness.server.events.allSatisfy { $0.fields["ahoy-visit"] == visit.visitToken })
    #expect(await harness.ahoy.headers["Ahoy-Visit"] == visit.visitToken)
    #expect(harness.server.visits.count == 1)
    let next = try await harness.ahoy.ensureCurrentVisit()
    #expect(next.visitToken != visit.visitToken)
    #expect(await harness.ahoy.headers["Ahoy-Visit"] == next.visitToken)
  }

  // MARK: Requests

  @Test func sendsWhatAServerTakesForAVisitor() async throws {
    let harness = try AhoyHarness()
    harness.server.script(
      "visits", [AhoyServer.response(503, "", "Set-Cookie: ahoy_visit=other; path=/", "Retry-After: 1")])
    await #expect(throws: AhoyError.self) { try await harness.ahoy.trackVisit() }
    let visit = try await harness.ahoy.trackVisit()
    let request = try #require(harness.server.requests.last)
    #expect(request.path == "/ahoy/visits")
    #expect(request.fields["user-agent"] == "AhoySwift/1.0 (X11; Linux x86_64)")
    #expect(request.fields["content-type"] == "application/json; charset=utf-8")
    #expect(request.fields["ahoy-visit"] == visit.visitToken)
    #expect(request.fields["ahoy-visitor"] == visit.visitorToken)
    #expect(request.fields["cookie"] == nil)
    #expect(request.fields["content-length"] == "\(request.body.utf8.count)")
  }

  @Test(arguments: [301, 302, 303, 307, 308]) func followsNoRedirect(_ status: Int) async throws {
    let harness = try AhoyHarness()
    let redirect = AhoyServer.response(status, "", "Location: /ahoy/elsewhere")
    harness.server.script("visits", [redirect])
    await #expect(throws: AhoyError.unacceptableResponse(code: status, data: Data())) {
      try await harness.ahoy.trackVisit()
    }
    #expect(harness.server.requests.map(\.path) == ["/ahoy/visits"])
    try await harness.ahoy.trackVisit()
    harness.server.script("events", [redirect])
    await #expect(throws: AhoyError.unacceptableResponse(code: status, data: Data())) {
      try await harness.ahoy.track(events: [Event(name: "a")])
    }
    #expect(harness.server.events.count == 1)
  }

  @Test func letsInterceptorsChangeAllButTheTokens() async throws {
    let harness = try AhoyHarness(interceptors: [
      RequestInterceptor { request in
        request.setValue("Bearer 1", forHTTPHeaderField: "Authorization")
        request.setValue("forged", forHTTPHeaderField: "Ahoy-Visit")
        request.addValue("forged", forHTTPHeaderField: "ahoy-visitor")
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
      },
      RequestInterceptor { request in
        request.setValue(
          (request.value(forHTTPHeaderField: "Authorization") ?? "") + "2", forHTTPHeaderField: "Authorization")
      },
    ])
    let visit = try await harness.ahoy.trackVisit()
    let request = try #require(harness.server.requests.last)
    #expect(request.fields["authorization"] == "Bearer 12")
    #expect(request.fields["ahoy-visit"] == visit.visitToken)
    #expect(request.fields["ahoy-visitor"] == visit.visitorToken)
    #expect(request.fields["content-type"] == "application/json; charset=utf-8")
    #expect(await harness.ahoy.requestInterceptors.count == 2)
    await harness.ahoy.setRequestInterceptors([])
    try await harness.ahoy.track(events: [Event(name: "a")])
    #expect(harness.server.events.last?.fields["authorization"] == nil)
  }

  @Test func throwsWhatTheHandlerThrows() async throws {
    struct Away: Error {}
    let harness = try AhoyHarness { $0.urlRequestHandler = { _ in throw Away() } }
    await #expect(throws: Away.self) { try await harness.ahoy.trackVisit() }
    await #expect(throws: Away.self) { try await harness.ahoy.track(events: [Event(name: "a")]) }
    let url = try harness.server.url
    let odd = try AhoyHarness {
      $0.urlRequestHandler = { _ in
        (Data("x".utf8), URLResponse(url: url, mimeType: nil, expectedContentLength: 1, textEncodingName: nil))
      }
    }
    await #expect(throws: AhoyError.unacceptableResponse(code: 0, data: Data("x".utf8))) {
      try await odd.ahoy.trackVisit()
    }
  }
}
