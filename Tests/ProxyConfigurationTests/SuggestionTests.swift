import Effects
import ProxyConfiguration
import Testing

@Suite struct SuggestionTests {
  /// The hint for an unknown key of the section `limits`.
  private func hint(_ key: String) -> String? {
    let text = JSONWriter.text(["rules": [], "limits": [key: 1]])
    return ConfigurationLoader.forTests.load(Array(text.utf8), file: "f").issues.first?.hint
  }

  static let near: [(String, String)] = [
    ("feilds", "fields"), ("field", "fields"), ("FIELDS", "fields"), ("head_bytes", "headBytes"),
    ("headByte", "headBytes"), ("haedBytes", "headBytes"), ("conections", "connections"), ("conn", "connections"),
    ("requestLine", "requestLineBytes"), ("resolverCacheEntrys", "resolverCacheEntries"),
  ]

  @Test(arguments: near)
  func namesWhatWasMeant(_ given: String, _ meant: String) {
    #expect(hint(given) == "did you mean \"\(meant)\"?")
  }

  @Test(arguments: ["x", "zzzzzzzz", "\u{e9}\u{e9}\u{e9}", "", String(repeating: "headBytes", count: 1000)])
  func namesAllWhenNothingIsNear(_ given: String) {
    #expect(hint(given)?.hasPrefix("known: requestLineBytes, headBytes, ") == true)
  }

  @Test func namesTheSectionWhereAKeyIsAtHome() {
    #expect(hint("ttlHours") == "it belongs to \"visitorID\"")
    #expect(hint("rules") == "it belongs to the top of the file")
  }
}
