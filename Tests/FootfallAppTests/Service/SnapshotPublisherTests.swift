import Dispatch
import Effects
import ProxyCore
import ProxyServer
import TestKit
import Testing
import URLRules
import VisitorID

@testable import FootfallApp

@Suite struct SnapshotPublisherTests {
  private let store = MemoryKeyValueStore()
  private let clock = ManualClock()
  private let tokens = SequenceTokenSource()
  private static let hour: Int64 = 3_600_000

  private func visitorID(continuing previous: VisitorID? = nil, ttlHours: Double = 24) -> VisitorID {
    VisitorID(
      header: "x-visitor-id", ttlHours: ttlHours, store: store, clock: clock, tokens: tokens, continuing: previous)
  }

  private func publisher(_ visitorID: VisitorID?) -> SnapshotPublisher {
    SnapshotPublisher(.init(settings: ProxySettings(), rules: compiledRules(), visitorID: visitorID), clock: clock)
  }

  @Test func injectsNothingWhileTheFeatureIsOff() {
    let snapshot = publisher(nil).box.snapshot
    #expect(snapshot.injections.isEmpty)
    #expect(snapshot.visitorID == nil)
    #expect(snapshot.validity == Int64.min..<Int64.max)
    #expect(snapshot.generation == 1)
  }

  @Test func makesTheLineOfTheID() throws {
    let visitorID = visitorID()
    let snapshot = publisher(visitorID).box.snapshot
    let id = try #require(visitorID.current())
    let injection = try #require(snapshot.injections.first)
    #expect(snapshot.injections.count == 1)
    #expect(injection.effect == .visitorID)
    #expect(injection.name == Array("x-visitor-id".utf8))
    #expect(injection.line == Array("x-visitor-id: \(id)\r\n".utf8))
    #expect(snapshot.visitorID == id)
  }

  @Test func holdsUntilTheIDEnds() {
    let start = clock.millisecondsSinceEpoch()
    let publisher = publisher(visitorID(ttlHours: 2))
    let validity = publisher.box.snapshot.validity
    #expect(validity.upperBound == start + 2 * Self.hour)
    #expect(validity.contains(start))
    clock.advance(milliseconds: Self.hour)
    publisher.renew()
    #expect(publisher.box.snapshot.validity == validity, "reading does not extend it")
  }

  @Test func renewsAnIDThatHasEndedAndNoOther() {
    let publisher = publisher(visitorID(ttlHours: 1))
    let first = publisher.box.snapshot
    clock.advance(milliseconds: Self.hour - 1)
    publisher.renew()
    #expect(publisher.box.snapshot.visitorID == first.visitorID)
    clock.advance(milliseconds: 1)
    publisher.renew()
    let second = publisher.box.snapshot
    #expect(second.visitorID != first.visitorID)
    #expect(second.validity.upperBound == clock.millisecondsSinceEpoch() + Self.hour)
  }

  @Test func countsEachPublication() {
    let publisher = publisher(nil)
    publisher.renew()
    #expect(publisher.box.snapshot.generation == 2)
    publisher.replace(publisher.ingredients)
    publisher.renew()
    #expect(publisher.box.snapshot.generation == 4)
  }

  @Test func goesOnWithOtherIngredients() {
    let publisher = publisher(visitorID())
    var settings = ProxySettings()
    settings.keepsQuery = true
    let rules = compiledRules([
      RuleDefinition(name: "new", matchers: [.prefix("http://a.example/")], effects: .record)
    ])
    publisher.replace(.init(settings: settings, rules: rules, visitorID: nil))
    let snapshot = publisher.box.snapshot
    #expect(snapshot.settings.keepsQuery)
    #expect(snapshot.rules.names == ["new"])
    #expect(snapshot.injections.isEmpty)
    #expect(publisher.ingredients.visitorID == nil)
    #expect(publisher.ingredients.rules.names == ["new"])
  }

  @Test func publishesTheNewIDAfterAReset() throws {
    let visitorID = visitorID()
    let publisher = publisher(visitorID)
    let old = publisher.box.snapshot.visitorID
    let new = try visitorID.reset()
    #expect(publisher.box.snapshot.visitorID == old)
    publisher.renew()
    #expect(publisher.box.snapshot.visitorID == new)
    #expect(new != old)
  }

