import Dispatch
import RuleEngines
import Synchronization
import Testing
import URLRules

@Suite struct PCRE2PatternTests {
  /// Patterns that backtrack without end, or nearly, each with a character to repeat.
  static let evil: [(pattern: String, filler: String)] = [
    ("^http://x/(a+)+$", "a"), ("(([a-z0-9]+)+\\.)+[!]", "a"), ("[a-z]*[a-z]*[a-z]*[0-9]$", "a"),
    ("a.*a.*a.*a.*[0-9]", "a"), ("^.*.*.*.*.*[0-9]", "a"), ("(a*)*[0-9]", "a"), ("(\\w+)\\1\\1[0-9]", "a"),
    ("(?:a?){40}a{40}[0-9]", "a"), ("(?=.*.*.*[0-9])a", "a"), ("(a|aa|aaa)+[0-9]", "a"), ("([a-z]+)*[A-Z]", "a"),
    ("(.*)/(.*)/(.*)/(.*)[#]", "/"), ("(?:[^/]*/)*[^/]*[#]", "a/"), ("[a-z]++[0-9]", "a"), ("(?<!b)(a+)+[0-9]", "a"),
  ]

  @Test(arguments: evil)
  func endsEvilSearches(_ row: (pattern: String, filler: String)) throws {
    for engine in PCRE2PatternEngineTests.engines {
      let pattern = try engine.compile(row.pattern)
      for length in [60, 500, 2000, 8192] {
        let filler = String(repeating: row.filler, count: length / row.filler.utf8.count - 10)
        // What is promised is the end of the search; unbounded, most of these outlive the machine.
        #expect(PCRE2PatternEngineTests.search(pattern, "http://x/" + filler + "_") != .match)
      }
    }
  }

  @Test(arguments: [
    ("\\.json(?:\\?|$)", "/api/data.json"), ("^http://[^?]*/v1/", "/v1/?"), ("/v1/.*\\.js$", "/v1/x.js"),
    ("[?&]token=[^&]+&", "?token=1&"), ("^https?://[^/]+/(?:[^/]+/)*v1/", "/v1/"), ("[a-z]+\\.json", ".json"),
  ])
  func stillFindsOrdinaryPatternsInLongSubjects(_ pattern: String, _ end: String) throws {
    for engine in PCRE2PatternEngineTests.engines {
      let compiled = try engine.compile(pattern)
      for length in [0, 100, 511, 512, 600, 1000, 2000] {
        let filler = String(repeating: "segment/", count: length / 8)
        #expect(PCRE2PatternEngineTests.search(compiled, "http://x/" + filler + "a" + end) == .match, "\(length)")
      }
    }
  }

  @Test func searchesAtEveryPositionOfEveryLength() throws {
    for engine in PCRE2PatternEngineTests.engines {
      let pattern = try engine.compile("(?<=a)b(?=c)")
      let anchored = try engine.compile("^bc|\\Abd")
      for length in [3, 30, 640, 700, 1300] {
        for position in stride(from: 0, through: length - 3, by: max(1, length / 97)) {
          let text =
            String(repeating: "x", count: position) + "abc" + String(repeating: "x", count: length - position - 3)
          #expect(PCRE2PatternEngineTests.search(pattern, text) == .match)
          #expect(PCRE2PatternEngineTests.search(anchored, text) == .noMatch)
        }
      }
      #expect(PCRE2PatternEngineTests.search(try engine.compile("$"), String(repeating: "x", count: 1000)) == .match)
    }
  }

  @Test func isSearchedByManyThreadsAtOnce() throws {
    let pattern = try PCRE2PatternEngine().compile("^http://x/(\\d+)/(?:a|b)+/$")
    let evil = try PCRE2PatternEngine().compile("(a+)+[0-9]")
    let wrong = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { worker in
      for number in 0..<2000 {
        let isMatch = number % 2 == 0
        let found = PCRE2PatternEngineTests.search(pattern, "http://x/\(worker)\(number)/abab/" + (isMatch ? "" : "x"))
        if found != (isMatch ? .match : .noMatch) { wrong.withLock { $0 += 1 } }
        if number % 100 == 0, PCRE2PatternEngineTests.search(evil, String(repeating: "a", count: 300)) == .match {
          wrong.withLock { $0 += 1 }
        }
      }
    }
    #expect(wrong.withLock { $0 } == 0)
  }
}
