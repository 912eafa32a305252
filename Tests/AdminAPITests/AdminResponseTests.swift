import AdminAPI
import Testing

@Suite struct AdminResponseTests {
  @Test func framesTheBodyByItsLength() {
    let response = AdminResponse(status: 200, contentType: "text/plain", body: Array("hello".utf8))
    let text = String(decoding: response.message(omittingBody: false, closing: false, now: 0), as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"))
    #expect(text.hasSuffix("Content-Length: 5\r\n\r\nhello"))
    #expect(!text.contains("Connection:"))
  }

  @Test func headHasTheLengthButNotTheBody() {
    let response = AdminResponse(status: 404, contentType: "text/plain", body: Array("hello".utf8))
    let text = String(decoding: response.message(omittingBody: true, closing: true, now: 0), as: UTF8.self)
    #expect(text.hasSuffix("Content-Length: 5\r\nConnection: close\r\n\r\n"))
  }

  @Test(arguments: AdminError.Code.allCases)
  func everyErrorStatusHasAReason(code: AdminError.Code) {
    let response = AdminError(code, "message", hint: "hint").response
    let text = String(decoding: response.message(omittingBody: true, closing: false, now: 0), as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 \(code.status) "))
    #expect(!text.hasPrefix("HTTP/1.1 \(code.status) Status"))
  }
}
