import AhoyTracker
import Effects
import Testing

@Suite struct VisitRecordTests {
  static let record = VisitRecord(
    tokens: VisitVectors.tokens, createdAtMilliseconds: VisitVectors.start,
    fields: [JSONMember("utm_source", "é"), JSONMember("platform", "Linux"), JSONMember("count", 3)])

  @Test func comesBackAsItWasStored() {
    #expect(VisitRecord(stored: Self.record.bytes) == Self.record)
    let confirmed = Self.record.confirmed(by: VisitVectors.backend)
    #expect(VisitRecord(stored: confirmed.bytes) == confirmed)
    #expect(confirmed.isRegistered(at: VisitVectors.backend))
    #expect(!confirmed.isRegistered(at: "https://other.example/ahoy/visits"))
    #expect(!Self.record.isRegistered(at: VisitVectors.backend))
  }

  @Test func isOneLineOfJSON() {
    #expect(
      VisitVectors.text(Self.record.confirmed(by: "u").bytes)
        == #"{"v":1,"visit":"B054681C-100B-46FE-94A0-7AACA78116CB","visitor":"EB4DCB73-2B32-52CD-A2CF-AD7948674B22","createdAtMs":1700000000000,"fields":{"count":3,"platform":"Linux","utm_source":"é"},"registeredAt":"u"}"#
    )
  }

  @Test(arguments: [
    "", "{}", "null", "not JSON", #"{"v":2,"visit":"a","visitor":"b","createdAtMs":1,"fields":{}}"#,
    #"{"v":1,"visit":"","visitor":"b","createdAtMs":1,"fields":{}}"#,
    #"{"v":1,"visit":"a","visitor":"null","createdAtMs":1,"fields":{}}"#,
    #"{"v":1,"visit":"a\r\nb","visitor":"b","createdAtMs":1,"fields":{}}"#,
    #"{"v":1,"visit":"a","createdAtMs":1,"fields":{}}"#, #"{"v":1,"visit":"a","visitor":"b","fields":{}}"#,
    #"{"v":1,"visit":"a","visitor":"b","createdAtMs":-1,"fields":{}}"#,
    #"{"v":1,"visit":"a","visitor":"b","createdAtMs":"1","fields":{}}"#,
    #"{"v":1,"visit":"a","visitor":"b","createdAtMs":1}"#,
    #"{"v":1,"visit":"a","visitor":"b","createdAtMs":1,"fields":[]}"#,
    #"{"v":1,"visit":"a","visitor":"b","createdAtMs":1,"fields":{},"registeredAt":true}"#,
    #"{"v":1,"visit":"a","visitor":"b","createdAtMs":1,"fields":{}"#,
  ])
  func readsNothingThatItWouldNotWrite(_ text: String) {
    #expect(VisitRecord(stored: Array(text.utf8)) == nil)
  }

  /// Fixed from the beginning; exactly at the end it is over.
  @Test(arguments: [(-14_400_000, true), (-1000, true), (-1, true), (0, false), (1000, false)] as [(Int64, Bool)])
  func isCurrentBeforeItsEnd(_ offset: Int64, _ isCurrent: Bool) {
    let end = VisitVectors.start + VisitVectors.window
    #expect(Self.record.expiry(windowMilliseconds: VisitVectors.window) == end)
    #expect(Self.record.isCurrent(at: end + offset, windowMilliseconds: VisitVectors.window) == isCurrent)
  }

  @Test(
    arguments: [
      (0, true), (5 * 60 * 1000, true), (5 * 60 * 1000 + 1, false), (24 * 3_600_000, false),
    ] as [(Int64, Bool)])
  func isOverWhenTheClockGoesBackTooFar(_ back: Int64, _ isCurrent: Bool) {
    #expect(
      Self.record.isCurrent(at: VisitVectors.start - back, windowMilliseconds: VisitVectors.window) == isCurrent)
  }

  @Test func neverEndsBeyondWhatTheClockShows() {
    #expect(Self.record.expiry(windowMilliseconds: .max) == .max)
    #expect(Self.record.isCurrent(at: .max - 1, windowMilliseconds: .max))
    #expect(
      VisitRecord(tokens: VisitVectors.tokens, createdAtMilliseconds: .max).isCurrent(at: .max, windowMilliseconds: 1)
        == false)
  }

  @Test(
    arguments: [
      (14_400, 14_400_000), (0.0001, 1), (0, nil), (-1, nil), (.nan, nil), (.infinity, nil), (1e300, .max), (1.5, 1500),
    ] as [(Double, Int64?)])
  func takesPositiveFiniteDurations(_ seconds: Double, _ milliseconds: Int64?) {
    #expect(VisitRecord.windowMilliseconds(seconds: seconds) == milliseconds)
  }
}
