import ProxyCore
import Testing

@Suite struct DateFieldTests {
  @Test func followsTheClockBothWays() {
    var field = DateField()
    func text(_ milliseconds: Int64) -> String { String(decoding: field.line(at: milliseconds), as: UTF8.self) }
    #expect(text(1_796_022_323_000) == "Date: Mon, 30 Nov 2026 07:05:23 GMT\r\n")
    #expect(text(1_796_022_323_999) == "Date: Mon, 30 Nov 2026 07:05:23 GMT\r\n")
    #expect(text(1_796_022_324_000) == "Date: Mon, 30 Nov 2026 07:05:24 GMT\r\n")
    #expect(text(0) == "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n")
  }
}
