import FootfallApp
import Testing

@Suite struct TextTableTests {
  @Test func alignsColumnsAndLeavesNoSpacesAtTheEnds() {
    var table = TextTable([("NAME", .left), ("N", .right), ("LAST", .left)])
    table.append(["long name", "7", "x"])
    table.append(["b", "1,000", ""])
    #expect(table.lines == ["NAME           N  LAST", "long name      7  x", "b          1,000"])
  }

  @Test func aLineFeedDoesNotBreakARow() {
    var table = TextTable([("NAME", .left)])
    table.append(["a\nb\u{1b}c"])
    #expect(table.lines.count == 2)
    #expect(!table.lines.joined().contains("\n"))
    #expect(!table.lines.joined().contains("\u{1b}"))
  }
}
