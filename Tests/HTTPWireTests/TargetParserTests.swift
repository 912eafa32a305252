import HTTPWire
import TestKit
import Testing

/// The canonical form that rules look at, its parts and its refusals.
@Suite struct TargetParserTests {
  struct Parsed: Equatable {
    var fault: TargetFault?
    var subject = ""
    var url = CanonicalURL()
    var rawAuthority = ""
    var rawPath = ""

    var host: String { part(url.hostStart, url.hostLength) }
    var origin: String { part(0, url.originLength) }
    var path: String { part(url.originLength, url.pathLength) }

    private func part(_ start: Int, _ length: Int) -> String {
      String(decoding: Array(subject.utf8)[start..<start + length], as: UTF8.self)
    }
  }

  /// Parses the bytes, which end at a page that must not be read, into a subject that ends at another.
  static func parse(_ bytes: [UInt8], _ fragment: FragmentPolicy = .refuse) throws -> Parsed {
    try GuardedBytes.with(bytes) { guarded in
      var subject = OutputBuffer(capacity: TargetParser.subjectCapacity(bytes.count))
      defer { subject.deallocate() }
      var parsed = Parsed()
      let start = UnsafePointer(guarded.start)
      parsed.fault = TargetParser.parseAbsolute(
        start, guarded.count, fragment: fragment, subject: &subject, into: &parsed.url)
      if parsed.fault != nil { return Parsed(fault: parsed.fault) }
      parsed.subject = text(UnsafePointer(subject.base), 0, subject.count)
      parsed.rawAuthority = text(start, parsed.url.rawAuthorityStart, parsed.url.rawAuthorityLength)
      parsed.rawPath = text(start, parsed.url.rawPathStart, parsed.url.rawPathLength)
      #expect(parsed.url.length == subject.count && !subject.overflowed)
      return parsed
    }
  }

  static func parse(_ text: String, _ fragment: FragmentPolicy = .refuse) throws -> Parsed {
    try parse(Array(text.utf8), fragment)
  }

  static let canonical: [(String, String)] = [
    ("http://h/", "http://h/"),
    ("HTTPS://API.EXAMPLE.COM:443/x", "https://api.example.com/x"),
    ("hTTp://h", "http://h/"),
    ("https://api.example.com", "https://api.example.com/"),
    ("https://api.example.com?x=1", "https://api.example.com/?x=1"),
    ("http://h?", "http://h/?"),
    ("http://h/?", "http://h/?"),
    ("http://h:80/", "http://h/"), ("https://h:443", "https://h/"), ("http://h:443/", "http://h:443/"),
    ("https://h:80/", "https://h:80/"), ("http://h:/x", "http://h/x"), ("https://h:0443/x", "https://h/x"),
    ("http://h:0000000000000008080/x", "http://h:8080/x"), ("http://h:65535", "http://h:65535/"),
    ("http://h:1", "http://h:1/"),
    ("http://[::1]:80/x", "http://[::1]/x"), ("http://[::1]", "http://[::1]/"),
    ("http://[2001:DB8::C]:8080?q", "http://[2001:db8::c]:8080/?q"),
    ("http://[::ffff:1.2.3.4]/", "http://[::ffff:1.2.3.4]/"),
    ("http://[0:0:0:0:0:0:0:1]/x", "http://[0:0:0:0:0:0:0:1]/x"),
    ("https://api.example.com./x", "https://api.example.com./x"),
    ("http://2130706433/", "http://2130706433/"), ("http://0x7f.1/", "http://0x7f.1/"),
    ("http://a_b-c.d/", "http://a_b-c.d/"), ("http://-/", "http://-/"),
    ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
    ("http://h/V1/%2F%2f//x;y=1", "http://h/V1/%2F%2f//x;y=1"), ("http://h/100%", "http://h/100%"),
    ("http://h/~u/%7Eu", "http://h/~u/%7Eu"), ("http://h//", "http://h//"), ("http://h/a@b:c", "http://h/a@b:c"),
    ("http://h/ü?ß", "http://h/%C3%BC?%C3%9F"), ("http://h/%zz", "http://h/%zz"),
    ("http://h/a?b?c/../d\\e", "http://h/a?b?c/../d\\e"),
    ("http://h/\"<>[]^`{|}", "http://h/\"<>[]^`{|}"),
    ("https://evil.com?@api.example.com/", "https://evil.com/?@api.example.com/"),
    ("https://evil.com?.example.com/", "https://evil.com/?.example.com/"),
    ("https://evil.com/@api.example.com/", "https://evil.com/@api.example.com/"),
    ("https://evil.com/?u=https://api.example.com/", "https://evil.com/?u=https://api.example.com/"),
  ]

