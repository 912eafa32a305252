import Dispatch
import Effects
import Foundation
import RuleEngines
import Storage
import Synchronization
import TestKit
import Testing
import URLRules
import VisitorID

@Suite struct VisitorIDTests {
  @Test func isARandomUUIDInLowerCase() throws {
    let id = try #require(VisitorHarness().visitor.current())
    #expect(id == "00000000-0000-4001-8000-000000000001")
    let visitor = VisitorID(
      header: "x-visitor-id", ttlHours: 24, store: MemoryKeyValueStore(), clock: SystemWallClock(),
      tokens: SystemTokenSource())
    let real = try #require(visitor.current())
    #expect(real.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
  }

  @Test func anIDThatWasMadeWhileAnotherWasBeingStoredStays() throws {
    let store = HeldKeyValueStore()
    let clock = ManualClock()
    let visitor = VisitorID(
      header: "x-visitor-id", ttlHours: 24, store: store, clock: clock, tokens: SystemTokenSource())
    store.holds = true
    let stored = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      _ = visitor.currentSnapshot()
      stored.signal()
    }
    store.waitUntilHeld()
    // Ten years: the moment at which storing began is long before this id.
    clock.advance(milliseconds: 87_600 * VisitorHarness.hour)
    let made = try #require(visitor.snapshotFromMemory()?.id)
    store.release()
    stored.wait()
    #expect(visitor.snapshotFromMemory()?.id == made)
    #expect(visitor.current() == made)
    #expect(visitor.isPersisted)
  }

  @Test func travelsToTheURLsOfTheRulesOnly() throws {
    var configuration = VisitorIDConfiguration.example
    configuration.addMatch(regularExpression: "^https://api\\.example\\.org/v[12]/")
    configuration.addMatch { url in url.host == "checkout.example.com" }
    let visitor = VisitorHarness(configuration).visitor
    let id = try #require(visitor.current())
    for url in [
      "https://API.example.com:443/v1#top", "https://api.example.org/v2/x", "http://checkout.example.com:8080/pay",
    ] {
      #expect(visitor.headers(for: url) == ["x-visitor-id": id])
      #expect(visitor.visitorID(for: url) == id)
    }
    for url in [
      "https://api.example.com.evil.com/", "https://api.example.com@evil.com/", "https://api.example.com/a/../b",
      "https://api.example.org/v3/", "wss://api.example.com/", "/v1", "",
    ] {
      #expect(visitor.headers(for: url).isEmpty)
      #expect(visitor.visitorID(for: url) == nil)
    }
  }

  @Test func makesNoIDForURLsThatDoNotMatch() {
    let harness = VisitorHarness()
    _ = harness.visitor.headers(for: "https://www.example.com/")
    #expect(harness.tokens.count == 0)
    #expect(harness.stored == nil)
  }

  @Test func isOffWithoutAConfiguration() {
    let harness = VisitorHarness(nil)
    #expect(harness.visitor.state == .disabled)
    #expect(harness.visitor.header.isEmpty)
    #expect(harness.visitor.current() == nil)
    #expect(harness.visitor.headers(for: "https://api.example.com/").isEmpty)
    #expect(!harness.visitor.isPersisted)
    #expect(harness.store.reads + harness.store.writes + harness.store.removals == 0)
  }

  @Test func givesOneIDToFirstReadersAtTheSameTime() {
    let harness = VisitorHarness()
    let ids = Mutex<Set<String>>([])
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      guard let id = harness.visitor.current() else { return }
      ids.withLock { _ = $0.insert(id) }
    }
    #expect(ids.withLock { $0 }.count == 1)
    #expect(harness.tokens.count == 1)
    #expect(harness.store.writes == 1)
  }

  @Test func survivesARestartInAFile() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("visitor-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: directory) } }
    func visitor() throws -> VisitorID {
      VisitorID(
        configuration: .example, store: try FileKeyValueStore(directory: directory), clock: SystemWallClock(),
        monotonicClock: SystemMonotonicClock(), tokens: SystemTokenSource(), patterns: PCRE2PatternEngine(),
        hostNames: IDNA2008HostNameEncoder())
    }
    let first = try visitor()
    let id = try #require(first.current())
    #expect(first.isPersisted)
    #expect(try visitor().current() == id)
    #expect(first.resetVisitorID() != .cleared)
    #expect(try visitor().current() != id)
    #expect(try visitor().current() == first.current())
  }

  @Test func resetsToANewIDThatIsStored() throws {
    let harness = VisitorHarness()
    let first = try #require(harness.visitor.current())
    harness.clock.advance(milliseconds: 5)
    guard case .renewed(let second) = harness.visitor.resetVisitorID() else {
      Issue.record("the reset did nothing")
      return
    }
    #expect(second != first)
    #expect(harness.visitor.current() == second)
    #expect(harness.stored == #"{"v":1,"id":"\#(second)","createdAtMs":\#(harness.clock.millisecondsSinceEpoch())}"#)
  }

  @Test func onlyClearsTheRecordWhenResetWhileOffOrInvalid() throws {
    var invalid = VisitorIDConfiguration.example
    invalid.header = "Cookie"
    for configuration in [nil, invalid] {
      let harness = VisitorHarness()
      let id = harness.visitor.current()
      let off = harness.restarted(configuration)
      #expect(off.visitor.resetVisitorID() == .cleared)
      #expect(off.visitor.current() == nil)
      #expect(off.stored == nil)
      #expect(harness.restarted().visitor.current() != id)
    }
  }

  @Test func tellsWhenAResetFailsAndChangesNothing() throws {
    let harness = VisitorHarness()
    let id = harness.visitor.current()
    harness.store.writeError = StoreError(.full, "no space")
    #expect(harness.visitor.resetVisitorID() == .failed(StoreError(.full, "")))
    #expect(harness.visitor.current() == id)
    #expect(harness.restarted().visitor.current() == id)
    #expect(harness.restarted(nil).visitor.resetVisitorID() == .failed(StoreError(.full, "")))
  }

  @Test func keepsTheIDWhileTheFeatureIsOffForATime() {
    let harness = VisitorHarness()
    let id = harness.visitor.current()
    #expect(harness.restarted(nil).visitor.current() == nil)
    harness.clock.advance(milliseconds: VisitorHarness.hour)
    #expect(harness.restarted().visitor.current() == id)
  }

  @Test func handsAnUnstoredIDToItsSuccessor() throws {
    let store = MemoryKeyValueStore()
    let clock = ManualClock()
    let tokens = SequenceTokenSource()
    func next(_ previous: VisitorID?, ttlHours: Double = 24) -> VisitorID {
      VisitorID(
        header: "x-visitor-id", ttlHours: ttlHours, store: store, clock: clock, tokens: tokens, continuing: previous)
    }
    store.writeError = StoreError(.inputOutput, "broken")
    let first = next(nil)
    let id = try #require(first.current())
    let second = next(first, ttlHours: 48)
    let snapshot = try #require(second.currentSnapshot())
    #expect(snapshot.id == id)
    #expect(!snapshot.isPersisted)
    #expect(snapshot.expiresAtMilliseconds - snapshot.createdAtMilliseconds == 48 * VisitorHarness.hour)
    store.writeError = nil
    clock.advance(milliseconds: 1000)
    #expect(second.currentSnapshot()?.isPersisted == true)
    #expect(next(nil).current() == id)
  }

  @Test func throwsFromAResetOfTheProxyWhenOff() {
    let visitor = VisitorID(
      header: "cookie", ttlHours: 24, store: MemoryKeyValueStore(), clock: ManualClock(), tokens: SequenceTokenSource())
    #expect(throws: StoreError(.closed, "")) { try visitor.reset() }
    #expect(visitor.currentSnapshot() == nil)
  }
}
