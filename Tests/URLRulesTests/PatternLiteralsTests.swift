import RuleEngines
import Testing

@testable import URLRules

@Suite struct PatternLiteralsTests {
  @Test(arguments: [
    ("^https://api\\.example\\.com/v[12]/", "https://api.example.com/v", ["https://api.example.com/v"]),
    ("^https?://[^/]+\\.example\\.com/", "http", ["http", "://", ".example.com/"]),
    ("\\.json(?:\\?|$)", "", [".json"]),
    ("abc+def", "", ["abc", "def"]),
    ("abc*def", "", ["ab", "def"]),
    ("abc?def", "", ["ab", "def"]),
    ("abc{0,2}def", "", ["ab", "def"]),
    ("abc++de?+fg", "", ["abc", "fg"]),
    ("^ab(?!cd)ef", "ab", ["ab", "ef"]),
    ("x(a|b)yz", "", ["yz"]),
    ("x[a|b]yz", "", ["yz"]),
    ("x[]a]yz[^]b]12", "", ["yz", "12"]),
    ("x[[:alpha:]]yz", "", ["yz"]),
    ("ab\\d+cd", "", ["ab", "cd"]),
    ("^/a\\[b", "/a[b", ["/a[b"]), ("(?i)^Ab\\.c", "", ["Ab.c"]),
  ])
  func reportsWhatEveryMatchContains(_ pattern: String, _ anchor: String, _ required: [String]) {
    let literals = PatternLiterals.read(pattern)
    #expect(String(decoding: literals.anchoredPrefix, as: UTF8.self) == anchor)
    #expect(literals.required.map { String(decoding: $0, as: UTF8.self) } == required)
  }

  @Test(arguments: [
    "abcd|efgh", "^abcd|efgh", "(?i)abcd|efgh", "(?x)ab cd", "abcd(?i)efgh", "a{b|cdef}", "abcd\\x41", "abcd\\Qef|gh\\E",
    "abcd(?#|)", "(?|abcd|efgh)", "abcd(*ACCEPT)efgh", "^?abcd", "(?(1)ab|cd)efgh", "é", "abc def", "[abcd", "(abcd",
    "abcd\\", "(?-i:abcd)efgh", "[\\Qabc]\\E]",
  ])
  func knowsNothingWhenInDoubt(_ pattern: String) {
    #expect(PatternLiterals.read(pattern) == PatternLiterals())
  }

  /// Every pattern that is found in a text must have its literals there.
  @Test func neverReportsWhatAMatchCanDoWithout() {
    var random = SplitMix(state: 11)
    let pieces = [
      "ab", "c", "d?", "e*", "f+", "(?:ab|c)", "[abc]", "[^a]", ".", "\\.", "^", "$", "a{2}", "b{0,1}", "(?=a)",
      "(?!b)",
      "|", "\\d", "(a)?", "(?:b|)", "{", "}", "a{x}", "]", "\\b", "(?i)", "+?",
    ]
    let engine = CompiledRules.engine
    var found = 0
    for _ in 0..<4000 {
      let pattern = (0...random.below(5)).map { _ in pieces[random.below(pieces.count)] }.joined()
      guard let compiled = try? engine.compile(pattern) else { continue }
      let literals = PatternLiterals.read(pattern)
      guard literals != PatternLiterals() else { continue }
      let text = (0...random.below(24)).map { _ in UInt8(ascii: "a") + UInt8(random.below(4)) }
      let outcome = text.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { compiled.search($0, buffer.count) }
      }
      guard outcome == .match else { continue }
      found += 1
      let haystack = String(decoding: text, as: UTF8.self)
      #expect(haystack.utf8.starts(with: literals.anchoredPrefix), "\(pattern) in \(haystack)")
      for literal in literals.required {
        #expect(haystack.contains(String(decoding: literal, as: UTF8.self)), "\(pattern) in \(haystack)")
      }
    }
    #expect(found > 100)
  }
}
