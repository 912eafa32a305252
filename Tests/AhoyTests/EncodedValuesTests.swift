import AhoyTracker
import Effects
import Foundation
import Testing

@testable import Ahoy

@Suite struct EncodedValuesTests {
  struct Place: Encodable, Sendable {
    var streetName = "a/b"
    var at = Date(timeIntervalSince1970: 1.9)
  }

  static func properties(_ values: [String: any Encodable & Sendable]) throws -> String {
    String(decoding: try EncodedValues.properties(values), as: UTF8.self)
  }

  @Test func keepsTheKeysOfPropertiesAndConvertsThoseOfTypes() throws {
    let values: [String: any Encodable & Sendable] = [
      "camelCase": 1, "123": 456, "place": Place(), "nested": ["innerKey": true],
      "when": Date(timeIntervalSince1970: 0),
      "none": String?.none, "big": UInt64.max, "list": [1.5, 2], "url": URL(string: "https://a.com/b"),
    ]
    #expect(
      try Self.properties(values)
        == #"{"123":456,"big":18446744073709551615,"camelCase":1,"list":[1.5,2],"nested":{"innerKey":true},"none":null,"place":{"at":"1970-01-01T00:00:01Z","street_name":"a/b"},"url":"https://a.com/b","when":"1970-01-01T00:00:00Z"}"#
    )
    #expect(try Self.properties([:]) == "{}")
  }

  @Test func convertsTheNamesOfAVisitsParameters() throws {
    let fields = try EncodedValues.fields([
      "utmSource": "s", "referralURLPath": "/x", "landing_page": "https://a.com/", "nested": ["innerKey": 1],
      "at": Date(timeIntervalSince1970: 0),
    ])
    let values = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
    #expect(
      values == [
        "utm_source": "s", "referral_url_path": "/x", "landing_page": "https://a.com/", "nested": ["innerKey": 1],
        "at": "1970-01-01T00:00:00Z",
      ])
    #expect(try EncodedValues.fields([:]).isEmpty)
  }

  @Test func refusesWhatIsNoJSON() {
    #expect(throws: EncodingError.self) { try EncodedValues.properties(["x": Double.nan]) }
    #expect(throws: EncodingError.self) { try EncodedValues.fields(["x": Double.infinity]) }
  }

  /// An event is what the encoder makes of it, apart from its user.
  @Test func anEventIsWhatItEncodesTo() throws {
    let event = Event(
      id: "1", name: "n\"", properties: ["b": 1, "a": "é"], time: Date(timeIntervalSince1970: 1_700_000_000.9))
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys]
    let prepared = try event.prepared(userID: nil)
    #expect(
      String(decoding: prepared.json, as: UTF8.self) == String(decoding: try encoder.encode(event), as: UTF8.self))
    #expect(
      String(decoding: try event.prepared(userID: "7").json, as: UTF8.self)
        == #"{"id":"1","name":"n\"","properties":{"a":"é","b":1},"time":"2023-11-14T22:13:20Z","user_id":"7"}"#)
  }

  @Test(arguments: [
    Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: -1e300),
  ])
  func writesAnyTime(_ time: Date) throws {
    let json = try JSONReader().value(try Event(name: "n", time: time).prepared(userID: nil).json)
    #expect(json["time"]?.string?.hasSuffix("Z") == true)
  }
}
