import Testing
import URLRules

@Suite struct RuleIssueTests {
  /// A matcher that gives each code.
  private static let examples: [(RuleIssue.Code, RuleMatcher)] = [
    (.prefixEmpty, .prefix("")), (.prefixNotAbsolute, .prefix("a.example/")), (.prefixScheme, .prefix("ftp://a/")),
    (.prefixForbiddenByte, .prefix("https://a/b c")), (.prefixUserinfo, .prefix("https://u@a/")),
    (.prefixWildcardHost, .prefix("https://*.example/")), (.prefixHost, .prefix("https:///")),
    (.prefixHostEncoding, .prefix("https://\u{200d}.example/")), (.prefixPort, .prefix("https://a:0/")),
    (.prefixFragment, .prefix("https://a/#x")), (.prefixDotSegment, .prefix("https://a/../")),
    (.prefixTooLong, .prefix("https://a/" + String(repeating: "x", count: 8192))), (.regexEmpty, .regex("")),
    (.regexSyntax, .regex("(")), (.regexUnsupported, .regex("\\C")),
    (.regexTooLarge, .regex(String(repeating: "a", count: 8193))), (.handlerUnknown, .handler(name: "nobody", nil)),
    (.ruleWithoutMatcher, .prefix("")), (.prefixWithoutPath, .prefix("https://a.example")),
    (.prefixInsideSegment, .prefix("https://a.example/v1")), (.prefixWildcardPath, .prefix("https://a.example/*/")),
    (.regexUnanchored, .regex("example")), (.regexEndsAfterHost, .regex("^https://a$")),
    (.regexDefaultPort, .regex("^https://a:443/")), (.regexUnescapedDot, .regex("^https://a.example/")),
    (.regexUpperCaseHost, .regex("^https://A/")), (.regexNestedSet, .regex("^[a[b]")),
  ]

  private static let warnings: Set<RuleIssue.Code> = [
    .prefixWithoutPath, .prefixInsideSegment, .prefixWildcardPath, .regexUnanchored, .regexEndsAfterHost,
    .regexDefaultPort, .regexUnescapedDot, .regexUpperCaseHost, .regexNestedSet,
  ]

  @Test func noCodeIsWithoutARuleThatGivesIt() {
    #expect(Set(Self.examples.map(\.0)) == Set(RuleIssue.Code.allCases))
  }

  @Test(arguments: examples.indices)
  func saysWhichMatcherOfWhichRule(_ index: Int) throws {
    let (code, matcher) = Self.examples[index]
    let isWhole = code == .ruleWithoutMatcher
    let fine = RuleMatcher.prefix("https://fine.example/")
    let compiled = CompiledRules([
      RuleDefinition(name: "first", matchers: [fine], effects: .record),
      RuleDefinition(name: "second", matchers: isWhole ? [matcher] : [fine, matcher], effects: .record),
    ])
    let issue = try #require(compiled.issues.first { $0.code == code })
    #expect(issue.ruleIndex == 1)
    #expect(issue.matcherIndex == (isWhole ? nil : 1))
    #expect(issue.severity == (Self.warnings.contains(code) ? .warning : .error))
    #expect(!issue.message.isEmpty && !issue.message.contains("\n"))
    if let offset = issue.offset {
      let text: String? =
        switch matcher {
        case .prefix(let text), .regex(let text): text
        case .handler: nil
        }
      #expect(offset <= text?.utf8.count ?? -1)
    }
    #expect(compiled.matched("https://fine.example/x") == (isWhole ? ["first"] : ["first", "second"]))
  }

  @Test(arguments: RuleIssue.Code.allCases)
  func hasAStableSpelling(_ code: RuleIssue.Code) {
    // The names are an interface of `footfall check --format json`: lower-case words, the kind of matcher first.
    let words = code.rawValue.split(separator: "-", omittingEmptySubsequences: false)
    #expect(words.count >= 2)
    #expect(words.allSatisfy { word in !word.isEmpty && word.utf8.allSatisfy { (0x61...0x7a).contains($0) } })
    #expect(["prefix", "regex", "handler", "rule"].contains(words[0]))
  }

  @Test func isEqualOnlyToAnIssueInTheSamePlace() {
    let issue = RuleIssue(.error, .prefixHost, rule: 1, matcher: 2, "m", offset: 3)
    #expect(issue == RuleIssue(.error, .prefixHost, rule: 1, matcher: 2, "m", offset: 3))
    #expect(issue != RuleIssue(.error, .prefixHost, rule: 1, matcher: nil, "m", offset: 3))
    #expect(issue != RuleIssue(.warning, .prefixHost, rule: 1, matcher: 2, "m", offset: 3))
  }
}
