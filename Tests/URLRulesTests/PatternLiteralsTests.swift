import RuleEngines
import TestKit
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
    "abcd|efgh", "^abcd|efgh", "(?i)abcd|efgh", "(?x)ab cd", "abcd(?i)efgh", "a{b|cdef}", "abcd\\x41",
    "abcd\\Qef|gh\\E",
    "abcd(?#|)", "(?|abcd|efgh)", "abcd(*ACCEPT)efgh", "^?abcd", "(?(1)ab|cd)efgh", "é", "abc def", "[abcd", "(abcd",
    "abcd\\", "(?-i:abcd)efgh", "[\\Qabc]\\E]",
  ])
  func knowsNothingWhenInDoubt(_ pattern: String) {
    #expect(PatternLiterals.read(pattern) == PatternLiterals())
  }

  /// Every pattern that is found in a text must have its literals there.
  @Test func neverReportsWhatAMatchCanDoWithout() {
    var random = SeededGenerator(seed: 11)
    let pieces = [
      "ab", "c", "d?", "e*", "f+", "(?:ab|c)", "[abc]", "[^a]", ".", "\\.", "^", "$", "a{2}", "b{0,1}", "(?=a)",
      "(?!b)",
      "|", "\\d", "(a)?", "(?:b|)", "{", "}", "a{x}", "]", "\\b", "(?i)", "+?",
    ]
    let engine = CompiledRules.engine
    let words = ["ab", "c", "d", "e", "f", "a", "aa", "b", "."]
    var found = 0
    for _ in 0..<1500 {
      let pattern = (0...Int.random(in: 0..<5, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }.joined()
      guard let compiled = try? engine.compile(pattern) else { continue }
      let literals = PatternLiterals.read(pattern)
      guard literals != PatternLiterals() else { continue }
      for _ in 0..<40 {
        let text = (0...Int.random(in: 0..<10, using: &random)).map { _ in
          words[Int.random(in: 0..<words.count, using: &random)]
        }.joined()
        let outcome = Array(text.utf8).withUnsafeBufferPointer { buffer in
          buffer.baseAddress.map { compiled.search($0, buffer.count) }
        }
        guard outcome == .match else { continue }
        found += 1
        #expect(text.utf8.starts(with: literals.anchoredPrefix), "\(pattern) in \(text)")
        for literal in literals.required {
          #expect(text.contains(String(decoding: literal, as: UTF8.self)), "\(pattern) in \(text)")
        }
      }
    }
    #expect(found > 500)
  }
}
