import AhoyTracker
import Effects
import EventPipeline
import Foundation
import ProxyCore
import Synchronization
import Testing

@testable import Recording

@Suite struct AhoyDeliveryTests {
  static let first = VisitTokens(
    visit: "11111111-1111-4111-8111-111111111111", visitor: "aaaaaaaa-1111-4111-8111-111111111111")
  static let second = VisitTokens(
    visit: "22222222-2222-4222-8222-222222222222", visitor: "aaaaaaaa-1111-4111-8111-111111111111")
  static let endpoint = AhoyEndpoint(baseURL: "http://app.example")

  static func delivery(
    limits: EventLimits = EventLimits(), properties: [String] = ["method", "url", "status"],
    standing: @escaping @Sendable (VisitTokens) -> VisitStanding = { _ in .registered(fields: []) }
  ) -> AhoyDelivery {
    AhoyDelivery(
      endpoint: endpoint, shape: AhoyEventShape(name: "proxy.request", properties: properties), limits: limits,
      standing: standing)
  }

  /// A request event as the proxy stores it.
  static func event(_ number: Int64, of tokens: VisitTokens?, url: String = "http://h/", user: String? = nil)
    -> QueuedEvent
  {
    var record = fullRecord()
    record.url = url
    let id = "019ad3f0-0000-7000-8000-\(String(format: "%012d", number))"
    let json = ExchangeEvent(id: id, record: record).json
    let payload = tokens.map { json.dropLast() + $0.eventMember(userID: user) + [UInt8(ascii: "}")] } ?? json
    return QueuedEvent(sequence: number, id: id, timeMilliseconds: record.startedAtMilliseconds, payload: payload)
  }

