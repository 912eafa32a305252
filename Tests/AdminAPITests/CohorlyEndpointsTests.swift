import AdminAPI
import Effects
import Testing

@Suite struct CohorlyEndpointsTests {
  private let sample = SampleContext()

  private func post(_ target: String, _ body: String?) -> AdminResponse {
    sample.router().answer(.local("POST", target, body: body))
  }

  static let operations: [(String, String, String?)] = [
    ("POST", "/identify", #"{"distinctId": "user-42"}"#), ("POST", "/people", #"{"set": {"a": 1}}"#),
    ("GET", "/flags", nil), ("POST", "/flags/reload", nil),
  ]

  @Test(arguments: operations)
  func withoutTheSectionAllAreRefused(method: String, path: String, body: String?) throws {
    let answer = SampleContext(hasCohorly: false).router().answer(.local(method, path, body: body))
    #expect(answer.status == 409)
    #expect(answer.errorCode == "cohorlyNotConfigured")
    #expect(try answer.json()["error"]?["hint"]?.string?.contains("\"cohorly\"") == true)
  }

  @Test(arguments: operations)
  func foreignPagesAndNamesAreRefused(method: String, path: String, body: String?) {
    for field in [
      AdminRequest.Field("origin", "http://evil.example"), AdminRequest.Field("sec-fetch-site", "cross-site"),
    ] {
      #expect(sample.router().answer(.local(method, path, body: body, fields: [field])).status == 403)
    }
    let foreign = AdminRequest(
      method: method, target: path,
      fields: [.init("host", "evil.example"), .init("content-type", "application/json")], body: Array((body ?? "").utf8)
    )
    #expect(sample.router().answer(foreign).status == 403)
    let form = AdminRequest.Field("content-type", "text/plain")
    if method == "POST" {
      #expect(sample.router().answer(.local(method, path, body: body, fields: [form])).status == 415)
    }
    #expect(sample.router(token: "secret").answer(.local(method, path, body: body)).status == 401)
    #expect(sample.orders == SampleContext.Orders())
  }

  @Test(arguments: [("GET", "/identify"), ("GET", "/people"), ("GET", "/flags/reload"), ("POST", "/flags")])
  func whatChangesSomethingIsAPost(method: String, path: String) {
    #expect(sample.router().answer(.local(method, path, body: method == "POST" ? "{}" : nil)).status == 405)
    #expect(sample.orders == SampleContext.Orders())
  }

  @Test func somebodyIsIdentified() throws {
    let masked = try post("/identify", #"{"distinctId": "user-4711-of-north"}"#).json()
    #expect(
      masked == ["distinctID": "user-471…", "deviceID": "1f0c9f5e…", "anonymous": false, "changed": true])
    let full = try post("/identify?ids=full", #"{"distinctId": 4711}"#).json()
    #expect(full["distinctID"] == "4711")
    #expect(full["deviceID"]?.string == SampleContext.visitorID)
    #expect(try post("/identify", #"{"distinctId": "same"}"#).json()["changed"] == false)
    #expect(sample.orders.identified == ["user-4711-of-north", "4711", "same"])
  }

  @Test func changesOfAProfileAreQueued() throws {
    let answer = post("/people", #"{"unset": ["trial"], "set": {"plan": "pro", "seats": [1, 2]}}"#)
    #expect(answer.status == 202)
    #expect(try answer.json() == ["queued": 2])
    #expect(
      sample.orders.changes == [
        [.set([JSONMember("plan", "pro"), JSONMember("seats", [1, 2])]), .unset(["trial"])]
      ])
  }

  @Test func flagsAreShownWithTheRulesThatAskThem() throws {
    let answer = try sample.router().answer(.local("GET", "/flags")).json()
    #expect(answer["policy"] == "networkFirst")
    #expect(answer["distinctID"] == "user-471…")
    #expect(answer["loaded"] == true)
    #expect(answer["lastError"] == "status 429")
    let flags = try #require(answer["flags"]?.array)
    #expect(
      flags.first == [
        "key": "banner", "value": "blue", "enabled": true, "variant": "blue", "payload": ["color": "#00f"],
        "source": "persistence", "persistedAt": "2026-11-30T07:05:23.120Z", "ttlMs": 86_400_000,
      ])
    #expect(flags[1]["payload"] == JSONValue.null)
    #expect(flags[1]["persistedAt"] == JSONValue.null)
    let gates = try #require(answer["gates"]?.array)
    #expect(
      gates.last == [
        "rule": "web", "flag": "nope", "is": "blue", "fallback": "red", "value": "red", "source": "fallback",
        "applies": false,
      ])
    let full = try sample.router().answer(.local("GET", "/flags?ids=full")).json()
    #expect(full["distinctID"] == "user-4711-of-north")
    #expect(sample.router().answer(.local("HEAD", "/flags")).status == 200)
    #expect(sample.orders.flagReads == 3)
    #expect(sample.orders.flagReloads == 0)
  }

  @Test func flagsAreEvaluatedOnlyWhenToldTo() throws {
    #expect(try post("/flags/reload", nil).json()["loaded"] == true)
    #expect(post("/flags/reload", "{}").status == 200)
    #expect(sample.orders.flagReloads == 2)
    #expect(post("/flags/reload", #"{"force": true}"#).errorCode == "unknownMember")
    #expect(post("/flags/reload?ids=some", nil).errorCode == "invalidParameter")
    #expect(sample.orders.flagReloads == 2)
  }

  @Test func anEvaluationThatFailedIsTold() throws {
    let failing = SampleContext(refusal: .backend(reason: "status 429"))
    let answer = failing.router().answer(.local("POST", "/flags/reload"))
    #expect(answer.status == 502)
    #expect(try answer.json()["error"]?["message"]?.string?.contains("status 429") == true)
  }
}
