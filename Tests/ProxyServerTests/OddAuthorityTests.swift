import Foundation
import ProxyCore
import ProxyServer
import TestKit
import Testing

/// Absolute-form targets with odd authorities: refused with words, or read, dialled and forwarded alike.
@Suite struct OddAuthorityTests {
  @Test(arguments: [
    ("http://", "the host is empty"), ("http:///x", "the host is empty"), ("http://?x", "the host is empty"),
    ("http://:80/", "the host is empty"), ("http://@/", "user name"), ("http://u@127.0.0.1/", "user name"),
    ("http://u:p@127.0.0.1/", "user name"), ("http://127.0.0.1:1@h/", "user name"),
    ("http://127.0.0.1:0/", "the port is not"), ("http://127.0.0.1:99999/", "the port is not"),
    ("http://127.0.0.1:-1/", "the port is not"), ("http://127.0.0.1:8o/", "the port is not"),
    ("http://127.0.0.1:1:2/", "the port is not"), ("http://[fe80::1%25lo]/", "zone"), ("http://[::1%lo]/", "zone"),
    ("http://[1::2::3]/", "not an IPv6 address"), ("http://[127.0.0.1]/", "not an IPv6 address"),
    ("http://[::1/", "not closed"), ("http://[::1]x/", "behind the brackets"), ("http://::1/", "without brackets"),
    ("http://127.0.0.%31/", "percent-escapes"), ("http://127.0.0.1%00/", "percent-escapes"),
    ("http://b\u{fc}cher.invalid/", "outside ASCII"), ("http://\u{ff11}27.0.0.1/", "outside ASCII"),
    ("http://127..1/", "label of the host is empty"), ("http://127.0.0.1../", "label of the host is empty"),
    ("http://127.0.0.1\\@h/", "user name"), ("http://127.0.0.1\\h/", "the host is not"),
    ("http:127.0.0.1", "no // behind"), ("http:/127.0.0.1/", "no // behind"), ("http:\\\\127.0.0.1/", "no // behind"),
    ("127.0.0.1/", "not a URL"), ("127.0.0.1:80", "not a URL"), ("http//127.0.0.1/", "not a URL"),
    ("http://127.0.0.1/ x", "single spaces"), ("http://127.0.0.1 /", "single spaces"),
    ("http://127.0.0.1/#f", "fragment"),
  ])
  func answers400AndNamesWhatIsWrong(target: String, words: String) throws {
    let proxy = try ProxyFixture()
    for version in ["HTTP/1.1", "HTTP/1.0"] {
      let client = try proxy.client()
      try client.send(message("GET \(target) \(version)"))
      let response = try client.readResponse()
      #expect(response.status == 400)
      #expect(response.body.contains(words), "\(response.body)")
      #expect(response["Connection"] == "close")
      #expect(try client.readToEnd() == [])
    }
    #expect(proxy.counters.dials == 0)
  }

  @Test(arguments: [
    ("127.0.0.1", "%", "127.0.0.1:%"), ("127.0.0.1", "00%", "127.0.0.1:%"), ("LOCALHOST", "0%", "LOCALHOST:%"),
    ("localhost", "%", "localhost:%"),
  ])
  func forwardsTheAuthorityThatItDialled(host: String, port: String, forwarded: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("here") }
    func text(_ pattern: String) -> String { pattern.replacingOccurrences(of: "%", with: "\(origin.port)") }
    let response = try proxy.response(
      to: message("GET http://\(host):\(text(port))?q HTTP/1.1", "X-Forwarded-Host: other"))
    #expect(response.body == "here")
    #expect(origin.requests.first?.hasPrefix("GET /?q HTTP/1.1\r\nHost: \(text(forwarded))\r\n") == true)
    #expect(try proxy.records(1).first?.url == "http://\(host.lowercased()):\(origin.port)/")
  }
}
