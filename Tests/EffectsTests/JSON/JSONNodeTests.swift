import Effects
import Testing

@Suite struct JSONNodeTests {
  @Test func knowsThePlaceOfEachNameAndValue() throws {
    let root = try #require(JSONReader().read(Array("{\n\t\"é\" :\r\n  [true,\t{\"b\": \"x\"}]}".utf8)).root)
    #expect(root.position == JSONPosition(offset: 0, line: 1, column: 1))
    let first = try #require(root.member("é"))
    #expect(first.namePosition == JSONPosition(offset: 3, line: 2, column: 2))
    #expect(first.node.position == JSONPosition(offset: 13, line: 3, column: 3))
    guard case .array(let elements) = first.node.kind else { Issue.record("no array"); return }
    #expect(elements.map(\.position.column) == [4, 10])
    let inner = try #require(elements.last?.member("b"))
    #expect(inner.namePosition.column == 11)
    #expect(inner.node.position.column == 16)
  }

  @Test func writesPointersAsRFC6901Says() {
    let pointer = JSONPointer().appending("a/b").appending(3).appending("m~n").appending("")
    #expect(pointer.description == "/a~1b/3/m~0n/")
    #expect(JSONPointer().description == "")
  }

  @Test func membersAreFoundByTheirBytes() throws {
    let root = try #require(JSONReader().read(Array("{\"e\u{301}\": 1}".utf8)).root)
    #expect(root.member("e\u{301}")?.node.value == 1)
    #expect(root.member("\u{e9}") == nil)
    #expect(root.member("e\u{301}")?.node.member("x") == nil)
  }

  @Test func linesAndColumnsGrowNoFurtherThanTheirType() {
    let position = JSONPosition(offset: .max, line: .max, column: .max)
    #expect(position.offset == Int(UInt32.max))
    #expect(JSONPosition.start < position)
  }
}
