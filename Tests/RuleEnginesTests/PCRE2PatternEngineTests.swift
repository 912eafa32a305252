import RuleEngines
import Testing
import URLRules

@Suite struct PCRE2PatternEngineTests {
  static let engines = [PCRE2PatternEngine(), PCRE2PatternEngine(allowsJIT: false)]

  static func search(_ pattern: any CompiledPattern, _ text: String) -> PatternOutcome? {
    Array(text.utf8).withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { pattern.search($0, buffer.count) }
    }
  }

  @Test func compilesToMachineCodeHere() {
    #expect(PCRE2PatternEngine().jitAvailable)
    #expect(!PCRE2PatternEngine(allowsJIT: false).jitAvailable)
  }

  @Test(
    arguments: 0..<2,
    [
      ("^https://api\\.example\\.com/v[12]/", "https://api.example.com/v2/x", true),
      ("^https://api\\.example\\.com/v[12]/", "https://api.example.com/v3/x", false),
      ("EXAMPLE", "https://api.example.com/", false), ("(?i)EXAMPLE", "https://api.example.com/", true),
      ("^api", "https://api.example.com/", false), ("com/$", "https://api.example.com/", true),
      ("\\Qa.b\\E", "http://a.b/", true), ("(?<host>a+)\\.\\k<host>/", "http://aa.aa/", true),
      ("(?<!x)b/", "http://a.b/", true), ("\\bexample\\b", "http://example/", true), ("a++b", "http://aaab/", true),
      ("(?=.*/v1/)(?!.*admin)", "http://a/v1/x", true), ("^(?!.*admin).*/v1/", "http://a/v1/admin", false),
      ("\\x{e9}", "http://a/", false), ("é?/$", "http://a/", true), ("\\p{L}", "http://a/", true),
      ("x*", "http://a/", true),
      ("a\\.b|c\\.d", "http://c.d/", true), ("(a)(b)?\\1", "http://aa/", true), ("[[:digit:]]+", "http://a/42", true),
    ])
  func searchesAsTheContractSays(_ engine: Int, _ row: (pattern: String, subject: String, isMatch: Bool)) throws {
    let pattern = try Self.engines[engine].compile(row.pattern)
    #expect(Self.search(pattern, row.subject) == (row.isMatch ? .match : .noMatch))
  }

  @Test(
    arguments: [
      ("(", .syntax, 1), ("[", .syntax, 1), ("(?<=a+)b", .syntax, nil), ("a{2,1}", .syntax, nil),
      ("\\u0041", .syntax, nil),
      ("\\N{LATIN SMALL LETTER A}", .syntax, nil), ("*a", .syntax, 0), ("a(*FAIL)", .unsupported, 1),
      ("(*LIMIT_MATCH=99)a", .unsupported, 0), ("\\C", .unsupported, 2), ("a(?", .syntax, 3),
    ] as [(String, PatternError.Code, Int?)])
  func refusesWhatICURefusesOrThisEngineCannot(_ pattern: String, _ code: PatternError.Code, _ offset: Int?) throws {
    let error = try #require(throws: PatternError.self) { try PCRE2PatternEngine().compile(pattern) }
    #expect(error.code == code)
    if let offset { #expect(error.offset == offset) }
    #expect(!error.message.isEmpty)
  }

  @Test func refusesAPatternThatIsTooLong() {
    let error = #expect(throws: PatternError.self) {
      try PCRE2PatternEngine().compile(String(repeating: "a", count: PCRE2PatternEngine.longestPattern + 1))
    }
    #expect(error?.code == .tooLarge)
  }
}
