import CohorlyTracker
import Testing

@Suite struct CohorlyLimitsTests {
  @Test func stayBelowWhatTheServerRefuses() {
    #expect(CohorlyLimits.records == 500)
    #expect(CohorlyLimits.bytes < 1_000_000)
  }
}
