import Effects
import Testing

@Suite struct JSONReaderTests {
  private func reading(_ text: String) -> JSONReader.Reading { JSONReader().read(Array(text.utf8)) }

  /// Each issue as `line:column code pointer`.
  private func issues(_ text: String) -> [String] { describe(reading(text).issues) }

  private func describe(_ issues: [JSONSyntaxIssue]) -> [String] {
    issues.map { issue in
      let place = "\(issue.position.line):\(issue.position.column) \(issue.code.rawValue)"
      return issue.pointer.steps.isEmpty ? place : "\(place) \(issue.pointer)"
    }
  }

  private static let valid: [(String, JSONValue)] = [
    ("null", JSONValue.null), (" true\n", .bool(true)), ("false", .bool(false)), ("0", .integer(0)),
    ("-0", .integer(0)), ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("9223372036854775808", .double(9_223_372_036_854_775_808)), ("1.5e3", .double(1500)), ("1E-2", .double(0.01)),
    (#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀""#, .string("a\"\\/\u{8}\u{c}\n\r\té😀é😀")),
    ("\"\u{2028}\u{7f}\"", .string("\u{2028}\u{7f}")), (#""\u0000""#, .string("\0")),
    ("[]", .array([])), ("{}", .object([])), ("[1, [2], {}]", [1, [2], .object([])]),
    (#"{"b": 1, "a": {"c": null}}"#, ["b": 1, "a": ["c": nil]]),
  ]

  @Test(arguments: valid)
  func readsWhatRFC8259Allows(_ text: String, _ expected: JSONValue) throws {
    #expect(try JSONReader().value(text) == expected)
  }

  private static let invalid: [(String, [String])] = [
    ("", ["1:1 empty-document"]), (" \n ", ["2:2 empty-document"]),
    ("\u{FEFF}{}", ["1:1 byte-order-mark"]),
    ("{} // c", ["1:4 comment"]), ("/* a\n */ {}", ["1:1 comment"]), ("# c\n1", ["1:1 comment"]),
    ("{} /*", ["1:4 comment"]),
    ("[1,]", ["1:3 trailing-comma"]), ("{\"a\": 1,\n}", ["1:8 trailing-comma"]),
    ("[1,,2]", ["1:4 missing-value"]), ("[,1]", ["1:2 missing-value"]), ("{,}", ["1:2 missing-value"]),
    ("[1 2]", ["1:3 missing-comma"]), ("{\"a\": 1\n\"b\": 2}", ["1:8 missing-comma"]),
    ("[1; 2]", ["1:3 missing-comma"]),
    (#"{"a" 1}"#, ["1:5 missing-colon /a"]), (#"{"a" = 1}"#, ["1:5 missing-colon /a"]),
    (#"{"a": }"#, ["1:7 missing-value /a"]), (#"{"a", "b": 1}"#, ["1:5 missing-value /a"]),
    ("{a: 1}", ["1:2 unquoted-name"]), ("{1: 1, \"b\": 2}", ["1:2 unquoted-name"]),
    ("{@: 1, \"b\": 2}", ["1:2 missing-name"]),
    ("['a']", ["1:2 single-quotes /0"]), ("{'a': 1}", ["1:2 single-quotes"]),
    ("[\"a]", ["1:2 unterminated-string /0"]), ("[\"a,\n\"b\"]", ["1:2 unterminated-string /0"]),
    ("\"a\tb\"", ["1:3 control-character"]), ("\"a\u{1}b\"", ["1:3 control-character"]),
    (#""\x""#, ["1:2 invalid-escape"]), (#""\u12g4""#, ["1:2 invalid-escape"]),
    (#""\ud800""#, ["1:2 lone-surrogate"]), (#""\udc00x""#, ["1:2 lone-surrogate"]),
    (#""\ud800\u0041""#, ["1:2 lone-surrogate"]),
    ("01", ["1:1 leading-zero"]), ("-01.5", ["1:1 leading-zero"]),
    ("[1., 2]", ["1:2 malformed-number /0"]), (".5", ["1:1 malformed-number"]), ("+1", ["1:1 malformed-number"]),
    ("0x1F", ["1:1 malformed-number"]), ("1e", ["1:1 malformed-number"]), ("-", ["1:1 malformed-number"]),
    ("10s", ["1:1 malformed-number"]), ("-Infinity", ["1:1 malformed-number"]),
    ("1e999", ["1:1 number-out-of-range"]),
    ("[NaN, 2]", ["1:2 unknown-literal /0"]), ("True", ["1:1 unknown-literal"]), ("[tru]", ["1:2 unknown-literal /0"]),
    (#"{"a": 1, "a": 2}"#, ["1:10 duplicate-key /a"]), (#"{"a": 1, "\u0061": 2}"#, ["1:10 duplicate-key /a"]),
    ("[1}", ["1:3 mismatched-bracket"]), (#"{"a": [1, {"b": 2}"#, ["1:19 unterminated-container /a"]),
    (#"{"a": [[1 }"#, ["1:11 mismatched-bracket /a/0"]), ("[", ["1:2 unterminated-container"]),
    ("[@]", ["1:2 unexpected-character /0"]), ("{} {}", ["1:4 trailing-content"]),
    ("]", ["1:1 missing-value", "1:1 trailing-content"]),
  ]

  @Test(arguments: invalid)
  func refusesWhatIsNoJSON(_ text: String, _ expected: [String]) {
    #expect(issues(text) == expected)
    #expect(throws: JSONSyntaxIssue.self) { try JSONReader().value(text) }
  }

  @Test(
    arguments: [
      [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
      [0x22, 0xe2, 0x82, 0x22], [0x22, 0x80, 0x22], [0xff, 0xfe, 0x22, 0x00],
    ] as [[UInt8]])
  func refusesInvalidUTF8(_ bytes: [UInt8]) {
    #expect(JSONReader().read(bytes).issues.first?.code == .invalidUTF8)
  }

  @Test func namesOfDifferentBytesAreDifferentNames() throws {
    // Equal to `String`, by canonical equivalence.
    #expect(issues("{\"\u{e9}\": 1, \"e\u{301}\": 2}") == [])
  }

  @Test func goesOnAfterEachMistake() throws {
    let text = """
      {
        // where to listen
        "a": 1
        "b": [1, 2,],
        "a": 3,
        c: 'x',
        "d": NaN,
        "e": "é\tz",
        "f": 007,
        "g": {"h": tru, "i" 1},
      }
      """
    #expect(
      issues(text) == [
        "2:3 comment", "3:9 missing-comma", "4:13 trailing-comma /b", "5:3 duplicate-key /a", "6:3 unquoted-name",
        "6:6 single-quotes /c", "7:8 unknown-literal /d", "8:10 control-character /e", "9:8 leading-zero /f",
        "10:14 unknown-literal /g/h", "10:22 missing-colon /g/i", "10:25 trailing-comma",
      ])
    let root = try #require(reading(text).root)
    #expect(root.member("a")?.node.value == 1)
    #expect(root.member("c")?.node.value == "x")
    #expect(root.member("g")?.node.member("i")?.node.value == 1)
  }

  @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
  func depthIsALimitAndNoCrash(_ opening: String) {
    let bytes = Array(String(repeating: opening, count: 1_000_000).utf8)
    let issues = JSONReader().read(bytes).issues
    #expect(issues.map(\.code) == [.tooDeep])
  }

  @Test func goesOnAfterWhatIsTooDeep() {
    let deep = String(repeating: "[", count: 500) + "\"]\\\"\"" + String(repeating: "]", count: 500)
    #expect(describe(JSONReader().read(Array("[\(deep), 01]".utf8)).issues.filter { $0.code != .tooDeep }).count == 1)
    let accepted = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    #expect(issues(accepted) == [])
    #expect(reading("[\(accepted)]").issues.map(\.code) == [.tooDeep])
  }

  @Test(arguments: [
    ("", "1:1: the file is empty"), (" \n", "2:1: the file is empty"),
    ("{\n \"a\": [1", "2:9: /a: the file ends, but the '[' of line 2, column 7 is not closed"),
    ("// x\n{}", "1:1: comments are not JSON: remove the comment"),
    (#"{"a": 1,"# + "\n" + #" "a": 2}"#, #"2:2: /a: the key "a" is already on line 1: remove one of them"#),
    ("[1}", "1:3: '}' where ']' must close the '[' of line 1, column 1"),
  ])
  func saysWhatIsWrongAndWhere(_ text: String, _ message: String) {
    #expect(JSONReader(subject: "the file").read(Array(text.utf8)).issues.first?.description == message)
  }

  @Test func inputHasACap() {
    var limits = JSONReader.Limits()
    limits.bytes = 4
    #expect(JSONReader(limits: limits).read(Array("true".utf8)).issues.isEmpty)
    #expect(JSONReader(limits: limits).read(Array("false".utf8)).issues.map(\.code) == [.inputTooLarge])
  }

  @Test func stopsAfterTooManyIssues() {
    let issues = reading("[" + String(repeating: "01,", count: 1000) + "1]").issues
    #expect(issues.count == 101)
    #expect(issues.last?.code == .tooManyIssues)
  }
}
