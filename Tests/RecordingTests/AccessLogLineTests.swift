import Foundation
import ProxyCore
import Testing

@testable import Recording

@Suite struct AccessLogLineTests {
  private func text(_ record: ExchangeRecord) -> String {
    String(decoding: AccessLogLine.ndjson(record), as: UTF8.self)
  }

  @Test func usesTheNamesOfTheConventions() {
    #expect(
      text(fullRecord())
        == #"{"time":"2026-11-29T07:25:55.123Z","http.request.method":"GET","http.response.status_code":200,"#
        + #""url.scheme":"http","server.address":"api.example.com","server.port":80,"url.path":"/v1/items","#
        + #""http.request.size":312,"http.response.size":1099511627776,"duration_ms":1234.567,"#
        + #""upstream.connect_ms":0.089,"upstream.first_byte_ms":1000.000,"upstream.reused":true,"#
        + #""proxy.mode":"forward","tls.mode":"none","rule":["api","v1"],"injected":["x-visitor-id"],"#
        + #""error.code":"upstream-timeout"}"# + "\n")
  }

  @Test func neverHoldsAnIdOrAQuery() {
    var record = fullRecord()
    record.visitorID = "SECRET-ID"
    for url in [
      "http://h:80/p?SECRET-ID", "http://h:80?SECRET-ID", "https://h:443/p?a=1&token=SECRET-ID#SECRET-ID",
      "http://h:80/p#SECRET-ID", "h:443?SECRET-ID", "http://SECRET-ID@h:80/p", "http://h/?x=/SECRET-ID",
    ] {
      record.url = url
      #expect(!text(record).contains("SECRET-ID"), "\(url)")
      #expect(text(record).contains(#""server.address":"h","#), "\(url)")
    }
  }

  @Test(
    arguments: [
      ("http://a.example:8080/x/y", "http", "a.example", 8080, "/x/y"),
      ("https://a.example:443/", "https", "a.example", 443, "/"),
      ("http://a.example/x", "http", "a.example", 80, "/x"), ("https://a.example", "https", "a.example", 443, "/"),
      ("http://[2001:db8::1]:81/x", "http", "2001:db8::1", 81, "/x"), ("http://[::1]/", "http", "::1", 80, "/"),
      ("https://h:443/a:80/b", "https", "h", 443, "/a:80/b"),
    ] as [(String, String, String, Int64, String)])
  func takesAURLApart(url: String, scheme: String, host: String, port: Int64, path: String) {
    let target = LoggedTarget(url)
    #expect(target.scheme == scheme)
    #expect(target.host == host)
    #expect(target.port == port)
    #expect(target.path == path)
  }

  @Test func showsATunnelWithoutSchemeAndPath() {
    var record = ExchangeRecord()
    record.mode = .tunnel
    record.method = "CONNECT"
    record.url = "[2001:db8::1]:443"
    let line = text(record)
    #expect(line.contains(#""server.address":"2001:db8::1","server.port":443,"http.request.size""#))
    #expect(line.contains(#""tls.mode":"tunnel""#))
    #expect(!line.contains("url."))
    #expect(!line.contains("status_code"))
  }

  @Test(arguments: [
    "", ":", "::", "http://", "http://:/", "[", "[]", "http://[", "@", "?", "a:b:c", "http://h:99999999999999999999/",
  ])
  func survivesAnyText(url: String) throws {
    var record = ExchangeRecord()
    record.url = url
    #expect(try JSONSerialization.jsonObject(with: Data(AccessLogLine.ndjson(record))) is [String: Any])
  }

  @Test func isOneLineWhateverTheTextHolds() throws {
    var record = fullRecord()
    record.url = "http://h:80/\r\n\u{1b}[31m\u{202e}\u{2028}\u{0}"
    record.method = "G\nT"
    record.rules = ["a\nb"]
    let line = AccessLogLine.ndjson(record)
    #expect(line.count { $0 == 10 } == 1)
    #expect(line.last == 10)
    #expect(!line.dropLast().contains { $0 < 0x20 || $0 == 0x7f })
    let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
    #expect(object?["http.request.method"] as? String == "G\nT")
  }
}