  @Test(arguments: canonical) func writesTheCanonicalForm(text: String, subject: String) throws {
    let parsed = try Self.parse(text)
    #expect(parsed.fault == nil)
    #expect(parsed.subject == subject)
    #expect(!parsed.url.isAmbiguous)
    // The canonical form is a fixed point.
    #expect(try Self.parse(subject).subject == subject)
  }

  static let faults: [(String, TargetFault)] = [
    // Step 1: no byte up to 0x20, no 0x7f, whatever else is wrong.
    ("https://h/a b", .forbiddenByte), (" https://h/", .forbiddenByte), ("https://h/ ", .forbiddenByte),
    ("https://h/\u{0}", .forbiddenByte), ("https://h/\r\n", .forbiddenByte), ("https://h\t/", .forbiddenByte),
    ("https://h/\u{7f}", .forbiddenByte), ("https://h/?\u{1f}", .forbiddenByte), ("ftp://a@b/ ", .forbiddenByte),
    ("https://u@h/\u{1}", .forbiddenByte), ("https://h/#\u{1}", .forbiddenByte), ("/ ", .forbiddenByte),
    // Step 2: http and https with an authority.
    ("ftp://h/", .notHTTP), ("ws://h/", .notHTTP), ("wss://h/", .notHTTP), ("httpx://h/", .notHTTP),
    ("file:///x", .notHTTP), ("a+b-c.1://h", .notHTTP),
    ("", .malformed), ("h", .malformed), ("/v1/orders", .malformed), ("//api.example.com/", .malformed),
    ("api.example.com/", .malformed), ("api.example.com:80", .malformed), ("*", .malformed), ("://h/", .malformed),
    ("https:/api.example.com/", .malformed), ("https:api.example.com/", .malformed), ("http:", .malformed),
    ("http:/", .malformed), ("http:\\\\h/", .malformed), ("1http://h/", .malformed), ("ht_tp://h/", .malformed),
    ("http//h/", .malformed),
    // Step 3: no userinfo.
    ("https://user@h/", .userinfo), ("https://user:pw@h/", .userinfo), ("https://@h/", .userinfo),
    ("https://api.example.com@evil.com/", .userinfo), ("https://api.example.com:443@evil.com/", .userinfo),
    ("https://api.example.com:pw@evil.com/", .userinfo), ("https://api.example.com\\@evil.com/", .userinfo),
    ("https://h:99999@x", .userinfo), ("https://[::1]@h/", .userinfo),
    ("https://x@evil.com:1/.example.com/", .userinfo),
    ("https://a..b%@h?", .userinfo),
    // Step 4: the host.
    ("http://", .malformedHost), ("https://", .malformedHost), ("https:///api.example.com/", .malformedHost),
    ("http://?x", .malformedHost), ("http://:80/", .malformedHost), ("http://./", .malformedHost),
    ("http://.h/", .malformedHost), ("http://a..b/", .malformedHost), ("http://h../", .malformedHost),
    ("https://ex%61mple.com/", .malformedHost), ("https://api.example.com%2eevil.com/", .malformedHost),
    ("https://api.example.com%00.evil.com/", .malformedHost), ("https://api.example.com%2f.evil.com/", .malformedHost),
    ("http://a\\b/", .malformedHost), ("https://bücher.example/", .malformedHost),
    ("https://api。example。com/", .malformedHost), ("https://*.example.com/", .malformedHost),
    ("http://h,i/", .malformedHost), ("http://(h)/", .malformedHost), ("http://[::1", .malformedHost),
    ("http://[]/", .malformedHost), ("http://[1:2]/", .malformedHost), ("http://[www.google.com]/", .malformedHost),
    ("http://[fe80::1%25eth0]/", .malformedHost), ("http://[fe80::1%eth0]/", .malformedHost),
    ("http://[::1]x/", .malformedHost), ("http://[::1]]/", .malformedHost), ("http://[[::1]]/", .malformedHost),
    ("http://::1/", .malformedHost), ("http://[v1.x:y:z]/", .malformedHost),
    ("http://" + String(repeating: "a", count: 64) + "/", .malformedHost),
    ("http://" + String(repeating: "a.", count: 128) + "/", .malformedHost),
    // Step 5: the port.
    ("http://h:0/", .malformedPort), ("http://h:65536/", .malformedPort), ("http://h:99999/", .malformedPort),
    ("http://h:18446744073709551696/", .malformedPort), ("http://h:+80/", .malformedPort),
    ("http://h:-1/", .malformedPort), ("http://h:8o/", .malformedPort), ("http://h:443:443/x", .malformedPort),
    ("http://h:80\\/", .malformedPort), ("http://h:８０/", .malformedPort), ("http://[::1]:x/", .malformedPort),
    // Step 6: no fragment on the wire.
    ("https://h/#f", .fragment), ("https://h#f", .fragment), ("https://h/?a#", .fragment),
    ("https://evil.com#@api.example.com/", .fragment),
  ]

