import Effects
import FootfallApp
import Testing

@Suite struct SourceExcerptTests {
  private func lines(_ text: String, _ line: Int, _ column: Int) -> [String] {
    SourceExcerpt(Array(text.utf8)).lines(at: JSONPosition(offset: 0, line: line, column: column))
  }

  @Test func putsTheCaretBelowTheColumn() {
    #expect(lines("one\ntwo three\n", 2, 5) == ["    2 | two three", "      |     ^"])
    #expect(lines("\t\"a\": 1\r\n", 1, 2) == ["    1 |  \"a\": 1", "      |  ^"])
    #expect(lines("äö x", 1, 4) == ["    1 | äö x", "      |    ^"])
  }

  @Test func theEndOfALineAndOfTheTextAreInside() {
    #expect(lines("ab", 1, 3) == ["    1 | ab", "      |   ^"])
    #expect(lines("ab\n", 2, 1) == ["    2 | ", "      | ^"])
    #expect(lines("ab", 1, 99) == ["    1 | ab", "      |   ^"])
  }

  @Test func placesOutsideShowNothing() {
    #expect(lines("ab", 2, 1).isEmpty)
    #expect(lines("ab", 0, 1).isEmpty)
  }

  @Test func cutsLongLinesAroundTheColumn() {
    let text = String(repeating: "a", count: 500) + "X" + String(repeating: "b", count: 500)
    let shown = lines(text, 1, 501)
    #expect(shown[0].count < 130)
    let caret = shown[1].firstIndex(of: "^").map { shown[1].distance(from: shown[1].startIndex, to: $0) } ?? 0
    #expect(Array(shown[0])[caret] == "X")
  }

  @Test func controlCharactersDoNotReachTheTerminal() {
    #expect(!lines("a\u{1b}[2Jb", 1, 1).joined().contains("\u{1b}"))
  }
}
