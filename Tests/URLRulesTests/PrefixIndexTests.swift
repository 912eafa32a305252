import HTTPWire
import Testing

@testable import URLRules

@Suite struct PrefixIndexTests {
  @Test func findsTheLongestPrefixAndAllOnItsChain() throws {
    let compiled = CompiledRules(matchers: [
      .prefix("https://a.example/"), .prefix("https://a.example/v1"), .prefix("https://a.example/v1/orders/"),
      .prefix("https://a.example/v1"), .prefix("https://a.example/v2/"), .prefix("https://b.example/v1/orders/"),
    ])
    #expect(compiled.matched("https://a.example/v1/orders/7") == ["0", "1", "2", "3"])
    #expect(compiled.matched("https://a.example/v1/orders") == ["0", "1", "3"])
    #expect(compiled.matched("https://a.example/v10") == ["0", "1", "3"])
    #expect(compiled.matched("https://a.example/v") == ["0"])
    #expect(compiled.matched("https://a.example/v2") == ["0"])
    #expect(compiled.matched("https://b.example/v1/orders/7") == ["5"])
    #expect(compiled.matched("https://b.example/v1/") == [])
  }

  @Test func keepsOriginsApart() {
    let hosts = (0..<3000).map { "h\($0).example" }
    let compiled = CompiledRules(matchers: hosts.map { .prefix("https://\($0)/") })
    #expect(compiled.rules.prefixes.count == 3000)
    for (index, host) in hosts.enumerated() {
      #expect(compiled.matched("https://\(host)/x") == ["\(index)"])
      #expect(compiled.matched("http://\(host)/x").isEmpty)
      #expect(compiled.matched("https://\(host):444/x").isEmpty)
    }
  }

  @Test func survivesManyPrefixesOfEachOther() throws {
    // More than the index keeps the chains of.
    let longest = 1500
    let compiled = CompiledRules(
      matchers: (1...longest).map { .prefix("https://a.example/" + String(repeating: "x", count: $0)) })
    let all = compiled.matched("https://a.example/" + String(repeating: "x", count: longest + 5))
    #expect(all.count == longest)
    #expect(all == (0..<longest).map(String.init))
    #expect(compiled.matched("https://a.example/xx") == ["0", "1"])
  }

  @Test func answersForAnUnknownNode() {
    let index = PrefixIndex([], effects: [])
    #expect(index.isEmpty)
    #expect(index.rules(-1).isEmpty)
    #expect(index.rules(5).isEmpty)
    #expect(!index.contains(-1, rule: 0))
  }

  @Test func findsNothingWithoutPrefixes() throws {
    let compiled = CompiledRules(matchers: [.regex("nothing here")])
    #expect(try #require(compiled.verdict("https://a.example/")).prefixNode == -1)
  }
}
