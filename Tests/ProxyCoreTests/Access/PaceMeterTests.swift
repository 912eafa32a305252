import ProxyCore
import Testing

@Suite struct PaceMeterTests {
  private static let second: UInt64 = 1_000_000_000

  /// Moves `bytes` after each `interval` until the peer is too slow; after how many seconds that was, nil for never.
  private func lasts(bytes: Int, every interval: UInt64, patience: UInt64, rate: Int = 500, steps: Int = 2000)
    -> UInt64?
  {
    var meter = PaceMeter()
    var now = 7 * Self.second
    meter.start(at: now, patience: patience)
    for _ in 0..<steps {
      now += interval
      if !meter.moved(bytes, at: now, perSecond: rate, patience: patience) { return now / Self.second - 7 }
    }
    return nil
  }

  @Test func endsTheOneThatTrickles() throws {
    let seconds = try #require(lasts(bytes: 1, every: Self.second, patience: 60 * Self.second))
    #expect((60...62).contains(seconds))
    #expect(try #require(lasts(bytes: 1, every: 59 * Self.second, patience: 60 * Self.second)) <= 120)
  }

  @Test(arguments: [
    (500, 1), (600, 1), (5000, 10), (30_000, 59), (1 << 20, 59),
  ])
  func bearsTheOneThatIsSlowButMoves(bytes: Int, seconds: Int) {
    #expect(lasts(bytes: bytes, every: UInt64(seconds) * Self.second, patience: 60 * Self.second) == nil)
  }

  @Test func savesUpNoMoreThanThePatience() {
    var isInTime: Bool
    var meter = PaceMeter()
    meter.start(at: 0, patience: 10 * Self.second)
    isInTime = meter.moved(1 << 30, at: Self.second, perSecond: 500, patience: 10 * Self.second)
    #expect(isInTime)
    isInTime = meter.moved(1, at: 12 * Self.second, perSecond: 500, patience: 10 * Self.second)
    #expect(!isInTime)
  }

  @Test func countsOnlyTheTimeInWhichThePeerIsWaitedFor() {
    var isInTime: Bool
    var meter = PaceMeter()
    meter.start(at: 0, patience: 10 * Self.second)
    meter.resume(at: 1000 * Self.second)
    isInTime = meter.moved(1, at: 1009 * Self.second, perSecond: 500, patience: 10 * Self.second)
    #expect(isInTime)
  }

  @Test func bearsAnyNumbers() {
    var isInTime: Bool
    var meter = PaceMeter()
    meter.start(at: .max, patience: .max)
    isInTime = meter.moved(.max, at: 0, perSecond: 0, patience: .max)
    #expect(isInTime)
    isInTime = meter.moved(-1, at: .max, perSecond: -1, patience: .max)
    #expect(isInTime)
  }
}
