import Effects
import Testing

@Suite struct JSONMemberRangesTests {
  private func read(_ text: String) -> [String]? {
    let bytes = Array(text.utf8)
    return JSONMemberRanges(bytes)?.members.map { member in
      String(decoding: bytes[member.name], as: UTF8.self) + "=" + String(decoding: bytes[member.value], as: UTF8.self)
    }
  }

  @Test(arguments: [
    ("{}", []), (" { } ", []), (#"{"a":1}"#, ["a=1"]),
    (#"{"a":"x","b":[1,{"c":"}"}],"d":null}"#, ["a=\"x\"", #"b=[1,{"c":"}"}]"#, "d=null"]),
    (#"{ "a" : -1.5e3 , "b" : true }"#, ["a=-1.5e3", "b=true"]),
    (#"{"a\"b":"\\","c":"\\\""}"#, [#"a\"b="\\""#, #"c="\\\"""#]), (#"{"a":{},"b":[]}"#, ["a={}", "b=[]"]),
    (#"{"é":"ü"}"#, [#"é="ü""#]),
  ])
  func findsMembers(_ text: String, _ members: [String]) { #expect(read(text) == members) }

  @Test(arguments: [
    "", " ", "{", "}", "[]", "1", #"{"a"}"#, #"{"a":}"#, #"{"a":1"#, #"{"a":1}}"#, #"{"a":1} 2"#, #"{a:1}"#,
    #"{"a" 1}"#,
    #"{"a":1,}"#, #"{"a":"x}"#, #"{"a":"x\"}"#, #"{"a":[1}"#, #"{"a":1 2}"#, #"{"a":"x" "y"}"#, #"{"a\"#,
  ])
  func refusesWhatIsNoObject(_ text: String) { #expect(read(text) == nil) }

  @Test func readsAPartOfATextOnly() throws {
    let bytes = Array(#"{"outer":{"inner":"v"},"x":1}"#.utf8)
    let outer = try #require(JSONMemberRanges(bytes)?.members.first)
    let inner = try #require(JSONMemberRanges(bytes, in: outer.value)?.members.first)
    #expect(JSONMemberRanges.string(inner.value, in: bytes) == "v")
    #expect(JSONMemberRanges(bytes, in: 5..<3_000) == nil)
  }

  @Test(
    arguments: [
      (#""plain""#, "plain"), (#""a\"b\u00e9\n""#, "a\"b\u{e9}\n"), (#""""#, ""), ("12", nil), (#""\u00zz""#, nil),
      ("\"", nil),
    ] as [(String, String?)])
  func undoesEscapes(_ text: String, _ value: String?) {
    let bytes = Array(text.utf8)
    #expect(JSONMemberRanges.string(bytes.indices, in: bytes) == value)
  }

  /// What the whole reader takes for an object, this finds the same members in.
  @Test func agreesWithTheReader() {
    var generator = SystemRandomNumberGenerator()
    let pieces = ["{", "}", "[", "]", ",", ":", "\"", "\\", "a", "1", " ", "\"a\"", "\"a\":1", "null", "\"b\":[{}]"]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<10, using: &generator)
      let text = "{" + (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined() + "}"
      let reading = JSONReader().read(Array(text.utf8))
      guard reading.issues.isEmpty, let members = reading.root?.value.members else { continue }
      let bytes = Array(text.utf8)
      let found = JSONMemberRanges(bytes)
      #expect(found?.members.count == members.count, "\(text)")
      for (own, wanted) in zip(found?.members ?? [], members) {
        let value = JSONReader().read(Array(bytes[own.value]))
        #expect(value.issues.isEmpty && value.root?.value == wanted.value, "\(text)")
      }
    }
  }
}
