import HTTPWire
import Testing
import URLRules

@Suite struct PrefixTextTests {
  @Test(
    arguments: [
      ("", .prefixEmpty, nil), ("api.example.com/", .prefixNotAbsolute, 0), ("https:/a/", .prefixNotAbsolute, 0),
      ("ftp://a/", .prefixScheme, 0), ("https://u@a/", .prefixUserinfo, 9), ("https://ü@a/", .prefixUserinfo, 10),
      ("https://*.example.com/", .prefixWildcardHost, 8), ("https://a..b/", .prefixHost, 8),
      ("https:///", .prefixHost, 8),
      ("https://a:0/", .prefixPort, 8), ("https://a:99999/", .prefixPort, 8), ("https://a/#x", .prefixFragment, 10),
      ("https://a/b c", .prefixForbiddenByte, 11), ("https://a/./", .prefixDotSegment, nil),
      ("https://a/b\\c", .prefixDotSegment, nil), ("https://\u{200d}.example/", .prefixHostEncoding, 8),
    ] as [(String, RuleIssue.Code, Int?)])
  func refusesWhatCanNeverMatch(_ text: String, _ code: RuleIssue.Code, _ offset: Int?) throws {
    let compiled = CompiledRules(matchers: [.prefix(text)])
    let issue = try #require(compiled.issues.first)
    #expect(issue.severity == .error)
    #expect(issue.code == code)
    #expect(issue.offset == offset)
    #expect(issue.ruleIndex == 0)
    #expect(issue.matcherIndex == 0)
  }

  @Test func refusesAPrefixThatIsTooLong() {
    let compiled = CompiledRules(matchers: [.prefix("https://a/" + String(repeating: "x", count: 8192))])
    #expect(compiled.codes(.error).first == .prefixTooLong)
  }

  @Test(arguments: [
    ("https://bücher.example/", "https://xn--bcher-kva.example/x"),
    ("https://BÜCHER.example:8443/a", "https://xn--bcher-kva.example:8443/a"),
    ("https://faß.example", "https://xn--fa-hia.example/"),
    ("https://bücher.example?q=ü", "https://xn--bcher-kva.example/?q=%C3%BC"),
  ])
  func turnsULabelsIntoALabels(_ prefix: String, _ url: String) {
    let compiled = CompiledRules(matchers: [.prefix(prefix)])
    #expect(compiled.codes(.error).isEmpty)
    #expect(compiled.matches(url))
  }

  @Test(arguments: ["https://a.example／evil/", "https://a.example＠evil/", "https://a.example：8443/"])
  func doesNotLetTheEncoderMakeDelimiters(_ prefix: String) {
    #expect(CompiledRules(matchers: [.prefix(prefix)]).codes(.error).first == .prefixHostEncoding)
  }
}
