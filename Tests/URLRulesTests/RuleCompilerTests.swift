import Testing
import URLRules

@Suite struct RuleCompilerTests {
  @Test func reportsWhereAPatternIsWrong() throws {
    let compiled = CompiledRules([
      RuleDefinition(name: "ok", matchers: [.prefix("https://a.example/")], effects: .record),
      RuleDefinition(name: "bad", matchers: [.prefix("https://b.example/"), .regex("ab[c")], effects: .record),
    ])
    let issue = try #require(compiled.issues.first)
    #expect(compiled.issues.count == 1)
    #expect(issue.code == .regexSyntax)
    #expect(issue.ruleIndex == 1)
    #expect(issue.matcherIndex == 1)
    #expect(issue.offset == 4)
    #expect(issue.message.contains("]"))
  }

  @Test(
    arguments: [
      ("", .regexEmpty), ("(", .regexSyntax), ("a(*ACCEPT)b", .regexUnsupported), ("\\C", .regexUnsupported),
      (String(repeating: "a", count: 8193), .regexTooLarge),
    ] as [(String, RuleIssue.Code)])
  func refusesPatterns(_ pattern: String, _ code: RuleIssue.Code) {
    #expect(CompiledRules(matchers: [.regex(pattern)]).codes(.error).first == code)
  }

  @Test func refusesAHandlerThatNobodyRegistered() {
    let compiled = CompiledRules(matchers: [.handler(name: "checkout", nil)])
    #expect(compiled.codes(.error) == [.handlerUnknown, .ruleWithoutMatcher])
    #expect(!compiled.matches("https://a.example/"))
  }
}
