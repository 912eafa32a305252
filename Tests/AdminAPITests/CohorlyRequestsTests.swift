import AdminAPI
import Effects
import Testing

@Suite struct CohorlyRequestsTests {
  private let sample = SampleContext()

  private func post(_ target: String, _ body: String) -> AdminResponse {
    sample.router().answer(.local("POST", target, body: body))
  }

  @Test(arguments: [
    ("", "bodyNotJSON"), ("[]", "bodyNotJSON"), ("{", "bodyNotJSON"), (#""user""#, "bodyNotJSON"),
    ("{}", "missingParameter"), (#"{"distinctId": ""}"#, "missingParameter"),
    (#"{"distinctId": null}"#, "missingParameter"), (#"{"distinctId": 1.5}"#, "missingParameter"),
    (#"{"distinctId": ["a"]}"#, "missingParameter"), (#"{"distinctId": "a\u0000b"}"#, "missingParameter"),
    (#"{"distinctId": "a\nb"}"#, "missingParameter"), (#"{"distinctID": "a"}"#, "unknownMember"),
    (#"{"distinctId": "a", "alias": "b"}"#, "unknownMember"),
    (#"{"distinctId": "a", "distinctId": "b"}"#, "bodyNotJSON"),
  ])
  func whatIsNoIDIsRefused(body: String, code: String) {
    let answer = post("/identify", body)
    #expect(answer.status == 400)
    #expect(answer.errorCode == code)
    #expect(sample.orders.identified.isEmpty)
  }

  @Test func anIDIsShort() {
    func id(_ count: Int) -> String { #"{"distinctId": "\#(String(repeating: "n", count: count))"}"# }
    #expect(post("/identify", id(255)).status == 200)
    #expect(post("/identify", id(256)).status == 400)
  }

  @Test(arguments: [
    ("", "bodyNotJSON"), ("[]", "bodyNotJSON"), ("{}", "missingParameter"), (#"{"set": {}}"#, "invalidParameter"),
    (#"{"set": []}"#, "invalidParameter"), (#"{"set": null}"#, "invalidParameter"),
    (#"{"set": {"": 1}}"#, "invalidParameter"),
    (#"{"set": {"a\u0001": 1}}"#, "invalidParameter"), (#"{"setOnce": "a"}"#, "invalidParameter"),
    (#"{"increment": {"a": "1"}}"#, "invalidParameter"), (#"{"increment": {"a": true}}"#, "invalidParameter"),
    (#"{"increment": {"a": null}}"#, "invalidParameter"), (#"{"increment": {"a": 1e999}}"#, "bodyNotJSON"),
    (#"{"unset": []}"#, "invalidParameter"), (#"{"unset": [""]}"#, "invalidParameter"),
    (#"{"unset": ["a", 1]}"#, "invalidParameter"), (#"{"unset": "a"}"#, "invalidParameter"),
    (#"{"delete": false}"#, "invalidParameter"), (#"{"delete": 1}"#, "invalidParameter"),
    (#"{"delete": true, "set": {"a": 1}}"#, "invalidParameter"), (#"{"$set": {"a": 1}}"#, "unknownMember"),
    (#"{"set": {"a": 1}, "distinctId": "x"}"#, "unknownMember"), (#"{"set": {"a": 1}, "add": {}}"#, "unknownMember"),
  ])
  func whatIsNoChangeIsRefused(body: String, code: String) {
    let answer = post("/people", body)
    #expect(answer.status == 400)
    #expect(answer.errorCode == code)
    #expect(sample.orders.changes.isEmpty)
  }

  @Test func changesAreMadeInOneOrder() throws {
    let body = #"{"unset": ["d"], "increment": {"c": -1.5, "e": 2}, "setOnce": {"b": null}, "set": {"a": {"x": []}}}"#
    #expect(try post("/people", body).json() == ["queued": 4])
    #expect(
      sample.orders.changes == [
        [
          .set([JSONMember("a", ["x": []])]), .setOnce([JSONMember("b", nil)]),
          .increment([JSONMember("c", -1.5), JSONMember("e", 2)]), .unset(["d"]),
        ]
      ])
    #expect(try post("/people", #"{"delete": true}"#).json() == ["queued": 1])
    #expect(sample.orders.changes.last == [.delete])
  }

  @Test func changesAreBounded() {
    func many(_ count: Int) -> String {
      #"{"unset": ["# + (0..<count).map { "\"\($0)\"" }.joined(separator: ",") + "]}"
    }
    #expect(post("/people", many(1000)).status == 202)
    #expect(post("/people", many(1001)).status == 400)
    func long(_ count: Int) -> String { #"{"set": {"\#(String(repeating: "n", count: count))": 1}}"# }
    #expect(post("/people", long(255)).status == 202)
    #expect(post("/people", long(256)).status == 400)
    let deep = #"{"set": {"a": "# + String(repeating: "[", count: 20) + String(repeating: "]", count: 20) + "}}"
    #expect(post("/people", deep).errorCode == "bodyNotJSON")
    let large = #"{"set": {"a": "\#(String(repeating: "x", count: AdminRouter.bodyLimit))"}}"#
    #expect((400..<500).contains(post("/people", large).status))
  }
}
