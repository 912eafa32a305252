import HTTPWire
import TestKit
import Testing

/// The canonical form that rules look at, its parts and its refusals.
@Suite struct TargetParserTests {
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
    let parsed = try parseTarget(text)
    #expect(parsed.fault == nil)
    #expect(parsed.subject == subject)
    #expect(!parsed.url.isAmbiguous)
    // The canonical form is a fixed point.
    #expect(try parseTarget(subject).subject == subject)
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
    ("http://[1::2::3]/", .malformedHost), ("http://[:1]/", .malformedHost), ("http://[1.2.3.4]/", .malformedHost),
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
    #expect(try parseTarget(text).fault == fault)
  }

  @Test(arguments: [
    ("http://h/", false), ("http://h:80/", false), ("http://h:8080/", false), ("http://h:/", true), ("http://h:", true),
    ("http://h:080/", true), ("http://[::1]:0080/", true), ("http://[::1]/", false), ("http://h/:0", false),
  ])
  func noticesAnOddlyWrittenPort(text: String, isOdd: Bool) throws {
    #expect(try parseTarget(text).url.hasOddPort == isOdd)
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
      let parsed = try parseTarget(source)
      guard parsed.fault == nil else { continue }
      #expect(parsed.subject.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x23 })
      let again = try parseTarget(parsed.subject)
      #expect(again.subject == parsed.subject && again.url.isAmbiguous == parsed.url.isAmbiguous)
      #expect(parsed.origin.hasPrefix(parsed.url.isSecure ? "https://" + parsed.host : "http://" + parsed.host))
      #expect(parsed.path.first == "/" && parsed.url.port > 0 && !parsed.host.isEmpty)
    }
  }
}
