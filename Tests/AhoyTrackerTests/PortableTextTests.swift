import Effects
import Testing

@testable import AhoyTracker

@Suite struct PortableTextTests {
  @Test(arguments: [("", ""), ("a b", "a b"), ("a\0b\0", "a\u{fffd}b\u{fffd}"), ("é\u{1}", "é\u{1}")])
  func replacesNUL(_ text: String, _ portable: String) {
    #expect(PortableText.text(text) == portable)
  }

  @Test func cutsANameWhereTheColumnEnds() {
    let longest = String(repeating: "é", count: 255)
    #expect(PortableText.name(longest) == longest)
    #expect(PortableText.name(longest + "x") == longest)
  }

  @Test(arguments: [
    (#"{"a":"b"}"#, #"{"a":"b"}"#), (#"{"a":"\u0000"}"#, #"{"a":"\ufffd"}"#),
    (#"{"\u0000":"x\u0000\u0000y"}"#, #"{"\ufffd":"x\ufffd\ufffdy"}"#), (#"{"a":"\\u0000"}"#, #"{"a":"\\u0000"}"#),
    (#"{"a":"\\\u0000\""}"#, #"{"a":"\\\ufffd\""}"#), (#""\u0001\u00000""#, #""\u0001\ufffd0""#), (#""\"#, #""\"#),
  ])
  func replacesEscapedNULInJSON(_ json: String, _ portable: String) {
    #expect(String(decoding: PortableText.json(Array(json.utf8)), as: UTF8.self) == portable)
  }

  @Test func keepsWhatIsSentPortable() throws {
    let event = PreparedEvent(
      id: "1", name: "a\0" + String(repeating: "x", count: 300), properties: [JSONMember("k", "v\0")],
      timeMilliseconds: 0)
    let value = try JSONReader().value(event.json)
    #expect(value["name"]?.string?.unicodeScalars.count == 255)
    #expect(value["properties"]?["k"]?.string == "v\u{fffd}")
    let registration = VisitRegistration(
      tokens: VisitVectors.tokens, fields: [JSONMember("utm_source", "a\0"), JSONMember("count", 1)])
    #expect(registration.fields == [JSONMember("count", 1), JSONMember("utm_source", "a\u{fffd}")])
  }
}