  @Test func asksAgainSoonForAnIDThatCouldNotBeStored() throws {
    store.writeError = StoreError(.full, "no space")
    let publisher = publisher(visitorID())
    let first = publisher.box.snapshot
    let start = clock.millisecondsSinceEpoch()
    let id = try #require(first.visitorID)
    #expect(first.validity.upperBound == start + 1_000)
    #expect(first.validity.contains(start))

    clock.advance(milliseconds: 1_000)
    publisher.renew()
    #expect(publisher.box.snapshot.visitorID == id)
    #expect(publisher.box.snapshot.validity.upperBound == start + 2_000, "the store still fails")

    store.writeError = nil
    clock.advance(milliseconds: 1_000)
    publisher.renew()
    let stored = publisher.box.snapshot
    #expect(stored.visitorID == id)
    #expect(stored.validity.upperBound == start + 24 * Self.hour)
    #expect(String(decoding: store.peek("visitor-id") ?? [], as: UTF8.self).contains(id))
  }

  @Test func aShortValidityNeverOutlivesTheID() {
    store.writeError = StoreError(.full, "no space")
    let start = clock.millisecondsSinceEpoch()
    let publisher = publisher(visitorID(ttlHours: 0.0001))
    #expect(publisher.box.snapshot.validity.upperBound == start + 360)
  }

  @Test func aReloadKeepsAnIDThatCouldNotBeStored() {
    store.writeError = StoreError(.inputOutput, "broken")
    let before = visitorID()
    let publisher = publisher(before)
    let id = publisher.box.snapshot.visitorID
    publisher.replace(
      .init(settings: ProxySettings(), rules: compiledRules(), visitorID: visitorID(continuing: before)))
    #expect(publisher.box.snapshot.visitorID == id)
    store.writeError = nil
    clock.advance(milliseconds: 1_000)
    publisher.renew()
    #expect(publisher.box.snapshot.visitorID == id)
    #expect(visitorID().current() == id, "it survives a restart now")
  }

  @Test func workersDoNotWaitForTheStore() throws {
    let held = HeldKeyValueStore()
    let visitorID = VisitorID(header: "x-visitor-id", ttlHours: 1, store: held, clock: clock, tokens: tokens)
    let publisher = publisher(visitorID)
    let first = publisher.box.snapshot.visitorID
    clock.advance(milliseconds: Self.hour)

    held.holds = true
    let stored = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      publisher.renew()
      stored.signal()
    }
    held.waitUntilHeld()
    #expect(publisher.renewAtOnce(), "the new id is not stored yet")
    let snapshot = publisher.box.snapshot
    #expect(snapshot.visitorID != first)
    #expect(snapshot.validity.upperBound == clock.millisecondsSinceEpoch() + 1_000)
    #expect(publisher.renewAtOnce())
    #expect(publisher.box.snapshot.visitorID == snapshot.visitorID)
    held.release()
    stored.wait()
    #expect(publisher.box.snapshot.visitorID == snapshot.visitorID)
    #expect(publisher.box.snapshot.validity.upperBound == clock.millisecondsSinceEpoch() + Self.hour)
    #expect(!publisher.renewAtOnce())
  }

  @Test func storesAnIDThatAWorkerMade() {
    let publisher = publisher(visitorID(ttlHours: 1))
    clock.advance(milliseconds: Self.hour)
    let writes = store.writes
    #expect(publisher.renewAtOnce())
    #expect(store.writes == writes)
    let made = publisher.box.snapshot.visitorID
    publisher.renew()
    #expect(store.writes == writes + 1)
    #expect(publisher.box.snapshot.visitorID == made)
    #expect(visitorID(ttlHours: 1).current() == made, "it survives a restart")
  }

  @Test func neverPublishesAnOlderIDLast() throws {
    let visitorID = visitorID()
    let publisher = publisher(visitorID)
    DispatchQueue.concurrentPerform(iterations: 200) { number in
      if number % 10 == 0 {
        do { _ = try visitorID.reset() } catch { Issue.record(error) }
      }
      publisher.renew()
    }
    #expect(publisher.box.snapshot.visitorID == visitorID.current())
    #expect(publisher.box.snapshot.generation == 201)
  }
}
