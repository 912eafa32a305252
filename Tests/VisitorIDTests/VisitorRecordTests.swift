import Testing

@testable import VisitorID

@Suite struct VisitorRecordTests {
  @Test(
    arguments: [
      (24, 86_400_000), (0.5, 1_800_000), (1e-300, 1), (1e300, .max), (Double.greatestFiniteMagnitude, .max),
      (2_562_047_788_015.3, .max), (0, nil), (-1, nil), (-0.0, nil), (.infinity, nil), (.nan, nil),
    ] as [(Double, Int64?)])
  func takesPositiveFiniteValidities(_ hours: Double, _ milliseconds: Int64?) {
    #expect(VisitorRecord.ttlMilliseconds(hours: hours) == milliseconds)
  }

  @Test func neverEndsWhenItsEndIsBeyondTheClock() {
    let record = VisitorRecord(id: "", createdAtMilliseconds: 5)
    #expect(record.expiry(ttlMilliseconds: .max) == .max)
    #expect(record.isCurrent(at: .max - 1, ttlMilliseconds: .max))
  }

  @Test func takesAnyClock() {
    let record = VisitorRecord(id: "", createdAtMilliseconds: 5)
    for now in [Int64.min, -1, 0, .max] { _ = record.isCurrent(at: now, ttlMilliseconds: 1) }
    #expect(!record.isCurrent(at: .min, ttlMilliseconds: 1000))
    #expect(!record.isCurrent(at: .max, ttlMilliseconds: 1000))
    #expect(VisitorRecord(id: "", createdAtMilliseconds: .max).isCurrent(at: .max - 1, ttlMilliseconds: 1))
  }

  @Test func readsWhatItWrites() throws {
    let record = VisitorRecord(id: "9c5b94b1-35ad-49bb-b118-8e8fc24abf80", createdAtMilliseconds: 1_700_000_000_000)
    #expect(
      String(decoding: record.bytes, as: UTF8.self)
        == #"{"v":1,"id":"9c5b94b1-35ad-49bb-b118-8e8fc24abf80","createdAtMs":1700000000000}"#)
    #expect(VisitorRecord(stored: record.bytes) == record)
  }
}
