import HTTPWire
import Testing

@Suite struct HeadParserTests {
  @Test func readsAnAbsoluteFormRequest() throws {
    let parsed = try parseRequest(
      "GET http://h.example/a?b HTTP/1.1¶Host: h.example¶User-Agent: x¶Accept:\t*/* \t¶Empty:¶¶body")
    #expect(parsed.outcome == .complete)
    #expect(parsed.head.method == .get)
    #expect(parsed.head.minorVersion == 1)
    #expect(parsed.target == "http://h.example/a?b")
    #expect(parsed.fields.map(\.name) == ["Host", "User-Agent", "Accept", "Empty"])
    #expect(parsed.fields.map(\.value) == ["h.example", "x", "*/*", ""])
    #expect(parsed.fields.map(\.id) == [.host, .other, .other, .other])
    #expect(parsed.head.fields.count == 4)
    #expect(parsed.head.fields.hostIndex == 0)
    #expect(parsed.head.start == 0)
    #expect(parsed.head.body == .none)
  }

  @Test func readsAResponse() throws {
    let parsed = try parseResponse("HTTP/1.1 200 Very OK¶Server: s¶Content-Length: 3¶¶abc")
    #expect(parsed.outcome == .complete)
    #expect(parsed.head.status == 200)
    #expect(parsed.reason == "Very OK")
    #expect(parsed.fields.map(\.value) == ["s", "3"])
    #expect(parsed.head.length == message("HTTP/1.1 200 Very OK¶Server: s¶Content-Length: 3¶¶").count)
    #expect(parsed.head.body(inResponseTo: .get) == .length(3))
  }

  @Test func skipsEmptyLinesBeforeARequestAndCountsThem() throws {
    let parsed = try parseRequest("¶¶GET / HTTP/1.0¶¶")
    #expect(parsed.outcome == .complete)
    #expect(parsed.head.start == 4)
    #expect(parsed.head.targetStart == 8)
    #expect(parsed.head.length == 22)
  }

  /// Octets from 0x80 on are data (RFC 9112, section 2.2), in values and reasons alike.
  @Test func keepsBytesAbove7FUnchanged() throws {
    let high = Array(UInt8(0x80)...0xff)
    let request = try parseRequest(message("GET / HTTP/1.1¶Host: h¶X: ") + high + message("¶¶"))
    #expect(request.outcome == .complete)
    #expect(request.fields.last?.value == String(decoding: high, as: UTF8.self))
    let response = try parseResponse(message("HTTP/1.1 200 ") + high + message("¶X: ") + high + message("¶¶"))
    #expect(response.outcome == .complete)
    #expect(response.reason == String(decoding: high, as: UTF8.self))
  }

  @Test func keepsTabsInsideAValue() throws {
    let parsed = try parseRequest("GET / HTTP/1.1¶Host: h¶X: \ta\tb\t\tlonger than a word\t¶¶")
    #expect(parsed["X"] == "a\tb\t\tlonger than a word")
  }

  static let faultyFields: [(String, WireFault)] = [
    ("Host: h\n", .bareLineFeed),
    ("Host: h\nX: y", .bareLineFeed),
    ("Host: h¶\nX: y", .bareLineFeed),
    ("Host: h¶X\n", .bareLineFeed),
    ("Host: h¶\rX: y", .bareCarriageReturn),
    ("Host: a\rXContent-Length: 31", .bareCarriageReturn),
    ("Host: h¶X: a\rTransfer-Encoding: chunked", .bareCarriageReturn),
    ("Host: h¶X: a\r\r", .bareCarriageReturn),
    (" Host: h", .whitespaceBeforeFirstField),
    ("\tHost: h", .whitespaceBeforeFirstField),
    ("Host: h¶ folded", .foldedLine),
    ("Host: h¶X: a¶\tfolded", .foldedLine),
    ("Host: h¶Content-Length: 5¶ 0", .foldedLine),
    ("Host: h¶: empty", .malformedFieldName),
    ("Host: h¶no colon", .whitespaceBeforeColon),
    ("Host: h¶nocolon", .malformedFieldName),
    ("Host: h¶Content-Length:¶6¶", .malformedContentLength),
    ("Host: h¶6¶", .malformedFieldName),
    ("Host: h¶X@Y: z", .malformedFieldName),
    ("Host: h¶X\u{0}Y: z", .malformedFieldName),
    ("Host: h¶\u{0}: z", .malformedFieldName),
    ("Host: h¶Naïve: z", .malformedFieldName),
    ("Host: h¶(X): z", .malformedFieldName),
    ("Host: h¶X-longer-than-a-word[]: z", .malformedFieldName),
  ]

  @Test(arguments: faultyFields) func refusesFaultyFieldLines(fields: String, fault: WireFault) throws {
    #expect(try parseRequest("GET / HTTP/1.1¶" + fields + "¶¶").outcome == .refused(fault))
    #expect(try parseResponse("HTTP/1.1 200 OK¶" + fields + "¶¶").outcome == .refused(fault))
  }

