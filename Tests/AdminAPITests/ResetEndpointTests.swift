import AdminAPI
import Effects
import Testing

@Suite struct ResetEndpointTests {
  private func reset(_ body: String, _ sample: SampleContext, target: String = "/reset") -> AdminResponse {
    sample.router().answer(.local("POST", target, body: body))
  }

  @Test func theIdentityOfCohorlyIsResetAndTheLossTold() throws {
    let sample = SampleContext()
    let answer = try reset(#"{"what": ["cohorly"]}"#, sample).json()
    #expect(
      answer["reset"] == [
        ["what": "cohorly", "outcome": "renewed", "id": "1f0c9f5e…", "reason": nil, "discarded": 12]
      ])
    #expect(sample.orders.identityResets == [false])
    #expect(sample.orders.resets.isEmpty)
    let full = try reset(#"{"what": ["cohorly"], "flush": true}"#, sample, target: "/reset?ids=full").json()
    #expect(full["reset"]?.array?.first?["id"]?.string == SampleContext.visitorID)
    #expect(full["reset"]?.array?.first?["discarded"] == 0)
    #expect(sample.orders.identityResets == [false, true])
    #expect(try reset(#"{"what": ["cohorly"], "flush": false}"#, sample).json()["reset"] != nil)
  }

  @Test func resultsComeInTheOrderAskedFor() throws {
    let sample = SampleContext()
    let answer = try reset(#"{"what": ["visit", "cohorly", "visitorID"]}"#, sample).json()
    #expect(answer["reset"]?.array?.compactMap { $0["what"]?.string } == ["visit", "cohorly", "visitorID"])
    #expect(answer["reset"]?.array?.first?["discarded"] == JSONValue.null)
    #expect(sample.orders.resets == [[.visit, .visitorID]])
    #expect(sample.orders.identityResets == [false])
  }

  @Test func withoutTheSectionNothingIsReset() {
    let sample = SampleContext(hasCohorly: false)
    let answer = reset(#"{"what": ["visitorID", "cohorly"]}"#, sample)
    #expect(answer.status == 409)
    #expect(answer.errorCode == "cohorlyNotConfigured")
    #expect(sample.orders == SampleContext.Orders())
    #expect(reset(#"{"what": ["visitorID"]}"#, sample).status == 200)
  }

  @Test(arguments: [
    (OrderRefusal.backend(reason: "status 503"), 502, "backendFailed"), (.stopping, 409, "draining"),
    (.store(reason: "full"), 500, "resetFailed"),
  ])
  func whenTheIdentityStaysEverythingElseDoes(refusal: OrderRefusal, status: Int, code: String) throws {
    let sample = SampleContext(refusal: refusal)
    let answer = reset(#"{"what": ["visitorID", "cohorly"], "flush": true}"#, sample)
    #expect(answer.status == status)
    #expect(answer.errorCode == code)
    #expect(sample.orders.resets.isEmpty)
    let schema = try #require(OpenAPIDocument.json(version: "1")["components"]?["schemas"]?["Error"])
    #expect(SchemaCheck.problems(of: try answer.json(), against: schema, at: "").isEmpty)
    let error = try #require(try answer.json()["error"])
    if code == "resetFailed" {
      #expect(error["reset"]?.array?.map { $0["outcome"]?.string } == ["failed"])
    } else {
      #expect(error["reset"] == nil)
    }
  }

  @Test func tellsWhatWasResetAllTheSameWhenTheStoreFailsInBetween() throws {
    let sample = SampleContext(resetOutcome: .failed(reason: "full"))
    let answer = reset(#"{"what": ["cohorly", "visitorID"]}"#, sample)
    #expect(answer.errorCode == "resetFailed")
    #expect(sample.orders.identityResets == [false])
    let results = try answer.json()["error"]?["reset"]?.array
    #expect(results?.map { $0["outcome"]?.string } == ["renewed", "failed"])
  }
}
