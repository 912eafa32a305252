import AdminAPI
import Effects
import Testing

@Suite struct AdminRouterTests {
  private let sample = SampleContext()

  @Test func everyAnswerForbidsStoringAndSniffing() {
    for target in ["/status", "/metrics", "/nothing", "/livez", "/rules/test"] {
      let answer = sample.router().answer(.local("GET", target))
      #expect(answer.value(of: "cache-control") == "no-store", "\(target)")
      #expect(answer.value(of: "x-content-type-options") == "nosniff", "\(target)")
      #expect(answer.value(of: "access-control-allow-origin") == nil, "\(target)")
      let type = target == "/metrics" ? "text/plain; version=0.0.4; charset=utf-8" : "application/json"
      #expect(answer.value(of: "content-type") == type, "\(target)")
    }
  }

  @Test func everyErrorHasCodeMessageAndHint() throws {
    let refused = [
      AdminRequest.local("GET", "/nothing"), .local("GET", "/rules/test"), .local("DELETE", "/status"),
      .local("GET", "/status", fields: [.init("origin", "null")]), .local("POST", "/reset", body: "["),
    ]
    for request in refused {
      let error = try #require(try sample.router().answer(request).json()["error"])
      #expect(error["code"]?.string?.isEmpty == false)
      #expect(error["message"]?.string?.isEmpty == false)
      #expect(error["hint"]?.string?.isEmpty == false)
    }
  }

  @Test func listsTheEndpointsUnderAnUnknownPath() throws {
    let answer = sample.router().answer(.local("GET", "/nothing"))
    #expect(answer.status == 404)
    let listed = try #require(try answer.json()["error"]?["endpoints"]?.array)
    #expect(listed.compactMap { $0["path"]?.string } == AdminEndpoint.all.map(\.path))
  }

  @Test(arguments: ["/reset", "/reload"])
  func getHasNoEffects(path: String) {
    for method in ["GET", "HEAD", "PUT", "OPTIONS", "DELETE", "post"] {
      let answer = sample.router().answer(.local(method, path, body: #"{"what":["visitorID"]}"#))
      #expect(answer.status == 405, "\(method)")
      #expect(answer.value(of: "allow") == "POST", "\(method)")
    }
    #expect(sample.orders == .init())
  }

  @Test(arguments: AdminEndpoint.all.filter { $0.method == .get }.map(\.path))
  func takesHeadForGetAndRefusesPost(path: String) {
    let target = path == "/rules/test" ? path + "?url=x" : path
    #expect(sample.router().answer(.local("HEAD", target)).status == 200)
    let answer = sample.router().answer(.local("POST", target))
    #expect(answer.status == 405)
    #expect(answer.value(of: "allow") == "GET, HEAD")
  }

  @Test(
    arguments: [
      nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", "",
    ] as [String?])
  func postNeedsJSONContentType(type: String?) {
    var request = AdminRequest.local("POST", "/reset", body: #"{"what":["visitorID"]}"#)
    request.fields = [.init("host", "127.0.0.1:8081")] + (type.map { [.init("content-type", $0)] } ?? [])
    let answer = sample.router().answer(request)
    #expect(answer.status == 415)
    #expect(sample.orders == .init())
  }

  @Test(arguments: ["application/json", "Application/JSON; charset=utf-8", "application/json ;a=b"])
  func takesJSONContentTypeWithParameters(type: String) {
    let request = AdminRequest.local(
      "POST", "/reset", body: #"{"what":["visitorID"]}"#, fields: [.init("content-type", type)])
    #expect(sample.router().answer(request).status == 200)
  }

  @Test func refusesALargeBody() {
    let body = #"{"what":["visitorID"]"# + String(repeating: " ", count: 64 << 10) + "}"
    let answer = sample.router().answer(.local("POST", "/reset", body: body))
    #expect(answer.status == 413)
    #expect(sample.orders == .init())
  }

  @Test func guardsComeBeforeRoutesAndBodies() {
    let router = sample.router(token: "secret")
    #expect(router.answer(.local("GET", "/nothing")).status == 401)
    #expect(router.answer(.local("POST", "/reset")).value(of: "www-authenticate")?.hasPrefix("Bearer") == true)
    let foreign = AdminRequest(method: "POST", target: "/reset", fields: [.init("host", "evil.example")])
    #expect(router.answer(foreign).status == 403)
    #expect(sample.orders == .init())
  }

  @Test func admitsAHeadWhoseBodyIsStillToCome() {
    #expect(throws: Never.self) { try sample.router().admit(.local("POST", "/reset")) }
    #expect(throws: AdminError.self) { try sample.router().admit(.local("POST", "/nothing")) }
    #expect(throws: AdminError.self) {
      try sample.router().admit(.local("POST", "/reset", fields: [.init("content-type", "text/plain")]))
    }
  }

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
    ("", "bodyNotJSON"), ("what=visitorID", "bodyNotJSON"), ("[\"visitorID\"]", "bodyNotJSON"),
    ("{\"what\":[\"visitorID\"],}", "bodyNotJSON"), ("{}", "missingParameter"), (#"{"what":[]}"#, "missingParameter"),
    (#"{"what":"visitorID"}"#, "missingParameter"), (#"{"what":[1]}"#, "unknownTarget"),
    (#"{"what":["visitorid"]}"#, "unknownTarget"), (#"{"what":["visitorID","all"]}"#, "unknownTarget"),
    (#"{"what":["visit"]}"#, "unsupportedTarget"), (#"{"what":["visitorID","cohorly"]}"#, "unsupportedTarget"),
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
      #expect(try answer.json() == ["reloaded": true, "hash": "c0ffee", "warnings": ["a warning"]])
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
