import RuleEngines
import Testing

@testable import URLRules

@Suite struct PatternFilterTests {
  private func candidates(_ filter: PatternFilter, _ subject: String) -> [Int] {
    let bytes = Array(subject.utf8)
    return bytes.withUnsafeBufferPointer { buffer -> [Int] in
      guard let start = buffer.baseAddress else { return [] }
      return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: filter.wordCount) { words in
        filter.select(start, buffer.count, into: words)
        return (0..<(filter.wordCount * 64)).filter { words[$0 / 64] & (1 << UInt64($0 % 64)) != 0 }
      }
    }
  }

  @Test func skipsAnchoredPatternsOfOtherHosts() {
    let filter = PatternFilter(
      ["^https://a\\.example/", "^https://b\\.example/", "^https://a\\.example/v1/", "(?i)^x"].map(PatternLiterals.read)
    )
    #expect(candidates(filter, "https://a.example/v1/x") == [0, 2, 3])
    #expect(candidates(filter, "https://a.example/v2") == [0, 3])
    #expect(candidates(filter, "https://c.example/") == [3])
  }

  @Test func skipsPatternsWhoseTextDoesNotOccur() {
    let patterns = (100..<300).map { "/item\($0)/" } + ["https", "(?i)any", "/x", "(?i)/Upper/"]
    let filter = PatternFilter(patterns.map(PatternLiterals.read))
    #expect(candidates(filter, "https://a.example/item150/") == [50, 200, 201, 202])
    #expect(candidates(filter, "https://a.example/uPPer/") == [200, 201, 202, 203])
    #expect(candidates(filter, "https://a.example/") == [200, 201, 202])
  }

  @Test func searchesAllOfAFew() {
    let filter = PatternFilter(["abcdef", "ghijkl"].map(PatternLiterals.read))
    #expect(candidates(filter, "http://x/") == [0, 1])
  }
}
