import Effects
import Testing

@Suite struct JSONValueTests {
  private let value: JSONValue = ["n": 1, "t": "x", "b": true, "l": [1, 2], "o": ["i": nil], "d": 1.5]

  @Test func givesWhatIsThere() {
    #expect(value["n"]?.integer == 1)
    #expect(value["t"]?.string == "x")
    #expect(value["b"]?.bool == true)
    #expect(value["l"]?.array == [1, 2])
    #expect(value["o"]?.members == [JSONMember("i", nil)])
  }

  @Test func givesNilForWhatIsNot() {
    #expect(value["x"] == nil)
    #expect(value["t"]?["x"] == nil)
    #expect(value["n"]?.string == nil)
    #expect(value["t"]?.integer == nil)
    #expect(value["d"]?.integer == nil)
    #expect(value["n"]?.bool == nil)
    #expect(value["o"]?.array == nil)
    #expect(value["l"]?.members == nil)
  }

  @Test func membersKeepTheirOrder() {
    #expect(value.members?.map(\.name) == ["n", "t", "b", "l", "o", "d"])
    #expect(["a": 1, "b": 2] as JSONValue != ["b": 2, "a": 1])
  }
}
