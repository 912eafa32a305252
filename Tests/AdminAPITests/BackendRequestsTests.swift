import AdminAPI
import Effects
import Testing

@Suite struct BackendRequestsTests {
  private let sample = SampleContext()

  private func post(_ target: String, _ body: String) -> AdminResponse {
    sample.router().answer(.local("POST", target, body: body))
  }

  @Test(arguments: [
    (#"{"param": {}}"#, "unknownMember"), (#"{"params": []}"#, "invalidParameter"),
    (#"{"params": {"utmSource": "x"}}"#, "invalidParameter"),
    (#"{"params": {"visit_token": "x"}}"#, "invalidParameter"),
    (#"{"params": {"name": "x"}}"#, "invalidParameter"), (#"{"params": {"user_id": "x"}}"#, "invalidParameter"),
    (#"{"params": {"a": []}}"#, "invalidParameter"), (#"{"params": {"a": null}}"#, "invalidParameter"),
    (#"{"params": {"": "x"}}"#, "invalidParameter"), ("[]", "bodyNotJSON"), ("{", "bodyNotJSON"),
  ])
  func parametersThatMeanSomethingElseAreRefused(body: String, code: String) {
    let answer = post("/visit", body)
    #expect(answer.status == 400)
    #expect(answer.errorCode == code)
    #expect(sample.orders.visits.isEmpty)
  }

  @Test(arguments: [
    ("{}", "missingParameter"), (#"{"name": ""}"#, "missingParameter"), (#"{"name": 1}"#, "missingParameter"),
    (#"{"name": "a\u0000"}"#, "missingParameter"), (#"{"name": "a", "properties": []}"#, "invalidParameter"),
    (#"{"name": "a", "time": 1}"#, "unknownMember"), ("", "bodyNotJSON"),
  ])
  func whatIsNoEventIsRefused(body: String, code: String) {
    #expect(post("/track", body).errorCode == code)
    #expect(sample.orders.events.isEmpty)
  }

  @Test func aNameIsAtMostAsLongAsTheColumn() {
    func name(_ count: Int) -> String { #"{"name": "\#(String(repeating: "n", count: count))"}"# }
    #expect(post("/track", name(255)).status == 202)
    #expect(post("/track", name(256)).status == 400)
  }

  @Test func parametersAreFewAndShort() {
    func many(_ count: Int) -> String {
      "{\"params\": {" + (0..<count).map { #""p\#($0)": 1"# }.joined(separator: ", ") + "}}"
    }
    #expect(post("/visit", many(32)).status == 200)
    #expect(post("/visit", many(33)).status == 400)
    func long(_ count: Int) -> String { #"{"params": {"a": "\#(String(repeating: "x", count: count))"}}"# }
    #expect(post("/visit", long(1024)).status == 200)
    #expect(post("/visit", long(1025)).status == 400)
  }
}
