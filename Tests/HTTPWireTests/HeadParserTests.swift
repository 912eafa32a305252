import HTTPWire
import Testing

@Suite struct HeadParserTests {
  @Test func readsAnAbsoluteFormRequest() throws {
    let parsed = try parseRequest(
      "GET http://h.example/a?b HTTP/1.1\r\nHost: h.example\r\nUser-Agent: x\r\nAccept:\t*/* \t\r\n\r\nbody")
    #expect(parsed.outcome == .complete)
    #expect(parsed.head.method == .get)
    #expect(parsed.head.minorVersion == 1)
    #expect(parsed.target == "http://h.example/a?b")
    #expect(parsed.fields.map(\.name) == ["Host", "User-Agent", "Accept"])
    #expect(parsed.fields.map(\.value) == ["h.example", "x", "*/*"])
    #expect(parsed.head.fields.hostIndex == 0)
  }
  @Test func smoke() throws {
    guard case .success(let r) = canonicalURLText("HTTPS://API.Example.com:443?x=1#f") else {
      Issue.record("no"); return
    }
    #expect(r.text == "https://api.example.com/?x=1")
    var s = ChunkedStream(output: .chunked)
    var b = Array("5;x=y\r\nhello\r\n0\r\nX-T: v\r\nContent-Length: 4\r\n\r\nrest".utf8)
    let n = b.count
    let res = b.withUnsafeMutableBufferPointer { s.process($0.baseAddress!, n) }
    #expect(res.consumed == n - 4)
    #expect(String(decoding: b[..<res.produced], as: UTF8.self) == "5\r\nhello\r\n0\r\n")
    #expect(String(decoding: s.trailerSection, as: UTF8.self) == "X-T: v\r\n\r\n")
    let r2 = try parseResponse("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n")
    #expect(r2.outcome == .complete && r2.head.fields.contentLength == 5 && r2.reason == "OK")
  }
}
