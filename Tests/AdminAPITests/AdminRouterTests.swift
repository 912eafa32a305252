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
}
