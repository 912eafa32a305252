import AdminAPI
import Effects
import Testing

/// What each operation takes, does and answers.
@Suite struct AdminEndpointsTests {
  private let sample = SampleContext()

  @Test func masksTheVisitorIDUnlessAskedForAllOfIt() throws {
    let masked = sample.router().answer(.local("GET", "/status"))
    #expect(try masked.json()["visitorID"]?["id"]?.string == "1f0c9f5e…")
    #expect(!String(decoding: masked.body, as: UTF8.self).contains(SampleContext.visitorID))
    let full = sample.router().answer(.local("GET", "/status?ids=full"))
    #expect(try full.json()["visitorID"]?["id"]?.string == SampleContext.visitorID)
    #expect(sample.router().answer(.local("GET", "/status?ids=all")).errorCode == "invalidParameter")
  }

  @Test func healthFollowsTheChecks() throws {
    #expect(sample.router().answer(.local("GET", "/readyz")).status == 200)
    let draining = SampleContext(readiness: [
      HealthCheck("listeners", passes: true), HealthCheck("accepting", passes: false, detail: "draining"),
    ]).router()
    for path in ["/readyz", "/healthz"] {
      let answer = draining.answer(.local("GET", path))
      #expect(answer.status == 503)
      #expect(try answer.json()["checks"]?.array?.count == 1)
      let verbose = try draining.answer(.local("GET", path + "?verbose")).json()
      #expect(verbose["checks"]?.array?.compactMap { $0["passes"]?.bool } == [true, false])
    }
    #expect(draining.answer(.local("GET", "/livez")).status == 200)
  }

  @Test func resetsOncePerName() throws {
    let answer = sample.router().answer(.local("POST", "/reset", body: #"{"what":["visitorID","visitorID"]}"#))
    #expect(answer.status == 200)
    #expect(sample.orders.resets == [[.visitorID]])
    let result = try #require(try answer.json()["reset"]?.array?.first)
    #expect(result["outcome"] == "renewed")
    #expect(result["id"] == "1f0c9f5e…")
    let full = sample.router().answer(.local("POST", "/reset?ids=full", body: #"{"what":["visitorID"]}"#))
    #expect(try full.json()["reset"]?.array?.first?["id"]?.string == SampleContext.visitorID)
  }

  @Test func tellsThatNothingButTheRecordWasCleared() throws {
    let router = SampleContext(resetOutcome: .cleared).router()
    let result = try router.answer(.local("POST", "/reset", body: #"{"what":["visitorID"]}"#)).json()
    #expect(result["reset"]?.array?.first?["outcome"] == "cleared")
    #expect(result["reset"]?.array?.first?["id"] == .null)
  }

  @Test func aFailedResetIsAnError() throws {
    let router = SampleContext(resetOutcome: .failed(reason: "full: no space")).router()
    let answer = router.answer(.local("POST", "/reset", body: #"{"what":["visitorID"]}"#))
    #expect(answer.status == 500)
    #expect(answer.errorCode == "resetFailed")
    #expect(try answer.json()["error"]?["message"]?.string?.contains("no space") == true)
  }

  @Test(arguments: [
    ("", "The body is empty."),
    ("what=1", "The body is no JSON: line 1, column 1: 'what' is not a value; put text in double quotes."),
    ("{", "The body is no JSON: line 1, column 2: the body ends, but the '{' of line 1, column 1 is not closed."),
  ])
  func saysWhatIsWrongWithABody(body: String, message: String) throws {
    let error = try sample.router().answer(.local("POST", "/reset", body: body)).json()["error"]
    #expect(error?["message"]?.string == message)
    #expect(error?["hint"]?.string == #"Send {"what": ["visitorID"]}."#)
  }

  @Test func namesTheMethodThatIsNotAllowed() throws {
    let error = try sample.router().answer(.local("DELETE", "/status")).json()["error"]
    #expect(error?["message"] == "DELETE is not allowed here.")
    #expect(error?["hint"] == "Allowed: GET, HEAD.")
  }

  @Test(arguments: [
    ("", "bodyNotJSON"), ("what=visitorID", "bodyNotJSON"), ("[\"visitorID\"]", "bodyNotJSON"),
    ("{\"what\":[\"visitorID\"],}", "bodyNotJSON"), ("{}", "missingParameter"), (#"{"what":[]}"#, "missingParameter"),
    (#"{"what":"visitorID"}"#, "missingParameter"), (#"{"what":[1]}"#, "unknownTarget"),
    (#"{"what":["visitorid"]}"#, "unknownTarget"), (#"{"what":["visitorID","all"]}"#, "unknownTarget"),
    (#"{"what":["Cohorly"]}"#, "unknownTarget"), (#"{"what":["visitorID","rum"]}"#, "unknownTarget"),
    (#"{"what":["visitorID"],"flush":true}"#, "invalidParameter"),
    (#"{"what":["cohorly"],"flush":1}"#, "invalidParameter"),
    (#"{"what":["visitorID"],"force":true}"#, "unknownMember"),
    (#"{"what":["visitorID"],"what":["visitorID"]}"#, "bodyNotJSON"),
  ])
  func refusesAResetThatIsNotUnderstoodInFull(body: String, code: String) throws {
    let answer = sample.router().answer(.local("POST", "/reset", body: body))
    #expect(answer.status == 400)
    #expect(answer.errorCode == code)
    #expect(sample.orders == .init())
    if code.hasPrefix("un"), code != "unknownMember" {
      #expect(try answer.json()["error"]?["hint"]?.string?.contains("visitorID") == true)
    }
  }

  @Test func reloadsAndTellsWhatCameOfIt() throws {
    for body in ["", "{}"] {
      let answer = sample.router().answer(.local("POST", "/reload", body: body))
      #expect(
        try answer.json() == [
          "reloaded": true, "path": "/etc/footfall/config.json", "hash": "c0ffee", "warnings": ["a warning"],
        ])
    }
    #expect(sample.orders.reloads == 2)
    #expect(sample.router().answer(.local("POST", "/reload", body: #"{"force":true}"#)).errorCode == "unknownMember")
    let refused = SampleContext(reloadOutcome: .refused(issues: ["line 1"])).router().answer(.local("POST", "/reload"))
    #expect(refused.status == 422)
    #expect(try refused.json()["error"]?["issues"] == ["line 1"])
    #expect(SampleContext(reloadOutcome: .draining).router().answer(.local("POST", "/reload")).status == 409)
  }

  @Test func testsTheDecodedURL() throws {
    let answer = sample.router().answer(.local("GET", "/rules/test?url=http%3A%2F%2Fh%2F%3Fa%26b"))
    #expect(sample.orders.testedURLs == ["http://h/?a&b"])
    #expect(try answer.json()["matches"] == true)
    #expect(sample.router().answer(.local("GET", "/rules/test?url=")).errorCode == "missingParameter")
    #expect(sample.router().answer(.local("GET", "/rules/test?url=%f")).errorCode == "malformedQuery")
  }
}
