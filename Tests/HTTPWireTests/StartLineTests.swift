import HTTPWire
import Testing

@Suite struct StartLineTests {
  static let methods: [(String, HTTPWire.Method)] = [
    ("GET", .get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("DELETE", .delete), ("CONNECT", .connect),
    ("OPTIONS", .options), ("TRACE", .trace), ("PATCH", .patch), ("get", .other), ("Get", .other),
    ("PROPFIND", .other), ("M-SEARCH", .other), ("X", .other), ("GETS", .other), ("UPDATEREDIRECTREF", .other),
  ]

  @Test(arguments: methods) func forwardsEveryMethodAndKnowsSome(text: String, method: HTTPWire.Method) throws {
    let parsed = try parseRequest("\(text) http://h/ HTTP/1.1¶Host: h¶¶")
    #expect(parsed.outcome == .complete)
    #expect(parsed.head.method == method)
    #expect(parsed.head.methodLength == text.utf8.count)
    #expect(parsed.target == "http://h/")
  }

  @Test func knowsBothVersions() throws {
    #expect(try parseRequest("GET / HTTP/1.0¶¶").head.minorVersion == 0)
    #expect(try parseRequest("GET / HTTP/1.1¶Host: h¶¶").head.minorVersion == 1)
    #expect(try parseResponse("HTTP/1.0 200 OK¶¶").head.minorVersion == 0)
    #expect(try parseResponse("HTTP/1.1 200 OK¶¶").head.minorVersion == 1)
  }

  static let faultyRequestLines: [(String, WireFault)] = [
    ("GET  / HTTP/1.1", .malformedRequestLine),
    ("GET /  HTTP/1.1", .malformedRequestLine),
    ("GET / HTTP/1.1 ", .malformedRequestLine),
    (" GET / HTTP/1.1", .malformedRequestLine),
    ("\tGET / HTTP/1.1", .malformedRequestLine),
    ("GET\t/ HTTP/1.1", .malformedRequestLine),
    ("GET /\tHTTP/1.1", .malformedRequestLine),
    ("GET /a b HTTP/1.1", .malformedRequestLine),
    ("GET", .malformedRequestLine),
    ("GET /", .malformedRequestLine),
    ("GET / ", .malformedRequestLine),
    ("GET / HTTP", .malformedRequestLine),
    ("GET / HTTP/1", .malformedRequestLine),
    ("GET / HTTP/1.", .malformedRequestLine),
    ("GET / HTTP/1.1x", .malformedRequestLine),
    ("GET / HTTP/1.10", .malformedRequestLine),
    ("GET / HTTP/11.1", .malformedRequestLine),
    ("GET / HTTP/1,1", .malformedRequestLine),
    ("GET / http/1.1", .malformedRequestLine),
    ("GET / Http/1.1", .malformedRequestLine),
    ("GET / HTTPS/1.1", .malformedRequestLine),
    ("GET / ICY/1.1", .malformedRequestLine),
    ("GE(T / HTTP/1.1", .malformedRequestLine),
    ("G\u{0}T / HTTP/1.1", .malformedRequestLine),
    ("GET /\u{0} HTTP/1.1", .malformedRequestLine),
    ("GET /\u{1f} HTTP/1.1", .malformedRequestLine),
    ("GET /\u{7f} HTTP/1.1", .malformedRequestLine),
    ("GET http://h/\r HTTP/1.1", .malformedRequestLine),
    ("GET /\n HTTP/1.1", .bareLineFeed),
    ("GET / HTTP/1.1\n", .bareLineFeed),
    ("GET / HTTP/1.1\nHost: h", .bareLineFeed),
    ("\nGET / HTTP/1.1", .bareLineFeed),
    ("GET / HTTP/1.1\r\r", .bareCarriageReturn),
    ("\rGET / HTTP/1.1", .bareCarriageReturn),
    ("GET / HTTP/1.2", .unsupportedVersion),
    ("GET / HTTP/1.9", .unsupportedVersion),
    ("GET / HTTP/0.9", .unsupportedVersion),
    ("GET / HTTP/2.0", .unsupportedVersion),
    ("GET / HTTP/3.1", .unsupportedVersion),
    ("PRI * HTTP/2.0", .unsupportedVersion),
    ("\u{16}\u{3}\u{1}", .malformedRequestLine),
  ]

  @Test(arguments: faultyRequestLines) func refusesFaultyRequestLines(line: String, fault: WireFault) throws {
    #expect(try parseRequest(line + "¶Host: h¶¶").outcome == .refused(fault))
  }

  @Test func keepsHighBytesInATarget() throws {
    #expect(try parseRequest("GET /ü HTTP/1.1¶Host: h¶¶").target == "/ü")
  }

  static let statusLines: [(String, Int, String)] = [
    ("HTTP/1.1 200 OK", 200, "OK"), ("HTTP/1.1 200 ", 200, ""), ("HTTP/1.1 200", 200, ""),
    ("HTTP/1.0 404 Not  Found", 404, "Not  Found"), ("HTTP/1.1 100 Continue", 100, "Continue"),
    ("HTTP/1.1 599 x", 599, "x"), ("HTTP/1.1 200 tab\there", 200, "tab\there"),
    ("HTTP/1.1 299 longer than eight bytes", 299, "longer than eight bytes"),
  ]

  @Test(arguments: statusLines) func readsStatusLines(line: String, status: Int, reason: String) throws {
    let parsed = try parseResponse(line + "¶¶")
    #expect(parsed.outcome == .complete)
    #expect(parsed.head.status == status)
    #expect(parsed.reason == reason)
  }

  static let faultyStatusLines: [(String, WireFault)] = [
    ("", .malformedStatusLine),
    ("¶HTTP/1.1 200 OK", .malformedStatusLine),
    (" HTTP/1.1 200 OK", .malformedStatusLine),
    ("HTTP/1.1  200 OK", .malformedStatusLine),
    ("HTTP/1.1\t200 OK", .malformedStatusLine),
    ("HTTP/1.1", .malformedStatusLine),
    ("HTTP/1.1 ", .malformedStatusLine),
    ("HTTP/1.1 20", .malformedStatusLine),
    ("HTTP/1.1 2000", .malformedStatusLine),
    ("HTTP/1.1 20x OK", .malformedStatusLine),
    ("HTTP/1.1 +20 OK", .malformedStatusLine),
    ("HTTP/1.1 099 low", .malformedStatusLine),
    ("HTTP/1.1 000 low", .malformedStatusLine),
    ("HTTP/1.1 600 high", .malformedStatusLine),
    ("HTTP/1.1 999 high", .malformedStatusLine),
    ("HTTP/1.1 200\tOK", .malformedStatusLine),
    ("HTTP/1.1 200 a\u{0}b", .malformedStatusLine),
    ("HTTP/1.1 200 a\u{7f}b", .malformedStatusLine),
    ("http/1.1 200 OK", .malformedStatusLine),
    ("ICY 200 OK", .malformedStatusLine),
    ("<html>", .malformedStatusLine),
    ("HTTP/1.1 200 OK\n", .bareLineFeed),
    ("HTTP/1.1 200\n", .bareLineFeed),
    ("HTTP/1.1 200 a\rb", .bareCarriageReturn),
    ("HTTP/1.1 200\rb", .bareCarriageReturn),
    ("HTTP/2.0 200 OK", .unsupportedVersion),
    ("HTTP/1.2 200 OK", .unsupportedVersion),
  ]

  @Test(arguments: faultyStatusLines) func refusesFaultyStatusLines(line: String, fault: WireFault) throws {
    #expect(try parseResponse(line + "¶¶").outcome == .refused(fault))
  }
}