  @Test(arguments: ["Host : h", "Host\t: h", "Host: h¶Transfer-Encoding : chunked"])
  func refusesWhiteSpaceBeforeTheColonInARequestAlone(fields: String) throws {
    #expect(try parseRequest("GET / HTTP/1.1¶" + fields + "¶¶").outcome == .refused(.whitespaceBeforeColon))
    let response = try parseResponse("HTTP/1.1 200 OK¶" + fields + "¶¶")
    #expect(response.outcome == .complete)
    #expect(response.head.fields.hasSpacedName)
  }

  @Test func readsAFieldWithASpacedNameLikeAnyOther() throws {
    let response = try parseResponse("HTTP/1.1 200 OK¶Content-Length \t: 5¶X: y¶¶")
    #expect(response.head.fields.contentLength == 5)
    #expect(response.fields.map(\.name) == ["Content-Length", "X"])
    #expect(try !parseResponse("HTTP/1.1 200 OK¶Content-Length:5 ¶¶").head.fields.hasSpacedName)
    #expect(try parseResponse("HTTP/1.1 200 OK¶X \t").outcome == .incomplete)
    #expect(try parseResponse("HTTP/1.1 200 OK¶X ¶: y¶¶").outcome == .refused(.whitespaceBeforeColon))
  }

  @Test(arguments: (UInt8(0)...0x1f).filter { ![0x09, 0x0a, 0x0d].contains($0) } + [0x7f])
  func refusesControlBytesInValues(byte: UInt8) throws {
    // At every distance from a word's start, so that both the word scan and its tail see it.
    for padding in 0..<18 {
      let value = [UInt8](repeating: 0x61, count: padding) + [byte] + Array("tail".utf8)
      let fields = message("Host: h¶X: ") + value + message("¶¶")
      #expect(try parseRequest(message("GET / HTTP/1.1¶") + fields).outcome == .refused(.forbiddenByteInValue))
      #expect(try parseResponse(message("HTTP/1.1 200 OK¶") + fields).outcome == .refused(.forbiddenByteInValue))
    }
  }

  @Test func acceptsEveryTokenByteInAName() throws {
    let name = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    let parsed = try parseRequest("GET / HTTP/1.1¶Host: h¶\(name): v¶¶")
    #expect(parsed[name] == "v")
  }

  @Test(
    arguments: (UInt8(0)...0xff).filter { byte in
      !(0x30...0x39).contains(byte) && !(0x41...0x5a).contains(byte) && !(0x61...0x7a).contains(byte)
        && !"!#$%&'*+-.^_`|~:".utf8.contains(byte)
    })
  func refusesEveryOtherByteInAName(byte: UInt8) throws {
    for padding in [1, 7, 8, 15] {
      let name = [UInt8](repeating: 0x61, count: padding) + [byte] + Array("b: v".utf8)
      let outcome = try parseRequest(message("GET / HTTP/1.1¶Host: h¶") + name + message("¶¶")).outcome
      guard case .refused = outcome else {
        Issue.record("\(byte) after \(padding) letters: \(outcome)")
        continue
      }
    }
  }

  static let names: [(String, FieldID)] = [
    ("Host", .host), ("content-length", .contentLength), ("TRANSFER-ENCODING", .transferEncoding),
    ("Connection", .connection), ("Proxy-Connection", .proxyConnection), ("Keep-Alive", .keepAlive), ("TE", .te),
    ("Upgrade", .upgrade), ("Trailer", .trailer), ("Expect", .expect), ("Via", .via), ("Date", .date),
    ("Max-Forwards", .maxForwards), ("Proxy-Authorization", .proxyAuthorization),
    ("Proxy-Authenticate", .proxyAuthenticate), ("Proxy-Authentication-Info", .proxyAuthenticationInfo),
    ("HTTP2-Settings", .http2Settings), ("Proxy", .proxy), ("Hose", .other), ("Vib", .other), ("TF", .other),
    ("Content-Lengti", .other), ("Content_Length", .other), ("Transfer-Encodinh", .other), ("Upgradf", .other),
    ("Keep_Alive", .other), ("Connectio", .other), ("Connections", .other), ("X", .other),
  ]

  @Test(arguments: names) func tellsFieldsByNameInAnyCase(name: String, id: FieldID) throws {
    for spelling in [name, name.lowercased(), name.uppercased()] {
      // A status line without fields beside it: only the name is in question.
      let value = id == .contentLength ? "0" : id == .transferEncoding ? "chunked" : "1"
      let parsed = try parseResponse("HTTP/1.1 200 OK¶\(spelling): \(value)¶¶")
      #expect(parsed.fields.map(\.id) == [id])
    }
  }
}
