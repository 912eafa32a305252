import HTTPWire
import Testing

@Suite struct PathReaderTests {
  @Test func cutsTheFragmentOfATextOnly() throws {
    for (text, subject) in [
      ("https://h/v1/x#frag", "https://h/v1/x"), ("https://h#@x", "https://h/"), ("https://h/?a#b#c", "https://h/?a"),
      ("https://h:443#", "https://h/"), ("https://evil.com#.example.com/", "https://evil.com/"),
    ] {
      let parsed = try parseTarget(text, .cut)
      #expect(parsed.fault == nil)
      #expect(parsed.subject == subject)
      #expect(!parsed.rawPath.contains("#"))
    }
    #expect(try parseTarget("https://h/#a b", .cut).fault == .forbiddenByte)
  }

  static let ambiguous = [
    "/v1/../admin", "/v1/%2e%2e/admin", "/v1/.%2E/admin", "/v1/%2E./admin", "/v1/./x", "/v1/%2e/x", "/v1/..", "/v1/.",
    "/..", "/.", "/%2e", "/../", "/..?x", "/.?x", "/a\\b", "/v1\\..\\admin", "/\\", "/a/..\\b", "/%2E%2E", "/..%2f",
    "/api/..%2Fother", "/api/..%5cother", "/api/..;/other", "/api/.%2e;x/other", "/.;x",
    "/api/x%2f..%2f..%2fother", "/api/x%5C..%5Cother", "/a%2f.", "/a%2F%2e%2e",
  ]

  @Test(arguments: ambiguous) func marksDotSegmentsAndBackslashesAsAmbiguous(path: String) throws {
    let parsed = try parseTarget("https://h" + path)
    #expect(parsed.fault == nil)
    #expect(parsed.url.isAmbiguous)
    // It is still forwarded, as sent.
    #expect(parsed.rawPath == path)
    #expect(try parseTarget("https://h/x?y=" + path).url.isAmbiguous == false)
    #expect(try parseTarget("https://h" + path + "#f", .cut).url.isAmbiguous)
  }

  static let plain = [
    "/v1/..hidden", "/.hidden", "/...", "/a..", "/a.", "/a/b.c/..d", "/%2e%2e%2e", "/%2ea", "/%2f", "/a%2fb", "/%5c",
    "/%2", "/%", "/.%2", "/;..x", "/a;..", "/x?p=../..", "/x?\\", "/%252e/", "/a%2f..b", "/..%2",
  ]

  @Test(arguments: plain) func doesNotTakeOtherPathsForAmbiguous(path: String) throws {
    let parsed = try parseTarget("https://h" + path)
    #expect(parsed.fault == nil)
    #expect(!parsed.url.isAmbiguous)
    #expect(parsed.rawPath == path)
  }

  @Test func escapesEveryHighByteAndNothingElse() throws {
    for byte in UInt8(0x21)...0xff where byte != 0x7f && byte != 0x23 {
      let sent = [UInt8](repeating: 0x61, count: 5) + [byte] + Array("tail".utf8)
      let parsed = try parseTarget(Array("http://h/?".utf8) + sent)
      let hex = String(byte, radix: 16, uppercase: true)
      let seen = byte < 0x80 ? String(decoding: [byte], as: UTF8.self) : "%" + hex
      #expect(parsed.subject == "http://h/?aaaaa\(seen)tail")
    }
  }
}
