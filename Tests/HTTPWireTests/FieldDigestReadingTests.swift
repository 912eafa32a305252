import HTTPWire
import Testing

@Suite struct FieldDigestReadingTests {
  private func request(_ fields: String, version: String = "1.1") throws -> ParsedRequest {
    try parseRequest("POST http://h/ HTTP/\(version)¶Host: h¶" + fields + "¶¶")
  }

  private func response(_ fields: String, version: String = "1.1") throws -> ParsedResponse {
    try parseResponse("HTTP/\(version) 200 OK¶" + fields + "¶¶")
  }

  // Host (RFC 9112, section 3.2)

  @Test func refusesHTTP11WithoutHost() throws {
    #expect(try parseRequest("GET http://h/ HTTP/1.1¶¶").outcome == .refused(.missingHost))
    #expect(try parseRequest("GET http://h/ HTTP/1.0¶¶").outcome == .complete)
  }

  @Test func refusesTwoHosts() throws {
    #expect(try request("Host: h").outcome == .refused(.repeatedHost))
    #expect(try request("hOST: other").outcome == .refused(.repeatedHost))
    #expect(try request("Host: h", version: "1.0").outcome == .refused(.repeatedHost))
  }

  static let validHosts = [
    "", "h", "h:80", "h:", "a.b-c.d_e", "h.example.", "127.0.0.1:8080", "[::1]", "[::1]:8080", "[2001:DB8::1.2.3.4]:",
    "xn--bcher-kva.example", "H.EXAMPLE:65535",
  ]

  @Test(arguments: validHosts) func acceptsValidHosts(host: String) throws {
    #expect(try parseRequest("GET / HTTP/1.1¶Host: \(host)¶¶").outcome == .complete)
  }

  static let invalidHosts = [
    "a b", "a,b", "a/b", "a@b", "user:pw@h", "h:x", "h:-1", "h:0", "h:65536", "h:80:80", "h:99999999999999999999",
    ":80",
    "..", ".", ".h", "a..b", "h..", "[::1", "::1", "[1:2]", "[::1%25eth0]", "[::1]x", "[]", "h%00", "bücher.example",
    "a\\b", "h#", "h?", "http://h", "*", String(repeating: "a", count: 64),
    String(repeating: "a.", count: 127) + "ab",
  ]

  @Test(arguments: invalidHosts) func refusesInvalidHosts(host: String) throws {
    #expect(try parseRequest("GET / HTTP/1.1¶Host: \(host)¶¶").outcome == .refused(.malformedHost))
  }

  @Test(arguments: [
    ("NTLM TlRMTVNTUAAB", true), ("ntlm", true), ("Negotiate YII", true), ("nEGOTIATE\tx", true), ("Basic eDp5", false),
    ("NTLMX y", false), ("Bearer ntlm", false), ("", false),
  ])
  func noticesCredentialsOfAConnection(value: String, isOne: Bool) throws {
    #expect(try request("authorization: \(value)").head.fields.authenticatesConnection == isOne)
    #expect(try request("Proxy-Authorization: \(value)").head.fields.authenticatesConnection == false)
  }

  @Test func doesNotJudgeHostInAResponse() throws {
    #expect(try response("Host: a b¶Host: c").outcome == .complete)
  }

  // Content-Length (RFC 9112, section 6.3, point 5)

  static let faultyLengths = [
    "", "+5", "-1", "0x5", "5,5", "5, 5", ", 5", "5,", "5 5", "5.0", "5e1", "five", "\t", "1_0", "５", "0 ,0",
    "9223372036854775808", "18446744073709551616", "18446744073709551621", "99999999999999999999999999999999",
  ]

  @Test(arguments: faultyLengths) func refusesFaultyContentLengthsInRequests(value: String) throws {
    #expect(try request("Content-Length: \(value)").outcome == .refused(.malformedContentLength))
  }

  @Test func refusesRepeatedContentLengthsInRequests() throws {
    #expect(try request("Content-Length: 5¶Content-Length: 5").outcome == .refused(.conflictingContentLength))
    #expect(try request("Content-Length: 5¶content-length: 6").outcome == .refused(.conflictingContentLength))
  }

  @Test func readsContentLengths() throws {
    #expect(try request("Content-Length: 5").head.body == .length(5))
    #expect(try request("Content-Length: 0").head.body == .none)
    #expect(try request("Content-Length: 0").head.fields.contentLength == 0)
    #expect(try request("Content-Length:\t 0007 \t").head.body == .length(7))
    #expect(try request("Content-Length: 9223372036854775807").head.body == .length(.max))
    #expect(try request("X: y").head.fields.contentLength == -1)
  }

