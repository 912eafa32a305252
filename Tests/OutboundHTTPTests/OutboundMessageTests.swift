import Effects
import HTTPWire
import TestKit
import Testing

@testable import OutboundHTTP

@Suite struct OutboundMessageTests {
  private func wire(_ request: OutboundRequest) throws -> String {
    String(decoding: try OutboundMessage(request).bytes, as: UTF8.self)
  }

  private func refusal(_ request: OutboundRequest) -> TransportError? {
    do throws(TransportError) {
      _ = try OutboundMessage(request)
      return nil
    } catch {
      return error
    }
  }

  @Test func addsWhatTheTransportAdds() throws {
    let request = OutboundRequest(
      url: "http://Example.COM:3000/ahoy/visits?a=1&b=%20",
      fields: [OutboundField("Content-Type", "application/json"), OutboundField("Ahoy-Visit", "x y")],
      body: Array("{}".utf8))
    let expected =
      "POST /ahoy/visits?a=1&b=%20 HTTP/1.1\r\nHost: example.com:3000\r\nContent-Type: application/json\r\n"
      + "Ahoy-Visit: x y\r\nContent-Length: 2\r\n\r\n{}"
    #expect(try wire(request) == expected)
  }

  @Test(arguments: [
    ("http://a.example", "/", "a.example", "a.example", 80, false),
    ("https://a.example?q", "/?q", "a.example", "a.example", 443, true),
    ("https://a.example:443/x", "/x", "a.example", "a.example", 443, true),
    ("https://a.example:80/x", "/x", "a.example:80", "a.example", 80, true),
    ("http://[::1]:8080/p", "/p", "[::1]:8080", "::1", 8080, false),
    ("http://a.example/ü", "/%C3%BC", "a.example", "a.example", 80, false),
    ("http://a.example/a//b/../c", "/a//b/../c", "a.example", "a.example", 80, false),
  ])
  func readsURLs(
    _ url: String, _ target: String, _ field: String, _ host: String, _ port: UInt16, _ isSecure: Bool
  ) throws {
    let message = try OutboundMessage(OutboundRequest(method: "GET", url: url))
    #expect(message.authority == OutboundAuthority(isSecure: isSecure, host: host, port: port))
    #expect(
      String(decoding: message.bytes, as: UTF8.self) == "GET \(target) HTTP/1.1\r\nHost: \(field)\r\n\r\n")
  }

  @Test(arguments: [
    ("GET", false), ("HEAD", false), ("DELETE", false), ("POST", true), ("PUT", true), ("PATCH", true),
  ])
  func announcesAnEmptyBodyWhereOneIsExpected(_ method: String, _ isAnnounced: Bool) throws {
    let text = try wire(OutboundRequest(method: method, url: "http://a.example/"))
    #expect(text.contains("Content-Length: 0\r\n") == isAnnounced)
  }

  @Test(arguments: [
    "", "/path", "a.example", "ftp://a.example/", "http:///x", "http://", "http://user@a.example/",
    "http://user:secret@a.example/", "http://a.example/#x", "http://a.example/a b", "http://a.example/\r\nX: y",
    "http://a.example:0/", "http://a.example:65536/", "http://a..example/", "http://[::1/", "http://ü.example/",
  ])
  func refusesURLs(_ url: String) {
    let error = refusal(OutboundRequest(url: url))
    #expect(error?.code == .invalidRequest)
    #expect(error?.mayHaveArrived == false)
    #expect(error?.detail.contains("secret") == false)
  }

  @Test(arguments: [
    OutboundField("X", "a\rb"), OutboundField("X", "a\nb"), OutboundField("X", "a\r\nInjected: b"),
    OutboundField("X", "a\0b"), OutboundField("X", "a\u{7f}"), OutboundField("", "a"), OutboundField("X Y", "a"),
    OutboundField("X:", "a"), OutboundField("X\r\nY", "a"), OutboundField("Ü", "a"),
    OutboundField("Host", "evil"), OutboundField("content-LENGTH", "1"), OutboundField("Connection", "close"),
    OutboundField("Transfer-Encoding", "chunked"), OutboundField("Expect", "100-continue"),
    OutboundField("Upgrade", "h2c"), OutboundField("TE", "trailers"), OutboundField("Trailer", "x"),
  ])
  func refusesFields(_ field: OutboundField) {
    #expect(refusal(OutboundRequest(url: "http://a.example/", fields: [field]))?.code == .invalidRequest)
  }

  @Test func tellsNoValueThatItRefuses() {
    let field = OutboundField("Authorization", "Bearer topsecret\n")
    #expect(refusal(OutboundRequest(url: "http://a.example/", fields: [field]))?.detail.contains("topsecret") == false)
  }

  @Test(arguments: ["", "GET ", "G\r\nT", "CONNECT", "GÉT"])
  func refusesMethods(_ method: String) {
    #expect(refusal(OutboundRequest(method: method, url: "http://a.example/"))?.code == .invalidRequest)
  }

  @Test func sendsTabsAndBytesBeyondASCII() throws {
    let request = OutboundRequest(
      method: "GET", url: "http://a.example/", fields: [OutboundField("X", "a\tü")])
    #expect(try wire(request).contains("X: a\tü\r\n"))
  }
}
