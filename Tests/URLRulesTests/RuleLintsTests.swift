import Testing
import URLRules

@Suite struct RuleLintsTests {
  @Test(
    arguments: [
      ("https://a.example", [.prefixWithoutPath]), ("https://a.example/v1", [.prefixInsideSegment]),
      ("https://a.example/*", [.prefixWildcardPath, .prefixInsideSegment]), ("https://a.example/", []),
      ("https://a.example/v1/", []), ("https://a.example/search?q=", []), ("https://a.example?q=", []),
    ] as [(String, [RuleIssue.Code])])
  func warnsAboutPrefixes(_ prefix: String, _ codes: [RuleIssue.Code]) {
    let compiled = CompiledRules(matchers: [.prefix(prefix)])
    #expect(compiled.codes(.warning) == codes)
    #expect(compiled.codes(.error).isEmpty)
  }

  @Test(
    arguments: [
      ("^https://api\\.example\\.com/v[12]/", []), ("example", [.regexUnanchored]),
      ("^https://api\\.example\\.com$", [.regexEndsAfterHost]), ("^https://api\\.example\\.com/$", []),
      ("^https://api\\.example\\.com:443/", [.regexDefaultPort]), ("^http://a\\.example:80/", [.regexDefaultPort]),
      ("^http://a\\.example:8080/", []), ("^https://api.example\\.com/", [.regexUnescapedDot]),
      ("^https://API\\.example\\.com/", [.regexUpperCaseHost]), ("(?i)^https://API\\.example\\.com/", []),
      ("^https://[^/]+\\.example\\.com/data.json", []), ("^https://a\\.example/[a[bc]]", [.regexNestedSet]),
      ("^https://a\\.example/[a-z&&[^b]]", [.regexNestedSet]), ("^https://a\\.example/[[:alpha:]a-z]", []),
      ("\\Ahttps://a\\.example/", []),
    ] as [(String, [RuleIssue.Code])])
  func warnsAboutPatterns(_ pattern: String, _ codes: [RuleIssue.Code]) {
    let compiled = CompiledRules(matchers: [.regex(pattern)])
    #expect(compiled.codes(.warning) == codes)
    #expect(compiled.codes(.error).isEmpty)
  }
}
