import CohorlyTracker
import Dispatch
import Effects
import Foundation
import Glibc
import LoopRuntime
import ProxyConfiguration
import ProxyCore
import Synchronization
import TestKit
import Testing

@testable import FootfallApp

@Suite struct CohorlyKeeperTests {
  static let day: Int64 = 86_400_000
  static let start: Int64 = 1_795_937_155_000
  static let gate = CohorlyKeeper.Question(
    rule: 3, name: "beta", flag: "copy", wanted: .text("blue"), fallback: .text("control"))

  private let store = MemoryKeyValueStore()
  private let clock = ManualClock(millisecondsSinceEpoch: CohorlyKeeperTests.start)
  private let changes = Counter()

  final class Counter: Sendable {
    private let count = Mutex(0)
    func add() { count.withLock { $0 += 1 } }
    var value: Int { count.withLock { $0 } }
  }

  private func keeper(_ policy: FlagPersistence = .persistenceUntilNetworkSuccess) throws -> CohorlyKeeper {
    // Its loop does not run: what is posted to it stays undone.
    let loop = try EventLoop()
    return CohorlyKeeper(
      policy: policy, ttlMilliseconds: Self.day, store: store, clock: clock, tokens: RandomTokens(),
      mailbox: loop.mailbox, log: ServiceLog(level: .error, clock: clock) { _ in },
      onChange: { [changes] in changes.add() })
  }

