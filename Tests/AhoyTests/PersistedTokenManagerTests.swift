import AhoyTracker
import Effects
import Foundation
import Storage
import Synchronization
import TestKit
import Testing

@testable import Ahoy

@Suite struct PersistedTokenManagerTests {
  static let hour: Int64 = 3_600_000

  static func manager(_ store: (any KeyValueStore)?, _ clock: ManualClock, first: UInt64 = 1) -> PersistedTokenManager {
    PersistedTokenManager(
      store: store, visitDuration: 4 * 3600, clock: clock, tokens: SequenceTokenSource(first: first))
  }

  @Test func keepsTheVisitorAndReplacesTheVisit() {
    let clock = ManualClock()
    let manager = Self.manager(MemoryKeyValueStore(), clock)
    let (visitor, visit) = (manager.visitorToken, manager.visitToken)
    #expect(visit == "00000000-0000-4002-8000-000000000002")
    #expect(visitor == "00000000-0000-4001-8000-000000000001")
    clock.advance(milliseconds: 4 * Self.hour - 1)
    #expect(manager.visitToken == visit)
    clock.advance(milliseconds: 1)
    #expect(manager.visitToken != visit)
    #expect(manager.visitorToken == visitor)
    clock.advance(milliseconds: 100_000 * Self.hour)
    #expect(manager.visitorToken == visitor)
  }

  @Test func survivesARestart() {
    let clock = ManualClock()
    let store = MemoryKeyValueStore()
    let first = Self.manager(store, clock)
    let (visitor, visit) = (first.visitorToken, first.visitToken)
    #expect(first.isPersisted)
    #expect(store.writes == 1)
    let second = Self.manager(store, clock, first: 100)
    #expect(second.visitToken == visit)
    #expect(second.visitorToken == visitor)
    #expect(second.isPersisted)
    clock.advance(milliseconds: 4 * Self.hour)
    let third = Self.manager(store, clock, first: 200)
    #expect(third.visitorToken == visitor)
    #expect(third.visitToken != visit)
    #expect(store.writes == 2)
  }

  @Test func livesInAFile() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("ahoy-\(UUID().uuidString)").path
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: directory) } }
    let first = try PersistedTokenManager(directory: directory)
    let tokens = [first.visitorToken, first.visitToken]
    let second = PersistedTokenManager(store: try FileKeyValueStore(directory: directory))
    #expect([second.visitorToken, second.visitToken] == tokens)
    #expect(
      tokens.allSatisfy {
        $0.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil
      })
  }

  @Test func givesOnePairToFirstReadersAtTheSameTime() {
    let store = MemoryKeyValueStore()
    let manager = Self.manager(store, ManualClock())
    let pairs = Mutex<Set<String>>([])
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      let pair = manager.visitorToken + manager.visitToken
      pairs.withLock { _ = $0.insert(pair) }
    }
    #expect(pairs.withLock { $0 }.count == 1)
    #expect(store.writes == 1)
  }

  @Test(arguments: [(0, true), (5 * 60 * 1000, true), (5 * 60 * 1000 + 1, false)] as [(Int64, Bool)])
  func endsAVisitWhenTheClockGoesBackTooFar(_ back: Int64, _ isKept: Bool) {
    let clock = ManualClock()
    let manager = Self.manager(MemoryKeyValueStore(), clock)
    let visit = manager.visitToken
    clock.set(millisecondsSinceEpoch: clock.millisecondsSinceEpoch() - back)
    #expect((manager.visitToken == visit) == isKept)
  }

  @Test func givesTokensFromMemoryWhileTheyCannotBeStored() {
    let clock = ManualClock()
    let store = MemoryKeyValueStore()
    store.writeError = StoreError(.full, "no space")
    let manager = Self.manager(store, clock)
    let visit = manager.visitToken
    #expect(!manager.isPersisted)
    #expect(manager.storeError?.code == .full)
    for _ in 0..<100 { #expect(manager.visitToken == visit) }
    #expect(store.writes == 1)
    store.writeError = nil
    clock.advance(milliseconds: 1000)
    #expect(manager.visitToken == visit)
    #expect(manager.isPersisted)
    #expect(manager.storeError == nil)
  }

  @Test func returnsToTheStoredTokensAfterAStoreThatCouldNotBeRead() {
    let clock = ManualClock()
    let store = MemoryKeyValueStore()
    let visitor = Self.manager(store, clock).visitorToken
    store.readError = StoreError(.busy, "locked")
    let manager = Self.manager(store, clock, first: 100)
    #expect(manager.visitorToken != visitor)
    #expect(store.writes == 1)
    store.readError = nil
    clock.advance(milliseconds: 1000)
    #expect(manager.visitorToken == visitor)
  }

  @Test(arguments: ["", "{}", "not JSON", #"{"v":1,"visit":"a b","visitor":"c","createdAtMs":1,"fields":{}}"#])
  func replacesWhatItCannotRead(_ record: String) {
    let store = MemoryKeyValueStore()
    store.plant(Array(record.utf8), forKey: VisitRecord.currentKey)
    let manager = Self.manager(store, ManualClock())
    #expect(manager.visitToken == "00000000-0000-4002-8000-000000000002")
    #expect(manager.isPersisted)
  }

  @Test func overwritesAStoreThatIsCorrupt() {
    let store = MemoryKeyValueStore()
    store.readError = StoreError(.corrupt, "damaged")
    let manager = Self.manager(store, ManualClock())
    _ = manager.visitToken
    #expect(manager.isPersisted)
  }

  @Test func worksWithoutAnyStore() {
    let manager = Self.manager(nil, ManualClock())
    #expect(manager.visitToken == manager.visitToken)
    #expect(!manager.isPersisted)
    #expect(manager.storeError == nil)
  }

  @Test(
    arguments: [
      (["STATE_DIRECTORY": "/var/lib/app:/var/lib/other", "HOME": "/root"], "/var/lib/app/ahoy"),
      (["XDG_STATE_HOME": "/state", "HOME": "/home/u"], "/state/program/ahoy"),
      (["XDG_STATE_HOME": "relative", "HOME": "/home/u"], "/home/u/.local/state/program/ahoy"),
      (["HOME": "/home/u"], "/home/u/.local/state/program/ahoy"), ([:], nil), (["HOME": ""], nil),
    ] as [([String: String], String?)])
  func findsThePlaceOfItsFiles(_ environment: [String: String], _ directory: String?) {
    #expect(PersistedTokenManager.defaultDirectory(environment, "program") == directory)
  }

  @Test func saysWhyNothingIsKept() {
    let nowhere = PersistedTokenManager.inDefaultDirectory(visitDuration: 1, environment: [:], program: "p")
    #expect(nowhere.storeError?.code == .denied)
    #expect(!nowhere.visitToken.isEmpty)
    let refused = PersistedTokenManager.inDefaultDirectory(
      visitDuration: 1, environment: ["STATE_DIRECTORY": "/dev/null"], program: "p")
    #expect(refused.storeError != nil)
    #expect(!refused.visitToken.isEmpty)
  }
}
