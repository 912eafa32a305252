import TestKit
import Testing

@testable import URLRules

@Suite struct RadixForestTests {
  private func find(_ forest: RadixForest, _ root: UInt32, _ text: String) -> Int32 {
    let bytes = Array(text.utf8) + [0]
    return bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { forest.longestPrefix(root, $0, text.utf8.count) } ?? -2
    }
  }

  @Test func agreesWithLookingAtEachKey() {
    var random = SeededGenerator(seed: 3)
    for alphabet in [2, 3, 40] {
      for _ in 0..<100 {
        func word(_ longest: Int) -> String {
          String(
            (0..<Int.random(in: 0..<longest, using: &random)).map { _ in
              Character(UnicodeScalar(UInt8(48 + Int.random(in: 0..<alphabet, using: &random))))
            })
        }
        let keys = Array(Set((0..<60).map { _ in word(12) }))
        var forest = RadixForest()
        // A first tree, so that the second one's indices do not begin at 0.
        _ = forest.addTree(["one", "other"].map { Array($0.utf8)[...] })
        let root = forest.addTree(keys.map { Array($0.utf8)[...] })
        for _ in 0..<60 {
          let text = word(16)
          let expected = keys.filter { text.hasPrefix($0) }.max { $0.utf8.count < $1.utf8.count }
          let found = find(forest, root, text)
          #expect((found < 0 ? nil : keys[Int(found) - 2]) == expected)
        }
      }
    }
  }

  @Test func linksEachKeyToTheLongestOneThatIsItsPrefix() {
    var forest = RadixForest()
    let root = forest.addTree(["ab", "abcd", "", "abcde", "b"].map { Array($0.utf8)[...] })
    #expect(forest.keys.map(\.parent) == [2, 0, -1, 1, 2])
    #expect(find(forest, root, "") == 2)
    #expect(find(forest, root, "abc") == 0)
  }

  @Test func tellsBranchesApartAlsoWhenThereAreMany() {
    var forest = RadixForest()
    let keys = (1...255).map { [UInt8($0), 7] }
    let root = forest.addTree(keys.map { $0[...] })
    for (index, key) in keys.enumerated() {
      let found = key.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { forest.longestPrefix(root, $0, 2) }
      }
      #expect(found == Int32(index))
    }
    #expect(find(forest, root, "\u{1}") == -1)
  }

  @Test(arguments: 0..<40) func comparesRunsOfEveryLength(_ length: Int) {
    let one = (0..<length).map { UInt8($0) } + [1]
    let other = (0..<length).map { UInt8($0) } + [2]
    one.withUnsafeBufferPointer { one in
      other.withUnsafeBufferPointer { other in
        guard let one = one.baseAddress, let other = other.baseAddress else { return }
        #expect(ByteRun.equal(one, other, length))
        #expect(!ByteRun.equal(one, other, length + 1))
        #expect(ByteRun.hash(one, length) == ByteRun.hash(other, length))
        #expect(ByteRun.hash(one, length + 1) != ByteRun.hash(other, length + 1))
      }
    }
  }
}
