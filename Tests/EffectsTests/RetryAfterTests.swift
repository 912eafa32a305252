import Effects
import Testing

@Suite struct RetryAfterTests {
  private func milliseconds(_ value: String?, date: String? = nil, now: Int64 = 784_111_777_000) -> Int? {
    var fields: [OutboundField] = []
    if let value { fields.append(OutboundField("retry-AFTER", value)) }
    if let date { fields.append(OutboundField("Date", date)) }
    return OutboundResponse(status: 503, fields: fields).retryAfterMilliseconds(nowMilliseconds: now)
  }

  @Test(arguments: [("0", 0), ("7", 7_000), (" 120\t", 120_000), ("007", 7_000)])
  func readsSeconds(value: String, expected: Int) {
    #expect(milliseconds(value) == expected)
  }

  @Test func readsADateAgainstTheWallClock() {
    #expect(milliseconds("Sun, 06 Nov 1994 08:49:39 GMT") == 2_000)
    #expect(milliseconds("Sun, 06 Nov 1994 08:49:30 GMT") == 0)
  }

  @Test func readsADateAgainstTheDateOfTheResponse() {
    #expect(milliseconds("Sun, 06 Nov 1994 08:50:00 GMT", date: "Sun, 06 Nov 1994 08:49:00 GMT", now: 0) == 60_000)
    #expect(milliseconds("Sun, 06 Nov 1994 08:49:39 GMT", date: "not a date") == 2_000)
  }

  @Test(arguments: [nil, "", " ", "-5", "1.5", "5 s", "soon", "+5"]) func passesOverWhatItCannotRead(value: String?) {
    #expect(milliseconds(value) == nil)
  }

  @Test(arguments: ["99999999999999999999999", "9223372036854775807"]) func doesNotOverflow(value: String) {
    #expect(milliseconds(value) == Int.max)
  }

  @Test func doesNotOverflowWithAnAbsurdClock() {
    #expect(milliseconds("Sun, 06 Nov 1994 08:49:39 GMT", now: .min) == Int.max)
    #expect(milliseconds("Sun, 06 Nov 1994 08:49:39 GMT", now: .max) == 0)
  }
}
