import AhoyTracker
import Effects
import Testing

@Suite struct PreparedEventTests {
  @Test func writesKeysInOrderAndTheIDWhenThereIsOne() {
    let event = PreparedEvent(
      id: "01", name: "a \"b\"", properties: [JSONMember("item_id", 123), JSONMember("deep", ["x": nil])],
      timeMilliseconds: 1_700_000_000_517, userID: "12345")
    #expect(
      VisitVectors.text(event.json)
        == #"{"id":"01","name":"a \"b\"","properties":{"item_id":123,"deep":{"x":null}},"time":"2023-11-14T22:13:20.517Z","user_id":"12345"}"#
    )
  }

  @Test func keepsTheTextOfProperties() {
    let event = PreparedEvent(
      id: nil, name: "", propertiesJSON: Array(#"{"n":18446744073709551615}"#.utf8), time: "1970-01-01T00:00:00Z")
    #expect(
      VisitVectors.text(event.json)
        == #"{"name":"","properties":{"n":18446744073709551615},"time":"1970-01-01T00:00:00Z"}"#)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (999, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
      (1_700_000_000_999, "2023-11-14T22:13:20Z"),
    ] as [(Int64, String)])
  func cutsTheTimeSoThatItIsNeverInTheFuture(_ milliseconds: Int64, _ text: String) {
    #expect(PreparedEvent.time(wholeSecondsOf: milliseconds) == text)
  }
}
