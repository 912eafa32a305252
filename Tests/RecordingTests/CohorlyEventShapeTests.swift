import CohorlyTracker
import Effects
import Foundation
import ProxyCore
import Testing

@testable import Recording

@Suite struct CohorlyEventShapeTests {
  private static let identity = CohorlyIdentity(anonymous: "11111111-1111-4111-8111-111111111111")
  private static let known = identity.identified(as: "user-1")?.identity

  private let shape = CohorlyEventShape(
    name: "egress", properties: ["method", "url", "status", "unknown"],
    automatic: [JSONMember("$lib", "footfall")], superProperties: [JSONMember("env", "ci"), JSONMember("url", "super")])

  private func event(_ json: [UInt8], _ members: [UInt8]) -> QueuedEvent {
    QueuedEvent(
      sequence: 1, id: "id-1", timeMilliseconds: 1_795_937_155_123, payload: json.dropLast() + members + [0x7D])
  }

  private func properties(_ reading: CohorlyReading) throws -> (event: String, properties: [String: Any]) {
    guard case .record(let record) = reading else { throw CocoaError(.coderReadCorrupt) }
    #expect(record.path == .track)
    let object = try JSONSerialization.jsonObject(with: Data(record.json(token: nil))) as? [String: Any]
    return (
      try #require(object?["event"] as? String), try #require(object?["properties"] as? [String: Any])
    )
  }

  @Test func makesAnEventOfAnExchangeWithWhatFlagsDecided() throws {
    let json = ExchangeEvent(id: "id-1", record: fullRecord()).json
    let flags = Array(#","flags":{"copy":"blue","new":false}"#.utf8)
    let (name, sent) = try properties(
      shape.read(event(json, flags + CohorlyEventShape.eventMember(try #require(Self.known)))))
    #expect(name == "egress")
    #expect(sent["$insert_id"] as? String == "id-1")
    #expect(sent["time"] as? Int == 1_795_937_155_123)
    #expect(sent["distinct_id"] as? String == "user-1" && sent["$user_id"] as? String == "user-1")
    #expect(sent["$device_id"] as? String == Self.identity.deviceID)
    #expect(sent["$lib"] as? String == "footfall" && sent["env"] as? String == "ci")
    #expect(sent["method"] as? String == "GET" && sent["status"] as? Int == 200)
    // What is said of this event counts, not what is said of all.
    #expect(sent["url"] as? String == fullRecord().url)
    #expect(sent["$feature/copy"] as? String == "blue" && sent["$feature/new"] as? Bool == false)
    #expect(sent["durationMs"] == nil && sent["unknown"] == nil)
  }

  @Test func sendsWhatWasTrackedUnderItsOwnName() throws {
    let payload = TrackedEvent.json(
      name: "proxy.request", id: "id-1", timeMilliseconds: 5,
      properties: [JSONMember("a", "é"), JSONMember("n", .null)],
      members: CohorlyEventShape.eventMember(Self.identity))
    let (name, sent) = try properties(
      shape.read(QueuedEvent(sequence: 1, id: "id-1", timeMilliseconds: 5, payload: payload)))
    #expect(name == "proxy.request" && sent["a"] as? String == "é" && sent["n"] is NSNull)
    #expect(sent["$user_id"] == nil && sent["distinct_id"] as? String == Self.identity.distinctID)
  }

  @Test func readsStoredRecords() {
    let record = CohorlyAlias(alias: "a", distinctID: "b").record
    let event = QueuedEvent(
      sequence: 1, id: "x", timeMilliseconds: 5, payload: record.stored(id: "x", timeMilliseconds: 5))
    #expect(shape.read(event) == .record(record))
  }

  @Test func passesOverWhatIsForOthersAndNamesWhatIsUnreadable() {
    let json = ExchangeEvent(id: "id-1", record: fullRecord()).json
    #expect(shape.read(event(json, Array(#","ahoy":{}"#.utf8))) == .other)
    #expect(shape.read(event(json, Array(#","cohorly":{}"#.utf8))) == .unreadable(reason: "without identity or name"))
    #expect(shape.read(event(json, Array(#","cohorly":7"#.utf8))) == .unreadable(reason: "without identity or name"))
    let broken = Array(#","flags":{"a":tru}"#.utf8) + CohorlyEventShape.eventMember(Self.identity)
    #expect(shape.read(event(json, broken)) == .unreadable(reason: "its properties are no JSON"))
    let none = QueuedEvent(sequence: 1, id: "x", timeMilliseconds: 0, payload: Array("[]".utf8))
    #expect(shape.read(none) == .unreadable(reason: "not a JSON object"))
  }
}
