import CohorlyTracker
import Effects
import Testing

@Suite struct PeopleOperationTests {
  @Test(
    arguments: [
      (.set([JSONMember("name", "Ada")]), ["distinct_id": "user-1", "$set": ["name": "Ada"]]),
      (.setOnce([JSONMember("first", true)]), ["distinct_id": "user-1", "$set_once": ["first": true]]),
      (
        .increment([JSONMember("logins", 1), JSONMember("credits", -5), JSONMember("share", 0.5)]),
        ["distinct_id": "user-1", "$add": ["logins": 1, "credits": -5, "share": 0.5]]
      ),
      (.unset(["a", "b"]), ["distinct_id": "user-1", "$unset": ["a", "b"]]),
      (.unset(["plan"]), ["distinct_id": "user-1", "$unset": ["plan"]]),
      (.delete, ["distinct_id": "user-1", "$delete": true]),
    ] as [(PeopleOperation, JSONValue)])
  func rows52To55_sayWhatTheServerExpects(operation: PeopleOperation, body: JSONValue) {
    let record = operation.record(distinctID: "user-1")
    #expect(record.path == .engage)
    #expect(.object(record.body) == body)
    #expect(!operation.isEmpty)
  }

  @Test func addsNumbersOnly() {
    let operation = PeopleOperation.increment([JSONMember("a", "1"), JSONMember("b", 2), JSONMember("c", nil)])
    #expect(operation.record(distinctID: "u").body.last == JSONMember("$add", ["b": 2]))
  }

  @Test(arguments: [.set([]), .setOnce([]), .increment([JSONMember("a", "1")]), .unset([])] as [PeopleOperation])
  func saysNothing(operation: PeopleOperation) { #expect(operation.isEmpty) }
}