  @Test(arguments: ["5¶Content-Length: 5", "5, 5", "5,5,5", "5 , 05¶Content-Length: 5"])
  func collapsesEqualContentLengthsInResponses(value: String) throws {
    let parsed = try response("Content-Length: \(value)")
    #expect(parsed.outcome == .complete)
    #expect(parsed.head.fields.contentLength == 5)
  }

  static let faultyResponseLengths: [(String, WireFault)] = [
    ("2¶Content-Length: 3", .conflictingContentLength), ("5, 6", .conflictingContentLength),
    ("5¶Content-Length: 5, 6", .conflictingContentLength), ("", .malformedContentLength),
    ("5,", .malformedContentLength), (",5", .malformedContentLength), ("5,,5", .malformedContentLength),
    ("+5", .malformedContentLength), ("-5", .malformedContentLength), ("5, x", .malformedContentLength),
    ("5 5", .malformedContentLength), ("9223372036854775808", .malformedContentLength),
  ]

  @Test(arguments: faultyResponseLengths)
  func refusesFaultyContentLengthsInResponses(value: String, fault: WireFault) throws {
    #expect(try response("Content-Length: \(value)").outcome == .refused(fault))
  }

  // Transfer-Encoding (RFC 9112, sections 6.1 and 6.3)

  @Test(arguments: ["chunked", "Chunked", "CHUNKED", "\tchunked", "chunked\t", "  chunked  "])
  func acceptsChunkedInAnyCaseAndWithinWhiteSpace(value: String) throws {
    #expect(try request("Transfer-Encoding: \(value)").head.body == .chunked)
    #expect(try response("Transfer-Encoding: \(value)").head.body(inResponseTo: .get) == .chunked)
  }

  static let otherCodings: [(String, WireFault)] = [
    ("gzip, chunked", .unsupportedTransferCoding), ("gzip,chunked", .unsupportedTransferCoding),
    ("foo;a=b, chunked", .unsupportedTransferCoding), ("identity, chunked", .unsupportedTransferCoding),
    ("xchunked", .malformedTransferCoding), ("gzip", .malformedTransferCoding), ("identity", .malformedTransferCoding),
    ("", .malformedTransferCoding), ("chunked,", .malformedTransferCoding), (",chunked", .malformedTransferCoding),
    ("chunked, gzip", .malformedTransferCoding), ("chunked, chunked", .malformedTransferCoding),
    ("chunked, identity", .malformedTransferCoding), ("chunked;q=1", .malformedTransferCoding),
    ("chunked x", .malformedTransferCoding), ("\"chunked\"", .malformedTransferCoding),
    ("chunked\u{b}", .forbiddenByteInValue), ("chunked¶Transfer-Encoding: chunked", .malformedTransferCoding),
    ("chunked¶Transfer-Encoding: identity", .malformedTransferCoding),
  ]

  @Test(arguments: otherCodings) func refusesOtherCodingsInRequests(value: String, fault: WireFault) throws {
    #expect(try request("Transfer-Encoding: \(value)").outcome == .refused(fault))
  }

  @Test func readsAResponseInAnotherCodingUntilClose() throws {
    let parsed = try response("Transfer-Encoding: gzip")
    #expect(parsed.outcome == .complete)
    #expect(parsed.head.fields.hasOtherCoding)
    #expect(parsed.head.body(inResponseTo: .get) == .untilClose)
  }

  static let otherResponseCodings = otherCodings.filter { !["gzip", "identity", "xchunked"].contains($0.0) }

  @Test(arguments: otherResponseCodings)
  func refusesCodingsInResponsesThatCannotBeFramed(value: String, fault: WireFault) throws {
    #expect(try response("Transfer-Encoding: \(value)").outcome == .refused(fault))
  }

  static let bothFramings = [
    "Content-Length: 5¶Transfer-Encoding: chunked", "Transfer-Encoding: chunked¶Content-Length: 5",
    "Content-Length: 0¶Transfer-Encoding: chunked", "Transfer-Encoding: chunked¶X: y¶content-length: 50",
  ]

  @Test(arguments: bothFramings) func refusesContentLengthBesideTransferEncoding(fields: String) throws {
    #expect(try request(fields).outcome == .refused(.transferCodingAndContentLength))
    #expect(try response(fields).outcome == .refused(.transferCodingAndContentLength))
  }

