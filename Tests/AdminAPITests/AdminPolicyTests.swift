import Testing

@testable import AdminAPI

/// What the guards refuse before any route is looked up (cross-site requests, DNS rebinding, missing tokens).
@Suite struct AdminPolicyTests {
  private func code(_ policy: AdminPolicy, _ fields: [AdminRequest.Field], target: String = "/status") -> String? {
    do {
      try policy.check(AdminRequest(method: "GET", target: target, fields: fields))
      return nil
    } catch {
      return error.code.rawValue
    }
  }

  private let loopback = AdminPolicy.tcp(address: "127.0.0.1", port: 8081, token: nil)

  @Test(arguments: ["127.0.0.1:8081", "localhost:8081", "LOCALHOST:8081", "[::1]:8081"])
  func allowsTheNamesOfTheListenAddress(host: String) {
    #expect(code(loopback, [.init("host", host)]) == nil)
  }

  @Test(arguments: [
    "evil.example", "evil.example:8081", "127.0.0.1", "127.0.0.1:8080", "127.0.0.1:8081.evil.example",
    "localhost.:8081", "127.1:8081", "0.0.0.0:8081", "[::]:8081", "", "10.0.0.1:8081",
  ])
  func refusesForeignHosts(host: String) {
    #expect(code(loopback, [.init("host", host)]) == "hostNotAllowed")
  }

  @Test func refusesAMissingHostAndAForeignTargetAuthority() {
    #expect(code(loopback, []) == "hostNotAllowed")
    let host = AdminRequest.Field("host", "127.0.0.1:8081")
    #expect(code(loopback, [host], target: "http://evil.example/status") == "hostNotAllowed")
    #expect(code(loopback, [host], target: "http://127.0.0.1:8081/status") == nil)
  }

  @Test func takesAnAddressOnAllInterfacesButNoName() {
    for address in ["0.0.0.0", "::", "[::]"] {
      let policy = AdminPolicy.tcp(address: address, port: 81, token: nil)
      for host in ["10.1.2.3:81", "[fd00::1]:81", "localhost:81"] {
        #expect(code(policy, [.init("host", host)]) == nil, "\(host)")
      }
      for host in ["evil.example:81", "10.1.2.3:82", "10.1.2:81", "1.2.3.256:81"] {
        #expect(code(policy, [.init("host", host)]) == "hostNotAllowed", "\(host)")
      }
    }
  }

  @Test func takesTheAddressItListensOn() {
    let policy = AdminPolicy.tcp(address: "fd00::1", port: 80, token: nil)
    #expect(code(policy, [.init("host", "[fd00::1]:80")]) == nil)
    #expect(code(policy, [.init("host", "[fd00::1]")]) == nil)
    #expect(code(policy, [.init("host", "localhost")]) == "hostNotAllowed")
  }

  @Test func doesNotAskForAHostOnAUnixSocket() {
    #expect(code(.unixSocket(token: nil), []) == nil)
    #expect(code(.unixSocket(token: nil), [.init("host", "anything")]) == nil)
  }

  @Test(arguments: [
    "null", "http://evil.example", "https://127.0.0.1:8081", "http://localhost:8081", "http://127.0.0.1", "",
  ])
  func refusesOtherOrigins(origin: String) {
    let fields = [AdminRequest.Field("host", "127.0.0.1:8081"), .init("origin", origin)]
    #expect(code(loopback, fields) == "originNotAllowed")
  }

  @Test func allowsItsOwnOrigin() {
    let own = [AdminRequest.Field("host", "127.0.0.1:8081"), .init("origin", "http://127.0.0.1:8081")]
    #expect(code(loopback, own) == nil)
    #expect(code(loopback, own + [.init("origin", "http://evil.example")]) == "originNotAllowed")
  }

  @Test(
    arguments: [
      ("none", nil), ("same-origin", nil), ("same-site", "crossSiteRequest"), ("cross-site", "crossSiteRequest"),
      ("", "crossSiteRequest"), ("new-value", "crossSiteRequest"),
    ] as [(String, String?)])
  func judgesTheFetchingSite(site: String, expected: String?) {
    #expect(code(loopback, [.init("host", "127.0.0.1:8081"), .init("sec-fetch-site", site)]) == expected)
  }

  @Test(
    arguments: [
      ([], "tokenMissing"), (["Basic c2VjcmV0"], "tokenMissing"), (["Bearer"], "tokenMissing"),
      (["Bearer secret extra"], "tokenMissing"), (["Bearer secret", "Bearer secret"], "tokenMissing"),
      (["Bearer wrong!"], "tokenWrong"), (["Bearer secre"], "tokenWrong"), (["Bearer secrets"], "tokenWrong"),
      (["Bearer secretsecret"], "tokenWrong"), (["Bearer SECRET"], "tokenWrong"), (["Bearer secret"], nil),
      (["bearer  secret"], nil),
    ] as [([String], String?)])
  func asksForTheToken(values: [String], expected: String?) {
    let fields = [AdminRequest.Field("host", "127.0.0.1:8081")] + values.map { .init("authorization", $0) }
    #expect(code(.tcp(address: "127.0.0.1", port: 8081, token: "secret"), fields) == expected)
    #expect(code(.unixSocket(token: "secret"), fields) == expected)
  }

  @Test func anEmptyTokenMatchesNothing() {
    #expect(!AdminPolicy.equalInConstantTime([], []))
    #expect(!AdminPolicy.equalInConstantTime([1], []))
    #expect(AdminPolicy.equalInConstantTime([1, 2], [1, 2]))
    #expect(!AdminPolicy.equalInConstantTime([1, 2, 1, 2], [1, 2]))
  }
}
