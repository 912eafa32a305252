import Foundation
import HTTPWire
import ProxyCore
import Testing

@Suite struct ErrorPageTests {
  private func page(
    _ error: ProxyError, detail: String = "", withoutBody: Bool = false, closes: Bool = false
  ) throws -> (head: [String], body: String) {
    let text = try written {
      ErrorPage.append(
        to: &$0, error, date: Array("Date: now\r\n".utf8), detail: detail, withoutBody: withoutBody, closes: closes)
    }
    let end = try #require(text.range(of: "\r\n\r\n"))
    return (text[..<end.lowerBound].components(separatedBy: "\r\n"), String(text[end.upperBound...]))
  }

  @Test(arguments: ProxyError.allCases)
  func saysWhatHappenedAndWhatToDo(error: ProxyError) throws {
    let (head, body) = try page(error, detail: "h.example", closes: true)
    #expect(head[0] == "HTTP/1.1 \(error.status) \(ErrorPage.reason(error.status))")
    #expect(ErrorPage.reason(error.status) != "Error")
    #expect(head.contains("Content-Length: \(body.utf8.count)"))
    #expect(head.contains("Date: now"))
    #expect(head.contains("Proxy-Status: footfall; error=\(error.proxyStatus); details=\"\(error.code): h.example\""))
    #expect(head.contains("Content-Type: text/plain; charset=utf-8"))
    #expect(head.contains("X-Content-Type-Options: nosniff"))
    #expect(head.contains("Cache-Control: no-store"))
    #expect(head.contains("Connection: close"))
    #expect(head.contains("Retry-After: 1") == ([429, 503].contains(error.status)))
    #expect(body.contains(error.summary) && body.contains(error.hint) && body.contains(error.code))
    #expect(body.contains("\nh.example\n"))
  }

  @Test func letsNothingOfARequestOutOfItsPlace() throws {
    let (head, body) = try page(
      .nameNotFound, detail: "a\r\nSet-Cookie: x\r\n\r\n<script>\"\\\u{0}\u{1b}[31m\u{202e}é")
    #expect(!head.contains { $0.hasPrefix("Set-Cookie") })
    #expect(
      head.contains(
        "Proxy-Status: footfall; error=dns_error; details=\"name_not_found: aSet-Cookie: x<script>\\\"\\\\[31m\""))
    #expect(body.utf8.allSatisfy { $0 == 0x0a || (0x20..<0x7f).contains($0) })
    #expect(head.contains("Content-Length: \(body.utf8.count)"))
  }

  @Test func cutsALongDetail() throws {
    let (head, _) = try page(.nameNotFound, detail: String(repeating: "a", count: 10_000))
    #expect(head.allSatisfy { $0.utf8.count < 400 })
  }

  @Test func tellsHEADTheLengthAndSendsNoBody() throws {
    let whole = try page(.connectionRefused)
    let (head, body) = try page(.connectionRefused, withoutBody: true)
    #expect(body.isEmpty)
    #expect(head == whole.head)
    #expect(!head.contains("Connection: close"))
  }
}
