import CohorlyTracker
import Effects
import Testing

@Suite struct CohorlyRecordTests {
  static let event = CohorlyRecord(
    path: .track,
    body: [JSONMember("event", "a"), JSONMember("properties", ["distinct_id": "u", "x": [1, nil, 2.5]])])
  static let operation = PeopleOperation.set([JSONMember("name", "Ada")]).record(distinctID: "user-1")

  static func text(_ record: CohorlyRecord, token: String? = nil) -> String {
    String(decoding: record.json(token: token), as: UTF8.self)
  }

  @Test func row20_carriesTheTokenOrNoKeyAtAll() {
    #expect(
      Self.text(Self.event, token: "tok-1")
        == #"{"event":"a","properties":{"distinct_id":"u","x":[1,null,2.5],"token":"tok-1"}}"#)
    #expect(Self.text(Self.event) == #"{"event":"a","properties":{"distinct_id":"u","x":[1,null,2.5]}}"#)
    #expect(
      Self.text(Self.operation, token: "tok-1")
        == #"{"distinct_id":"user-1","$set":{"name":"Ada"},"token":"tok-1"}"#)
    #expect(Self.text(Self.operation) == #"{"distinct_id":"user-1","$set":{"name":"Ada"}}"#)
  }

  @Test func row11_carriesTheTokenOfAnAlias() {
    let alias = CohorlyAlias(alias: "anon", distinctID: "u").record
    #expect(Self.text(alias, token: "tok-1") == #"{"alias":"anon","distinct_id":"u","token":"tok-1"}"#)
  }

  @Test func carriesOneTokenOnly() {
    let record = CohorlyRecord(
      path: .track, body: [JSONMember("event", "a"), JSONMember("properties", ["token": "other"])])
    #expect(Self.text(record, token: "tok") == #"{"event":"a","properties":{"token":"tok"}}"#)
  }

  @Test(arguments: [event, operation, CohorlyAlias(alias: "a\n\"", distinctID: "ü").record])
  func comesBackFromTheQueueAsItWas(record: CohorlyRecord) throws {
    let stored = record.stored(id: "id-1", timeMilliseconds: 1_700_000_000_123)
    let value = try JSONReader().value(stored)
    #expect(try CohorlyRecord(stored: value) == record)
    #expect(value["id"] == "id-1")
    #expect(value["kind"] == "cohorly")
    #expect(value["time"] == "2023-11-14T22:13:20.123Z")
    #expect(value["event"]?.string == record.title)
    #expect(!stored.contains(UInt8(ascii: "\n")))
  }

  @Test func isNothingOfAnotherKind() throws {
    #expect(try CohorlyRecord(stored: ["event": "proxy.request"]) == nil)
    #expect(try CohorlyRecord(stored: ["event": "a", "kind": "track"]) == nil)
    #expect(try CohorlyRecord(stored: []) == nil)
  }

  @Test(
    arguments: [
      ["kind": "cohorly"], ["kind": "cohorly", "record": [:]], ["kind": "cohorly", "record": ["path": "track"]],
      ["kind": "cohorly", "record": ["path": "elsewhere", "body": ["a": 1]]],
      ["kind": "cohorly", "record": ["path": "track", "body": [:]]],
      ["kind": "cohorly", "record": ["path": "track", "body": []]],
    ] as [JSONValue])
  func saysWhatIsWrongWithARecord(value: JSONValue) {
    #expect(throws: CohorlyRecord.Unreadable.self) { try CohorlyRecord(stored: value) }
  }

  @Test func namesWhatItIs() {
    #expect([Self.event, Self.operation].map(\.title) == ["a", "$engage"])
    #expect(CohorlyRecord(path: .track, body: [JSONMember("event", 1)]).title == "$track")
  }
}