  @Test func refusesContentLengthBesideAnotherCodingInAResponse() throws {
    #expect(
      try response("Transfer-Encoding: gzip¶Content-Length: 5").outcome == .refused(.transferCodingAndContentLength))
  }

  @Test func refusesTransferEncodingInHTTP10() throws {
    #expect(try request("Transfer-Encoding: chunked", version: "1.0").outcome == .refused(.transferCodingInHTTP10))
    #expect(try response("Transfer-Encoding: chunked", version: "1.0").outcome == .refused(.transferCodingInHTTP10))
  }

  // Connection and the rest

  static let connections: [(String, close: Bool, keepAlive: Bool, upgrade: Bool, nominates: Bool)] = [
    ("Connection: close", true, false, false, false),
    ("Connection: CLOSE", true, false, false, false),
    ("Connection: keep-alive", false, true, false, false),
    ("Connection: Keep-Alive, Upgrade", false, true, true, false),
    ("Connection: ,close,,", true, false, false, false),
    ("Connection: \t, close \t,", true, false, false, false),
    ("Connection:", false, false, false, false),
    ("Connection: ,", false, false, false, false),
    ("Connection: x-visitor-id, close", true, false, false, true),
    ("Connection: closed", false, false, false, true),
    ("Connection: keep-alive¶X: y¶connection: close¶Connection: te", true, true, false, true),
    ("X-Connection: close", false, false, false, false),
  ]

  @Test(arguments: connections)
  func readsConnectionOptions(fields: String, close: Bool, keepAlive: Bool, upgrade: Bool, nominates: Bool) throws {
    for digest in [try request(fields).head.fields, try response(fields).head.fields] {
      #expect(digest.connectionClose == close)
      #expect(digest.connectionKeepAlive == keepAlive)
      #expect(digest.connectionUpgrade == upgrade)
      #expect(digest.connectionNominates == nominates)
    }
  }

  @Test func readsProxyConnectionInRequestsOnlyAndForPersistenceOnly() throws {
    let fields = "Proxy-Connection: keep-alive, upgrade, x"
    let digest = try request(fields).head.fields
    #expect(digest.connectionKeepAlive && !digest.connectionUpgrade && !digest.connectionNominates)
    #expect(try request("Proxy-Connection: Close").head.fields.connectionClose)
    #expect(try !response("Proxy-Connection: close").head.fields.connectionClose)
  }

  @Test func readsExpectations() throws {
    #expect(try request("Expect: 100-continue").head.fields.expectsContinue)
    #expect(try request("expect: 100-Continue").head.fields.expectsContinue)
    #expect(try !request("Expect: 100-continue").head.fields.hasOtherExpectation)
    for value in ["", "100-continued", "200-ok", "100-continue, 100-continue", "100-continue; x"] {
      let digest = try request("Expect: \(value)").head.fields
      #expect(digest.hasOtherExpectation && !digest.expectsContinue)
    }
  }

  @Test func remembersTheFirstExpectation() throws {
    #expect(try request("X: y¶Expect: 100-continue¶Expect: 100-continue").head.fields.expectIndex == 2)
    #expect(try request("X: y").head.fields.expectIndex == -1)
  }

  @Test(arguments: [
    ("TE: trailers", true), ("te:  Trailers ", true), ("TE: gzip;q=0.5, trailers", true), ("TE:¶TE: trailers", true),
    ("TE: chunked", false), ("TE: trailers;q=0", false), ("TE: trailer", false), ("TE:", false), ("X: trailers", false),
  ])
  func knowsAClientThatTakesTrailers(fields: String, accepts: Bool) throws {
    #expect(try request(fields).head.fields.acceptsTrailers == accepts)
    #expect(try !response(fields).head.fields.acceptsTrailers)
  }

  @Test func noticesADate() throws {
    #expect(try response("date: x").head.fields.hasDate)
    #expect(try !response("Dates: x¶Last-Modified: y").head.fields.hasDate)
  }

  @Test func notesTheOtherFieldsThatMatter() throws {
    let digest = try request("Upgrade: websocket¶Via: 1.1 x¶Trailer: T¶Max-Forwards: 3¶Max-Forwards: 4").head.fields
    #expect(digest.hasUpgrade && digest.hasVia && digest.hasTrailer)
    #expect(digest.maxForwardsIndex == 4)
    #expect(try request("X: y").head.fields.maxForwardsIndex == -1)
  }
}
