import HTTPWire
import ProxyCore
import Testing

@Suite struct LocalAnswerTests {
  private let date = Array("Date: now\r\n".utf8)

  @Test func echoesARequestWithoutItsSecrets() throws {
    let message = [
      "TRACE http://h.example/a?b HTTP/1.1", "Host: h.example", "AUTHORIZATION: Bearer s", "A:  1", "cookie: s=1",
      "Proxy-Authorization: Basic s", "Max-Forwards: 0", "Cookie: t=2",
    ].map { $0 + "\r\n" }.joined()
    let text = try SampleRequest.with(message + "\r\n") { request in
      try written {
        LocalAnswer.appendTrace(to: &$0, request.bytes, request.head, request.parser.lines, date: date, closes: false)
      }
    }
    let echo = "TRACE http://h.example/a?b HTTP/1.1\r\nHost: h.example\r\nA:  1\r\nMax-Forwards: 0\r\n\r\n"
    #expect(
      text == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Type: message/http\r\nContent-Length: \(echo.utf8.count)\r\n\r\n"
        + echo)
  }

  @Test func saysThatItCloses() throws {
    let text = try SampleRequest.with("TRACE http://h/ HTTP/1.0\r\n\r\n") { request in
      try written {
        LocalAnswer.appendTrace(to: &$0, request.bytes, request.head, request.parser.lines, date: date, closes: true)
      }
    }
    #expect(text.contains("\r\nConnection: close\r\n\r\nTRACE http://h/ HTTP/1.0\r\n\r\n"))
    #expect(
      try written { LocalAnswer.appendOptions(to: &$0, date: date, closes: true) }
        == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    #expect(
      try written { LocalAnswer.appendOptions(to: &$0, date: date, closes: false) }
        == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 0\r\n\r\n")
  }
}
