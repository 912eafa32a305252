import AdminAPI
import Testing

@Suite struct QueryStringTests {
  @Test(arguments: [
    ("url=http%3A%2F%2Fh%2F%3Fa%3D1%26b", "url", "http://h/?a=1&b"),
    ("a=1&url=x", "url", "x"),
    ("url=a+b", "url", "a+b"),
    ("url=a=b", "url", "a=b"),
    ("verbose", "verbose", ""),
    ("%75rl=x", "url", "x"),
    ("&&url=%C3%A4", "url", "ä"),
  ])
  func decodesNamesAndValues(text: String, name: String, value: String) throws {
    #expect(try #require(QueryString(text)).value(of: name) == value)
  }

  @Test(arguments: ["a=%", "a=%4", "a=%zz", "%=x", "a=%FF", "a=%C3"])
  func refusesBrokenEncodings(text: String) { #expect(QueryString(text) == nil) }

  @Test func encodesWhatItDecodes() {
    let text = "http://höst/päth?a=b&c=%20 +"
    #expect(QueryString.decoded(QueryString.encoded(text)) == text)
    #expect(QueryString.encoded("a&b") == "a%26b")
  }
}
