import Testing

@testable import URLRules

@Suite struct GramTableTests {
  /// A table of patterns that each contain one text.
  private func table(_ texts: [String]) -> GramTable {
    GramTable(texts.enumerated().map { (Int32($0.offset), [Array($0.element.utf8)]) })
  }

  private func candidates(_ table: GramTable, _ subject: String, of count: Int) -> [Int] {
    let words = (count + 63) / 64
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: words) { set in
      set.initialize(repeating: 0)
      let bytes = Array(subject.utf8)
      bytes.withUnsafeBufferPointer { buffer in
        if let start = buffer.baseAddress { table.select(start, buffer.count, into: set) }
      }
      return (0..<count).filter { set[$0 / 64] & (1 << UInt64($0 % 64)) != 0 }
    }
  }

  @Test(arguments: ["", "abc", "http", "ttps", "://w", "HTTPS://", "https://www.", ".com/"])
  func rejectsWhatNearlyEveryURLContains(_ text: String) {
    #expect(table([text, "/checkout"]).rejected == [0])
  }

  @Test func rejectsAPatternWithoutAnyText() {
    #expect(GramTable([(4, []), (7, [[]])]).rejected == [4, 7])
  }

  @Test(arguments: ["checkout", "xcheckout", "checkoutx", "CHECKOUT", "https://a.example/cHeCkOuT?q"])
  func findsATextAnywhereInEitherCase(_ subject: String) {
    #expect(candidates(table(["Checkout"]), subject, of: 1) == [0])
  }

  @Test(arguments: ["", "abc", "https://a.example/", "che-ck-ou-t", "chec"])
  func passesOverSubjectsWithoutTheText(_ subject: String) {
    // The gram of the two texts that is rare is one behind what they share.
    #expect(candidates(table(["checkout", "check-in"]), subject, of: 2) == [])
  }

  @Test func takesTheRarestBytesOfAPattern() {
    let table = table(["/shared/one", "/shared/two", "/shared/three"])
    #expect(table.rejected.isEmpty)
    #expect(candidates(table, "https://a.example/shared/", of: 3) == [])
    #expect(candidates(table, "https://a.example/shared/two", of: 3) == [1])
  }

  @Test func givesAllPatternsThatShareTheirBytes() {
    let table = table(["item", "ITEM", "https://"])
    #expect(table.rejected == [2])
    #expect(candidates(table, "/item", of: 3) == [0, 1])
  }

  @Test func takesTheRarestOfSeveralTexts() {
    let table = GramTable([
      (0, [Array("common-part".utf8), Array("zebra".utf8)]), (1, [Array("common-part".utf8)]),
    ])
    #expect(candidates(table, "/common-part", of: 2).contains(1))
    #expect(!candidates(table, "/common-part", of: 2).contains(0))
    #expect(candidates(table, "/zebra", of: 2) == [0])
  }

  @Test func findsEachOfThousands() {
    let texts = (0..<3_000).map { "/\(String($0 + 50_000, radix: 36))/\($0)-end" }
    let table = table(texts)
    #expect(table.rejected.isEmpty)
    for (index, text) in texts.enumerated() where index % 37 == 0 {
      #expect(candidates(table, "https://a.example\(text)", of: texts.count).contains(index))
    }
    #expect(candidates(table, "https://a.example/", of: texts.count).isEmpty)
  }
}
