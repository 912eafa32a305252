import Effects
import ProxyConfiguration
import Testing

@Suite struct VisitParametersTests {
  private func load(_ params: String) -> LoadedConfiguration {
    ConfigurationLoader.forTests.load(
      Array(#"{"ahoy": {"baseURL": "https://a.example", "visitParams": \#(params)}, "rules": []}"#.utf8), file: "f")
  }

  @Test func theyAreTextsNumbersAndBooleans() throws {
    let loaded = load(#"{"utm_source": "x", "a1": -3, "b": 2.5, "c": true, "d": 1e3, "e": ""}"#)
    #expect(loaded.issues.isEmpty)
    #expect(
      try #require(loaded.configuration?.ahoy).visitParams == [
        JSONMember("utm_source", "x"), JSONMember("a1", -3), JSONMember("b", 2.5), JSONMember("c", true),
        JSONMember("d", 1000), JSONMember("e", ""),
      ])
  }

  @Test(arguments: ["[]", "{}", "null", "[1]", #"{"b": 1}"#])
  func otherTypesAreRefused(value: String) {
    let loaded = load(#"{"a": \#(value)}"#)
    #expect(loaded.issues.map(\.code.rawValue) == ["wrong-type"])
    #expect(loaded.issues.first?.pointer.description == "/ahoy/visitParams/a")
    #expect(loaded.configuration == nil)
  }

  @Test(arguments: [
    ("utmSource", #"write "utm_source""#), ("utm-source", #"write "utm_source""#), ("Platform", #"write "platform""#),
    ("1a", "a letter"), ("_a", "a letter"), ("", "a letter"), ("a b", "a letter"), ("\u{e9}", "a letter"),
  ])
  func namesAreThoseOfColumns(name: String, hint: String) {
    let loaded = load(#"{"\#(name)": 1}"#)
    #expect(loaded.issues.map(\.code.rawValue) == ["invalid-text"])
    #expect(loaded.issues.first?.hint.contains(hint) == true, "\(loaded.issues)")
  }

  /// They would mean something else in the body of a visit (contract: Ahoy, facts 12 and 13).
  @Test(arguments: [
    "visit_token", "visitor_token", "platform", "app_version", "os_version", "name", "events", "events_json", "js",
    "started_at", "ip", "user_id",
  ])
  func namesOfOtherThingsAreRefused(name: String) {
    let loaded = load(#"{"\#(name)": "x"}"#)
    #expect(loaded.issues.map(\.code.rawValue) == ["reserved-name"])
    #expect(loaded.issues.first?.hint.isEmpty == false)
  }

  @Test func theyAreFewAndShort() {
    func many(_ count: Int) -> String { "{" + (0..<count).map { #""p\#($0)": 1"# }.joined(separator: ", ") + "}" }
    #expect(load(many(32)).issues.isEmpty)
    #expect(load(many(33)).issues.map(\.code.rawValue) == ["list-length"])
    func long(_ count: Int) -> String { #"{"a": "\#(String(repeating: "x", count: count))"}"# }
    #expect(load(long(1024)).issues.isEmpty)
    #expect(load(long(1025)).issues.map(\.code.rawValue) == ["invalid-text"])
    #expect(load(#"{"a": "\u0000"}"#).issues.map(\.code.rawValue) == ["invalid-text"])
  }
}