  static func body(_ cut: DeliveryCut) throws -> [String: Any] {
    guard case .request(let request, _) = cut else { throw CocoaError(.coderReadCorrupt) }
    return try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any] ?? [:]
  }

  static func indices(_ cut: DeliveryCut) -> [Int]? {
    guard case .request(_, let indices) = cut else { return nil }
    return indices
  }

  @Test func sendsAnEventWithItsIdMomentAndProperties() throws {
    let cut = Self.delivery(standing: { _ in .registered(fields: [JSONMember("platform", "Linux")]) })
      .cut([Self.event(1, of: Self.first, user: "42")])
    let body = try Self.body(cut)
    #expect(body["visit_token"] as? String == Self.first.visit)
    #expect(body["visitor_token"] as? String == Self.first.visitor)
    #expect(body["platform"] as? String == "Linux")
    let event = try #require((body["events"] as? [[String: Any]])?.first)
    #expect(event["id"] as? String == "019ad3f0-0000-7000-8000-000000000001")
    #expect(event["name"] as? String == "proxy.request")
    #expect(event["time"] as? String == "2026-11-29T07:25:55.123Z")
    #expect(event["user_id"] as? String == "42")
    let properties = try #require(event["properties"] as? [String: Any])
    #expect(properties["occurred_at"] as? String == "2026-11-29T07:25:55.123Z")
    #expect(properties["method"] as? String == "GET")
    #expect(properties["status"] as? Int == 200)
    #expect(properties.keys.sorted() == ["method", "occurred_at", "status", "url"])
    guard case .request(let request, _) = cut else { return }
    #expect(request.url == "http://app.example/ahoy/events")
    #expect(request.fields.contains(OutboundField("Ahoy-Visit", Self.first.visit)))
  }

  @Test func knowsEveryProperty() throws {
    let all = Array(ExchangeEvent.propertyMembers.keys) + ["unknown"]
    var record = fullRecord()
    record.user = "someone"
    let json = ExchangeEvent(id: "a", record: record).json
    let payload = json.dropLast() + Self.first.eventMember(userID: nil) + [UInt8(ascii: "}")]
    let event = QueuedEvent(sequence: 1, id: "a", timeMilliseconds: 0, payload: Array(payload))
    let body = try Self.body(Self.delivery(properties: all).cut([event]))
    let properties = (body["events"] as? [[String: Any]])?.first?["properties"] as? [String: Any]
    #expect(properties?.keys.sorted() == (ExchangeEvent.propertyMembers.keys + ["occurred_at"]).sorted())
  }

  @Test func holdsAtMostTenEventsAndThoseOfOneVisit() {
    let events = (0..<25).map { Self.event($0, of: Self.first) }
    #expect(Self.indices(Self.delivery().cut(events[...])) == Array(0..<10))
    #expect(Self.indices(Self.delivery().cut(events[20...])) == Array(0..<5))
    let mixed = [Self.event(1, of: Self.first), Self.event(2, of: Self.first), Self.event(3, of: Self.second)]
    #expect(Self.indices(Self.delivery().cut(mixed[...])) == [0, 1])
    #expect(Self.indices(Self.delivery().cut(mixed[2...])) == [0])
  }

  @Test func neverExceedsTheBytes() throws {
    let events = (0..<10).map { Self.event($0, of: Self.first, url: "http://h/" + String(repeating: "x", count: 1500)) }
    let cut = Self.delivery().cut(events[...])
    guard case .request(let request, let indices) = cut else {
      Issue.record("no request")
      return
    }
    #expect(request.body.count <= 8192)
    #expect((2..<10).contains(indices.count))
  }

  @Test func givesUpWhatCanNeverBeSent() {
    let large = Self.event(1, of: Self.first, url: "http://h/" + String(repeating: "x", count: 9000))
    guard case .undeliverable(0, let reason) = Self.delivery().cut([large]) else {
      Issue.record("delivered")
      return
    }
    #expect(reason.contains("8192"))
    let damaged = QueuedEvent(sequence: 1, id: "a", timeMilliseconds: 0, payload: Array("{".utf8))
    guard case .undeliverable(0, _) = Self.delivery().cut([damaged]) else {
      Issue.record("not given up")
      return
    }
    let refused = Self.delivery(standing: { _ in .refused(reason: "status 400") })
    #expect(
      refused.cut([Self.event(1, of: Self.first)])
        == .undeliverable(0, reason: "its visit was refused: status 400"))
  }

  @Test func passesOverEventsOfNoVisit() {
    let events = [
      Self.event(1, of: nil), Self.event(2, of: nil), Self.event(3, of: Self.first), Self.event(4, of: nil),
    ]
    #expect(Self.delivery().cut(events[...]) == .skip([0, 1]))
    #expect(Self.indices(Self.delivery().cut(events[2...])) == [0])
    #expect(Self.delivery().cut(events[3...]) == .skip([0]))
  }

  @Test func waitsUntilTheVisitIsRegistered() {
    let asked = Mutex<[VisitTokens]>([])
    let delivery = Self.delivery(standing: { tokens in
      asked.withLock { $0.append(tokens) }
      return .pending
    })
    #expect(delivery.cut([Self.event(1, of: Self.second)]) == .wait)
    #expect(asked.withLock { $0 } == [Self.second])
  }

  @Test func aVisitThatWaitsHoldsUpNoOther() {
    let events = [
      Self.event(1, of: Self.first), Self.event(2, of: Self.second), Self.event(3, of: Self.first),
      Self.event(4, of: Self.second),
    ]
    let delivery = Self.delivery(standing: { $0 == Self.first ? .pending : .registered(fields: []) })
    #expect(Self.indices(delivery.cut(events[...])) == [1, 3])
    #expect(delivery.cut([events[0], events[2]]) == .wait)
    let refusing = Self.delivery(standing: { $0 == Self.first ? .pending : .refused(reason: "status 400") })
    #expect(refusing.cut(events[...]) == .undeliverable(1, reason: "its visit was refused: status 400"))
  }

  @Test func whatMakesAVisitTravelsAlone() {
    let delivery = Self.delivery()
    #expect(delivery.group(of: Self.event(1, of: Self.first)) == Self.first.visit)
    #expect(delivery.group(of: Self.event(2, of: nil)) == nil)
  }

  @Test func sendsWhatWasTrackedUnderItsOwnName() throws {
    let payload = TrackedEvent.json(
      name: "proxy.request", id: "b", timeMilliseconds: 1000, properties: [JSONMember("z", 1), JSONMember("a", "é")],
      members: Self.first.eventMember(userID: nil))
    let event = QueuedEvent(sequence: 1, id: "b", timeMilliseconds: 1000, payload: payload)
    let body = try Self.body(Self.delivery().cut([event]))
    let sent = try #require((body["events"] as? [[String: Any]])?.first)
    #expect(sent["name"] as? String == "proxy.request")
    let properties = try #require(sent["properties"] as? [String: Any])
    #expect(properties["a"] as? String == "é")
    #expect(properties["z"] as? Int == 1)
    #expect(properties["occurred_at"] as? String == "1970-01-01T00:00:01.000Z")
  }

  @Test(
    arguments: [
      (200, .delivered), (302, .misconfigured(reason: "status 302: redirected")),
      (400, .split(reason: "status 400")), (404, .misconfigured(reason: "status 404")),
      (413, .split(reason: "status 413")), (503, .retry(afterMilliseconds: nil, reason: "status 503")),
    ] as [(Int, DeliveryVerdict)])
  func judgesAnswersAsTheContractDoes(status: Int, verdict: DeliveryVerdict) {
    #expect(
      Self.delivery().judge(.success(OutboundResponse(status: status)), attempt: 1, events: 3) == verdict)
  }
}
