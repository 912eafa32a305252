import Effects
import Testing

@Suite struct JSONWriterTests {
  static let values: [(JSONValue, String)] = [
    (nil, "null"), (true, "true"), (.integer(.min), "-9223372036854775808"), (1.5, "1.5"), (.double(.nan), "null"),
    (.double(.infinity), "null"), ("a\"\\/\u{8}\n\u{7f}\u{2028}é😀", #""a\"\\/\u0008\n\u007f\u2028é😀""#),
    ([], "[]"), (.object([]), "{}"), (["b": 1, "a": [nil, false]], #"{"b":1,"a":[null,false]}"#),
  ]

  @Test(arguments: values)
  func writesOneLine(_ value: JSONValue, _ text: String) {
    #expect(JSONWriter.text(value) == text)
  }

  @Test func indentsForPeople() {
    let value: JSONValue = ["a": [1, .object([])], "b": "c"]
    #expect(
      JSONWriter.text(value, indentation: 2) == """
        {
          "a": [
            1,
            {}
          ],
          "b": "c"
        }
        """)
  }

  @Test func readsBackWhatTheWriterWrites() throws {
    let value: JSONValue = [
      "text": "\u{0}\u{1f}\"\\/\u{7f}\u{2028}\u{2029}é😀",
      "n": [0, -1, 1.5, 1e300, .double(.leastNonzeroMagnitude), .integer(.min)],
      "t": [true, false, nil], "empty": ["o": .object([]), "a": .array([])],
    ]
    for indentation in [0, 2] {
      #expect(try JSONReader().value(JSONWriter.text(value, indentation: indentation)) == value)
    }
  }
}
