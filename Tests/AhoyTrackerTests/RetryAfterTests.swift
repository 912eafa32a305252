import AhoyTracker
import Effects
import Testing

@Suite struct RetryAfterTests {
  static func wait(_ value: String?, date: String? = nil, now: Int64? = nil) -> Int? {
    var fields: [OutboundField] = []
    if let value { fields.append(OutboundField("retry-after", value)) }
    if let date { fields.append(OutboundField("date", date)) }
    return RetryAfter.milliseconds(in: OutboundResponse(status: 503, fields: fields), at: now)
  }

  @Test(
    arguments: [
      (nil, nil), ("", nil), ("soon", nil), ("-1", nil), ("1.5", nil), ("1 2", nil), ("0", 0), ("1", 1000),
      (" 120 ", 120_000),
      ("86400", 86_400_000), ("86401", 86_400_000), ("99999999999999999999999999", 86_400_000),
    ] as [(String?, Int?)])
  func readsSeconds(_ value: String?, _ milliseconds: Int?) {
    #expect(Self.wait(value) == milliseconds)
  }

  @Test func countsADateFromTheDateOfTheAnswer() {
    let date = "Mon, 30 Nov 2026 07:05:23 GMT"
    #expect(Self.wait("Mon, 30 Nov 2026 07:05:53 GMT", date: date) == 30_000)
    #expect(Self.wait("Mon, 30 Nov 2026 07:05:53 GMT", date: date, now: 0) == 30_000)
    #expect(Self.wait("Mon, 30 Nov 2026 07:05:13 GMT", date: date) == 0)
    #expect(Self.wait("Thu, 03 Dec 2026 07:05:13 GMT", date: date) == 86_400_000)
  }

  @Test func countsADateFromNowElse() {
    let now = HTTPDate.milliseconds(of: "Mon, 30 Nov 2026 07:05:23 GMT")
    #expect(Self.wait("Mon, 30 Nov 2026 07:05:53 GMT", now: now) == 30_000)
    #expect(Self.wait("Mon, 30 Nov 2026 07:05:53 GMT") == nil)
    #expect(Self.wait("Mon, 31 Nov 2026 07:05:53 GMT", now: now) == nil)
  }
}
