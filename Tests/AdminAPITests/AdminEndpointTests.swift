import AdminAPI
import Effects
import Testing

@Suite struct AdminEndpointTests {
  @Test func eachPathAndMethodIsThereOnce() {
    let operations = AdminEndpoint.all.map { "\($0.method.rawValue) \($0.path)" }
    #expect(Set(operations).count == operations.count)
    #expect(operations.count >= 16)
  }

  @Test func allowNamesHeadBesideGet() {
    for endpoint in AdminEndpoint.all { #expect(endpoint.allow == (endpoint.method == .get ? "GET, HEAD" : "POST")) }
  }

  @Test func onlyWhatOthersDoIsAnsweredLater() {
    let router = SampleContext().router()
    func isLater(_ method: String, _ target: String, _ body: String? = nil) -> Bool {
      if case .later = router.respond(to: .local(method, target, body: body)) { true } else { false }
    }
    for target in ["/status", "/metrics", "/livez", "/readyz", "/openapi.json", "/rules/test?url=x"] {
      #expect(!isLater("GET", target), "\(target)")
    }
    #expect(!isLater("POST", "/reload"))
    #expect(isLater("POST", "/flush"))
    #expect(isLater("GET", "/deadletters"))
    // What is not understood is refused at once.
    #expect(!isLater("POST", "/track", "{}"))
    #expect(!isLater("GET", "/deadletters?limit=0"))
  }
}