  @Test(arguments: faults) func refusesWithTheFirstBrokenRule(text: String, fault: TargetFault) throws {
    #expect(try Self.parse(text).fault == fault)
  }

  @Test func acceptsTheLongestLabelAndName() throws {
    let label = String(repeating: "a", count: 63)
    #expect(try Self.parse("http://\(label)/").fault == nil)
    let name = Array(repeating: label, count: 4).joined(separator: ".")
    #expect(name.utf8.count == 255)
    #expect(try Self.parse("http://\(name)/").fault == nil)
    #expect(try Self.parse("http://\(name)./").fault == .malformedHost)
  }

  @Test func cutsTheFragmentOfATextOnly() throws {
    for (text, subject) in [
      ("https://h/v1/x#frag", "https://h/v1/x"), ("https://h#@x", "https://h/"), ("https://h/?a#b#c", "https://h/?a"),
      ("https://h:443#", "https://h/"), ("https://evil.com#.example.com/", "https://evil.com/"),
    ] {
      let parsed = try Self.parse(text, .cut)
      #expect(parsed.fault == nil)
      #expect(parsed.subject == subject)
      #expect(!parsed.rawPath.contains("#"))
    }
    #expect(try Self.parse("https://h/#a b", .cut).fault == .forbiddenByte)
  }

  static let ambiguous = [
    "/v1/../admin", "/v1/%2e%2e/admin", "/v1/.%2E/admin", "/v1/%2E./admin", "/v1/./x", "/v1/%2e/x", "/v1/..", "/v1/.",
    "/..", "/.", "/%2e", "/../", "/..?x", "/.?x", "/a\\b", "/v1\\..\\admin", "/\\", "/a/..\\b", "/%2E%2E",
  ]

  @Test(arguments: ambiguous) func marksDotSegmentsAndBackslashesAsAmbiguous(path: String) throws {
    let parsed = try Self.parse("https://h" + path)
    #expect(parsed.fault == nil)
    #expect(parsed.url.isAmbiguous)
    // It is still forwarded, as sent.
    #expect(parsed.rawPath == path)
    #expect(try Self.parse("https://h/x?y=" + path).url.isAmbiguous == false)
    #expect(try Self.parse("https://h" + path + "#f", .cut).url.isAmbiguous)
  }

