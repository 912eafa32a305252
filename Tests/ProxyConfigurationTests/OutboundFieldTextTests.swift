import Effects
import ProxyConfiguration
import Testing

@Suite struct OutboundFieldTextTests {
  private func load(_ headers: String) -> LoadedConfiguration {
    ConfigurationLoader.forTests.load(
      Array(#"{"ahoy": {"baseURL": "https://a.example", "headers": \#(headers)}, "rules": []}"#.utf8), file: "f")
  }

  @Test func namesAndValuesStayAsTheyWereWritten() throws {
    let loaded = load(#"{"X-Tenant": "north", "x-other": "a, b; c"}"#)
    #expect(loaded.issues.isEmpty)
    let ahoy = try #require(loaded.configuration?.ahoy)
    #expect(ahoy.headers == [OutboundField("X-Tenant", "north"), OutboundField("x-other", "a, b; c")])
  }

  @Test(arguments: [
    ("Authorization", "authorizationFile"), ("X-Api-Key", "authorizationFile"), ("X-My-Secret", "authorizationFile"),
    ("User-Agent", "userAgent"), ("Ahoy-Visit", "itself"), ("AHOY-VISITOR", "itself"), ("Cookie", ""), ("Host", ""),
    ("Content-Type", ""), ("Content-Length", ""), ("Transfer-Encoding", ""), ("X-Forwarded-For", ""),
    ("X-Client-IP", ""), ("Connection", ""),
  ])
  func fieldsThatMeanSomethingElseAreRefused(name: String, hint: String) {
    let loaded = load(#"{"\#(name)": "x"}"#)
    #expect(loaded.issues.map(\.code.rawValue) == ["reserved-header"])
    #expect(loaded.issues.first?.hint.contains(hint) == true || hint.isEmpty, "\(loaded.issues)")
    #expect(loaded.configuration == nil)
  }

  @Test(arguments: ["", "a b", "X:", "x_", "\u{e9}", "X\\r\\nY"])
  func whatIsNoNameIsRefused(name: String) {
    #expect(load(#"{"\#(name)": "x"}"#).issues.map(\.code.rawValue) == ["invalid-header"])
  }

  @Test(arguments: ["", " a", "a ", "a\\nb", "\\u0000", "\u{e9}", String(repeating: "x", count: 1025)])
  func whatIsNoValueIsRefused(value: String) {
    #expect(load(#"{"X-Tenant": "\#(value)"}"#).issues.map(\.code.rawValue) == ["invalid-text"])
  }

  @Test func theyAreFew() {
    func many(_ count: Int) -> String { "{" + (0..<count).map { #""x-p\#($0)": "1""# }.joined(separator: ", ") + "}" }
    #expect(load(many(16)).issues.isEmpty)
    #expect(load(many(17)).issues.map(\.code.rawValue) == ["list-length"])
    #expect(load("[]").issues.map(\.code.rawValue) == ["wrong-type"])
  }
}
