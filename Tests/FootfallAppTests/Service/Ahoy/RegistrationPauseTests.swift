import Testing

@testable import FootfallApp

@Suite struct RegistrationPauseTests {
  @Test func doublesUpToHalfAMinute() {
    var pause = RegistrationPause()
    var previous: Int64 = 0
    for failure in 1...30 {
      let length = pause.fail(asked: nil, isForPeople: false, now: 1000, random: UInt64.max)
      #expect(length >= previous / 2)
      #expect(length <= 30_000)
      #expect(failure > 9 || length <= 1000 << Int64(failure - 1))
      #expect(pause.until == 1000 + length)
      previous = length
    }
    #expect(previous >= 15_000)
  }

  @Test func heedsTheServerWithinReason() {
    var pause = RegistrationPause()
    #expect(pause.fail(asked: 7_000, isForPeople: false, now: 0, random: 0) == 7_000)
    #expect(pause.fail(asked: Int.max, isForPeople: false, now: 0, random: 0) == 3_600_000)
    #expect(pause.fail(asked: nil, isForPeople: true, now: .max, random: 0) >= 150_000)
    #expect(pause.until == .max)
  }
}