  static let plain = [
    "/v1/..hidden", "/.hidden", "/...", "/a..", "/a.", "/a/b.c/..d", "/%2e%2e%2e", "/%2ea", "/%2f..", "/..%2f", "/%5c",
    "/%2", "/%", "/.%2", "/..;x", "/x?p=../..", "/x?\\", "/%252e/",
  ]

  @Test(arguments: plain) func doesNotTakeOtherPathsForAmbiguous(path: String) throws {
    let parsed = try Self.parse("https://h" + path)
    #expect(parsed.fault == nil)
    #expect(!parsed.url.isAmbiguous)
    #expect(parsed.rawPath == path)
  }

  @Test func tellsWhereThePartsLie() throws {
    let parsed = try Self.parse("HTTPS://API.Example.com:08443/A/ü?q=/#".replacing("#", with: ""))
    #expect(parsed.url.isSecure && parsed.url.port == 8443)
    #expect(parsed.host == "api.example.com")
    #expect(parsed.origin == "https://api.example.com:8443")
    #expect(parsed.path == "/A/%C3%BC")
    #expect(parsed.rawAuthority == "API.Example.com:08443")
    #expect(parsed.rawPath == "/A/ü?q=/")
    let literal = try Self.parse("http://[::A]?x")
    #expect(literal.url.hostIsIPv6Literal && !parsed.url.hostIsIPv6Literal)
    #expect(literal.host == "[::a]" && literal.url.port == 80 && !literal.url.isSecure)
    #expect(literal.path == "/" && literal.rawPath == "?x" && literal.rawAuthority == "[::A]")
    let empty = try Self.parse("http://h")
    #expect(empty.rawPath.isEmpty && empty.path == "/")
  }

  @Test func escapesEveryHighByteAndNothingElse() throws {
    for byte in UInt8(0x21)...0xff where byte != 0x7f && byte != 0x23 {
      let sent = [UInt8](repeating: 0x61, count: 5) + [byte] + Array("tail".utf8)
      let parsed = try Self.parse(Array("http://h/?".utf8) + sent)
      let hex = String(byte, radix: 16, uppercase: true)
      let seen = byte < 0x80 ? String(decoding: [byte], as: UTF8.self) : "%" + hex
      #expect(parsed.subject == "http://h/?aaaaa\(seen)tail")
    }
  }

  @Test func needsTheRoomThatItStates() throws {
    let bytes = Array("http://h/x".utf8)
    var url = CanonicalURL()
    for capacity in 0..<TargetParser.subjectCapacity(bytes.count) {
      var subject = OutputBuffer(capacity: capacity)
      defer { subject.deallocate() }
      let fault = bytes.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map {
          TargetParser.parseAbsolute($0, buffer.count, fragment: .refuse, subject: &subject, into: &url)
        }
      }
      #expect(fault == .malformed)
    }
  }

  @Test(arguments: [1, 2] as [UInt64]) func survivesRandomDamageAndStaysCanonical(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sources = Self.canonical.map { Array($0.0.utf8) } + Self.faults.map { Array($0.0.utf8) }
    let bytes = Array("/:@[]?#.%\\ \u{0}\u{7f}aA0".utf8) + [0x80, 0xff]
    for _ in 0..<4000 {
      var source = sources.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...3, using: &random) where !source.isEmpty {
        let at = Int.random(in: 0..<source.count, using: &random)
        if Bool.random(using: &random) {
          source.insert(bytes.randomElement(using: &random) ?? 0, at: at)
        } else {
          source.remove(at: at)
        }
      }
      let parsed = try Self.parse(source)
      guard parsed.fault == nil else { continue }
      #expect(parsed.subject.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x23 })
      let again = try Self.parse(parsed.subject)
      #expect(again.subject == parsed.subject && again.url.isAmbiguous == parsed.url.isAmbiguous)
      #expect(parsed.origin.hasPrefix(parsed.url.isSecure ? "https://" + parsed.host : "http://" + parsed.host))
      #expect(parsed.path.first == "/" && parsed.url.port > 0 && !parsed.host.isEmpty)
    }
  }
}