  private struct RandomTokens: TokenSource {
    func sixteenBytes() -> (UInt64, UInt64) { (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)) }
  }

  private func answer(_ variant: String) -> FlagAnswer {
    FlagAnswer.parse(
      status: 200, body: Array(#"{"flags":{"copy":{"enabled":true,"variant":"\#(variant)","payload":null}}}"#.utf8))
  }

  private func evaluate(_ keeper: CohorlyKeeper, _ variant: String) throws {
    #expect(keeper.reloaded(try #require(keeper.beginReload()), answer(variant)) == nil)
  }

  private func decision(_ keeper: CohorlyKeeper) throws -> GateDecision {
    try #require(keeper.snapshotPart([Self.gate]).gates.first)
  }

  @Test func opensAGateWhenTheServerSaysSoAndTellsOfTheChange() throws {
    let keeper = try keeper()
    let before = try decision(keeper)
    #expect(!before.isOpen && before.value == Array(#""control""#.utf8) && before.label == "other")
    try evaluate(keeper, "blue")
    let after = try decision(keeper)
    #expect(after.isOpen && after.value == Array(#""blue""#.utf8) && after.label == "blue" && after.rule == 3)
    #expect(changes.value == 1)
    try evaluate(keeper, "red")
    #expect(try !decision(keeper).isOpen)
  }

  @Test func keepsIdentityAndFlagsAcrossARestart() throws {
    let first = try keeper()
    try evaluate(first, "blue")
    #expect(try first.identify("user-1")?.alias?.alias == first.identity.deviceID)
    try evaluate(first, "blue")
    let second = try keeper()
    #expect(second.identity == first.identity && second.identity.userID == "user-1")
    #expect(try decision(second).isOpen)
    let strict = try keeper(.networkOnly)
    #expect(try !decision(strict).isOpen)
  }

  @Test func servesNothingOfAnotherIdentity() throws {
    let keeper = try keeper()
    try evaluate(keeper, "blue")
    let late = try #require(keeper.beginReload())
    _ = try keeper.identify("user-1")
    #expect(try !decision(keeper).isOpen)
    #expect(try store.value(forKey: FlagCache.storedKey) == nil)
    // The answer of the identity before comes too late.
    #expect(keeper.reloaded(late, answer("blue")) != nil)
    #expect(try !decision(keeper).isOpen)
    try evaluate(keeper, "blue")
    let fresh = try keeper.reset()
    #expect(fresh.isAnonymous && fresh.distinctID != "user-1" && keeper.identity == fresh)
    #expect(try !decision(keeper).isOpen)
    #expect(try keeper.identify(fresh.distinctID) == nil)
  }

  @Test func endsKeptFlagsWithTheirAge() throws {
    try evaluate(keeper(), "blue")
    clock.advance(milliseconds: Self.day - 1)
    let keeper = try keeper(.networkFirst)
    let part = keeper.snapshotPart([Self.gate])
    #expect(part.gates.first?.isOpen == true && part.validity.upperBound == Self.start + Self.day)
    clock.advance(milliseconds: 1)
    #expect(try !decision(keeper).isOpen)
    // Also when the clock goes back.
    clock.set(millisecondsSinceEpoch: Self.start)
    #expect(try !decision(keeper).isOpen)
  }

  @Test func exposesEachValueOnceForAnIdentity() throws {
    let keeper = try keeper()
    #expect(keeper.expose([try decision(keeper)]).exposures.isEmpty)
    try evaluate(keeper, "blue")
    let blue = try decision(keeper)
    let first = keeper.expose([blue, blue])
    #expect(first.exposures.map(\.value) == [.text("blue")] && first.identity == keeper.identity)
    #expect(keeper.expose([try decision(keeper)]).exposures.isEmpty)
    try evaluate(keeper, "red")
    // A batch of events may still refer to the snapshot before.
    #expect(keeper.expose([blue]).exposures.isEmpty)
    #expect(keeper.expose([try decision(keeper)]).exposures.map(\.value) == [.text("red")])
    _ = try keeper.identify("user-1")
    // What the identity before was shown is nothing to the one after.
    #expect(keeper.expose([blue]).exposures.isEmpty)
    try evaluate(keeper, "blue")
    #expect(keeper.expose([try decision(keeper)]).exposures.count == 1)
  }

  @Test func changesNothingThatCannotBeStored() throws {
    let keeper = try keeper()
    let before = keeper.identity
    store.writeError = StoreError(.full, "no space")
    #expect(throws: StoreError.self) { try keeper.identify("user-1") }
    #expect(throws: StoreError.self) { try keeper.reset() }
    #expect(keeper.identity == before)
    // Flags count all the same.
    try evaluate(keeper, "blue")
    #expect(try decision(keeper).isOpen)
  }

  @Test func saysWhyAnEvaluationFailed() throws {
    let keeper = try keeper()
    try evaluate(keeper, "blue")
    let ticket = try #require(keeper.beginReload())
    let reason = keeper.reloaded(ticket, FlagAnswer.parse(status: 503, body: []))
    #expect(reason?.contains("503") == true)
    #expect(try decision(keeper).isOpen)
    keeper.stop()
    #expect(keeper.beginReload() == nil)
  }

  /// Identities that come and go while flags are evaluated for them: each flag of an answer names the identity that it
  /// was evaluated for, and no snapshot pairs it with another.
  @Test func neverServesAValueOfThePreviousIdentity() throws {
    let keeper = try keeper()
    let isDone = Atomic(false)
    let mistakes = Mutex<[String]>([])
    let seen = Atomic(0)
    let work = { @Sendable (lane: Int) in
      switch lane {
      case 0:
        for number in 0..<10_000 {
          do {
            if number % 3 == 2 { _ = try keeper.reset() } else { _ = try keeper.identify("user-\(number)") }
            // Some stay long enough for an answer to land.
            if number % 4 == 0, let ticket = keeper.beginReload() {
              _ = keeper.reloaded(ticket, answer(ticket.distinctID))
              sched_yield()
            }
          } catch {
            mistakes.withLock { $0.append("\(error)") }
          }
        }
        isDone.store(true, ordering: .releasing)
      case 1, 2:
        while !isDone.load(ordering: .acquiring) {
          guard let ticket = keeper.beginReload() else { continue }
          _ = keeper.reloaded(ticket, answer(ticket.distinctID))
        }
      default:
        while !isDone.load(ordering: .acquiring) {
          let part = keeper.snapshotPart([Self.gate])
          let value = String(decoding: part.gates[0].value.dropFirst().dropLast(), as: UTF8.self)
          guard value != "control" else { continue }
          seen.add(1, ordering: .relaxed)
          let members = String(decoding: part.eventMembers, as: UTF8.self)
          if !members.contains(#""distinct":"\#(value)""#) { mistakes.withLock { $0.append("\(value) in \(members)") } }
          for exposure in keeper.expose(part.gates).exposures where exposure.value != .text(value) {
            mistakes.withLock { $0.append("\(exposure.value) exposed for \(value)") }
          }
        }
      }
    }
    // Threads of their own: fewer would run one after the other.
    let lanes = DispatchGroup()
    for lane in 0..<4 {
      lanes.enter()
      Thread.detachNewThread {
        work(lane)
        lanes.leave()
      }
    }
    lanes.wait()
    #expect(mistakes.withLock { $0 }.isEmpty)
    #expect(seen.load(ordering: .relaxed) > 0)
  }
}
