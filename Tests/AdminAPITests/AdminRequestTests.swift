import AdminAPI
import Testing

@Suite struct AdminRequestTests {
  @Test(
    arguments: [
      ("/status", "/status", nil, nil),
      ("/status?ids=full", "/status", "ids=full", nil),
      ("/a?b?c", "/a", "b?c", nil),
      ("?x", "/", "x", nil),
      ("http://127.0.0.1:8081/status?ids=full", "/status", "ids=full", "127.0.0.1:8081"),
      ("HTTP://evil.example", "/", nil, "evil.example"),
      ("http://evil.example?x=/status", "/", "x=/status", "evil.example"),
      ("*", "*", nil, nil),
    ] as [(String, String, String?, String?)])
  func splitsTheTarget(target: String, path: String, query: String?, authority: String?) {
    let request = AdminRequest(method: "GET", target: target)
    #expect(request.path == path)
    #expect(request.query == query)
    #expect(request.targetAuthority == authority)
  }

  @Test func findsFieldsByTheirLowerCaseName() {
    let request = AdminRequest(method: "GET", target: "/", fields: [.init("HoSt", "a"), .init("Host", "b")])
    #expect(request.values(of: "host") == ["a", "b"])
  }
}
