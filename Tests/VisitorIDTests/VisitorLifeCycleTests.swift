import Effects
import TestKit
import Testing

@testable import VisitorID

@Suite struct VisitorLifeCycleTests {
  static let hour = VisitorHarness.hour

  @Test func livesForItsValidityFromCreationHoweverOftenItIsRead() throws {
    let harness = VisitorHarness()
    let first = try #require(harness.visitor.current())
    for _ in 0..<23 {
      harness.clock.advance(milliseconds: Self.hour)
      #expect(harness.visitor.current() == first)
    }
    harness.clock.advance(milliseconds: Self.hour - 1)
    #expect(harness.visitor.current() == first)
    harness.clock.advance(milliseconds: 1)
    let second = try #require(harness.visitor.current())
    #expect(second != first)
    #expect(harness.restarted().visitor.current() == second)
    #expect(harness.store.writes == 2)
  }

  @Test func isRenewedOnlyWhenItIsAskedFor() {
    let harness = VisitorHarness()
    _ = harness.visitor.current()
    let before = harness.stored
    harness.clock.advance(milliseconds: 100 * Self.hour)
    #expect(harness.stored == before)
    _ = harness.visitor.current()
    #expect(harness.stored != before)
  }

  @Test func measuresTheValidityOfTodayFromTheStoredCreation() {
    let harness = VisitorHarness()
    let id = harness.visitor.current()
    harness.clock.advance(milliseconds: 2 * Self.hour)
    var shorter = VisitorIDConfiguration.example
    shorter.ttlHours = 1
    var longer = VisitorIDConfiguration.example
    longer.ttlHours = 100
    #expect(harness.restarted(longer).visitor.current() == id)
    #expect(harness.restarted(shorter).visitor.current() != id)
  }

  @Test(
    arguments: [(0, true), (5 * 60 * 1000, true), (5 * 60 * 1000 + 1, false), (24 * hour, false)] as [(Int64, Bool)])
  func expiresWhenTheClockGoesBackTooFar(_ back: Int64, _ isKept: Bool) {
    let harness = VisitorHarness()
    let id = harness.visitor.current()
    let now = harness.clock.millisecondsSinceEpoch()
    harness.clock.set(millisecondsSinceEpoch: now - back)
    #expect((harness.visitor.current() == id) == isKept)
    #expect((harness.restarted().visitor.current() == id) == isKept)
  }

  @Test(arguments: [
    "", "{}", "null", "[]", "not JSON",
    #"{"v":2,"id":"00000000-0000-4001-8000-000000000001","createdAtMs":1700000000000}"#,
    #"{"v":1,"id":"00000000-0000-4001-8000-00000000000A","createdAtMs":1700000000000}"#,
    #"{"v":1,"id":"x\r\ny","createdAtMs":1700000000000}"#, #"{"v":1,"createdAtMs":1700000000000}"#,
    #"{"v":1,"id":"00000000-0000-4001-8000-000000000001","createdAtMs":"1700000000000"}"#,
    #"{"v":1,"id":"00000000-0000-4001-8000-000000000001","createdAtMs":1.7e12}"#,
    #"{"v":1,"id":"00000000-0000-4001-8000-000000000001","createdAtMs":-1}"#,
    #"{"v":1,"id":"00000000-0000-4001-8000-000000000001","createdAtMs":9223372036854775807}"#,
    #"{"v":1,"id":"00000000-0000-4001-8000-000000000001","createdAtMs":1700000000000"#,
  ])
  func replacesARecordThatItCannotRead(_ record: String) throws {
    let harness = VisitorHarness(tokens: SequenceTokenSource(first: 7))
    harness.store.plant(Array(record.utf8), forKey: "visitor-id")
    #expect(harness.visitor.current() == "00000000-0000-4007-8000-000000000007")
    #expect(harness.visitor.isPersisted)
    #expect(harness.restarted().visitor.current() == "00000000-0000-4007-8000-000000000007")
  }

  @Test func readsTheRecordOfTheContract() {
    let harness = VisitorHarness()
    harness.store.plant(
      Array(#"{"v":1,"id":"9c5b94b1-35ad-49bb-b118-8e8fc24abf80","createdAtMs":1699999999999}"#.utf8),
      forKey: "visitor-id")
    #expect(harness.visitor.current() == "9c5b94b1-35ad-49bb-b118-8e8fc24abf80")
    #expect(harness.store.writes == 0)
    #expect(harness.tokens.count == 0)
  }

  @Test func usesTheIDFromMemoryWhileItCannotBeStored() {
    let harness = VisitorHarness()
    harness.store.writeError = StoreError(.full, "no space")
    let id = harness.visitor.current()
    #expect(id != nil)
    #expect(!harness.visitor.isPersisted)
    #expect(harness.visitor.storeError?.code == .full)
    for _ in 0..<1000 { #expect(harness.visitor.current() == id) }
    #expect(harness.store.writes == 1)
    harness.clock.advance(milliseconds: 999)
    _ = harness.visitor.current()
    #expect(harness.store.writes == 1)
    harness.clock.advance(milliseconds: 1)
    _ = harness.visitor.current()
    #expect(harness.store.writes == 2)
    harness.store.writeError = nil
    harness.clock.advance(milliseconds: 1000)
    #expect(harness.visitor.current() == id)
    #expect(harness.visitor.isPersisted)
    #expect(harness.visitor.storeError == nil)
    #expect(harness.restarted().visitor.current() == id)
  }

  @Test func returnsToTheStoredIDAfterAStoreThatCouldNotBeRead() {
    let harness = VisitorHarness()
    let id = harness.visitor.current()
    harness.store.readError = StoreError(.busy, "locked")
    let restarted = harness.restarted()
    let interim = restarted.visitor.current()
    #expect(interim != nil)
    #expect(interim != id)
    #expect(restarted.visitor.current() == interim)
    #expect(harness.store.reads == 2)
    #expect(harness.store.writes == 1)
    harness.store.readError = nil
    harness.clock.advance(milliseconds: 1000)
    #expect(restarted.visitor.current() == id)
    #expect(restarted.visitor.isPersisted)
  }

  @Test func storesTheInterimIDWhenTheStoreTurnsOutEmpty() {
    let harness = VisitorHarness()
    harness.store.readError = StoreError(.inputOutput, "broken")
    let id = harness.visitor.current()
    harness.store.readError = nil
    harness.clock.advance(milliseconds: 1000)
    #expect(harness.visitor.current() == id)
    #expect(harness.restarted().visitor.current() == id)
  }

  @Test func overwritesAStoreThatIsCorrupt() {
    let harness = VisitorHarness()
    harness.store.readError = StoreError(.corrupt, "damaged")
    let id = harness.visitor.current()
    #expect(harness.visitor.isPersisted)
    harness.store.readError = nil
    #expect(harness.restarted().visitor.current() == id)
  }
}
