import Effects
import Testing

@testable import CohorlyTracker

/// The rows of the contract's section 4.4 but for its tables, which are in `FlagReadTableTests`.
@Suite struct FlagStoreTests {
  @Test func row59_readsTheFallbackBeforeFlagsCome() {
    var harness = FlagHarness()
    #expect(harness.get("banner") == nil)
    #expect(harness.get("banner", "control") == .text("control"))
    #expect(harness.isEnabled("checkout") == false)
    #expect(harness.isEnabled("checkout", true) == true)
    #expect(harness.exposures.isEmpty)
    #expect(!harness.store.isLoaded(at: harness.now))
    #expect(harness.store.source(at: harness.now) == .fallback)
  }

  @Test func row60_asksForTheCurrentIdentity() {
    var harness = FlagHarness(id: "user-1")
    #expect(harness.store.beginReload().distinctID == "user-1")
    harness.identify("user-2")
    #expect(harness.store.beginReload().distinctID == "user-2")
  }

  @Test func row61_readsWhatWasEvaluated() {
    var harness = FlagHarness()
    harness.reload()
    #expect(harness.isEnabled("checkout") == true)
    #expect(harness.get("checkout") == true)
    #expect(harness.get("banner") == "blue")
    #expect(harness.payload("banner") == ["color": "#00f"])
    #expect(harness.isEnabled("hidden", true) == false)
    #expect(harness.get("hidden", true) == false)
    #expect(harness.get("nope") == nil)
    #expect(harness.get("nope", "control") == "control")
    #expect(harness.payload("nope") == nil)
    #expect(harness.store.all(at: harness.now) == FlagVectors.flags)
  }

  @Test(arguments: [FlagPersistence.networkFirst, .persistenceUntilNetworkSuccess])
  func row62_keepsWhatWasReceivedWithItsTime(_ policy: FlagPersistence) {
    var harness = FlagHarness(policy, id: "user-1")
    let ticket = harness.store.beginReload()
    harness.now += 250
    harness.answer(ticket, FlagVectors.answer())
    // The time is that of the answer, the flags are as they came, with what this version does not read.
    #expect(harness.kept == FlagVectors.cache(of: "user-1", storedAt: FlagVectors.start + 250))
  }

  @Test func row63_servesWhatAnEarlierRunHasKept() {
    var first = FlagHarness()
    first.reload()
    first.now += 1000
    var second = first.restarted()
    #expect(second.notified == [FlagVectors.flags])
    #expect(second.store.isLoaded(at: second.now))
    second.reload(.failed(reason: "unreachable"))
    #expect(second.get("banner") == "blue")
    #expect(second.details("banner").source == .persistence)
    #expect(second.isEnabled("checkout") == true)
    #expect(second.payload("banner") == ["color": "#00f"])
    #expect(second.notified.count == 1)
  }

  /// Ids are bytes: two spellings that look the same are two identities.
  @Test(arguments: [("user-1", "user-2"), ("user-1", "USER-1"), ("jos\u{e9}", "jose\u{301}"), ("a", "")])
  func row64_neverServesTheCacheOfAnother(_ owner: String, _ reader: String) {
    var harness = FlagHarness(id: reader, kept: FlagVectors.cache(of: owner, storedAt: FlagVectors.start))
    #expect(harness.kept == nil)
    #expect(harness.details("banner").source == .fallback)
    #expect(harness.notified.isEmpty)
    #expect(!harness.store.isLoaded(at: harness.now))
    #expect(FlagHarness(id: owner, kept: FlagVectors.cache(of: owner, storedAt: FlagVectors.start)).kept != nil)
  }

  @Test func row65_evaluatesOnlyWhenItsOwnerBegins() {
    var harness = FlagHarness()
    #expect(harness.store.inFlight == nil)
    _ = harness.get("banner")
    #expect(harness.store.inFlight == nil)
    let ticket = harness.store.beginReload()
    #expect(harness.store.inFlight == ticket)
    harness.answer(ticket, FlagVectors.answer())
    #expect(harness.store.inFlight == nil)
    #expect(harness.get("banner") == "blue")
  }

  @Test func row66_forgetsEverythingWhenTheIdentityChanges() {
    var harness = FlagHarness()
    harness.reload()
    for id in ["user-1", "anon-2"] {
      harness.identify(id)
      #expect(harness.store.beginReload().distinctID == id)
      #expect(harness.get("banner", "control") == "control")
      #expect(!harness.store.isLoaded(at: harness.now))
      #expect(harness.store.all(at: harness.now).isEmpty)
      harness.reload()
      #expect(harness.get("banner") == "blue")
    }
  }

  @Test(arguments: FlagPersistence.allCases)
  func row67_removesTheCacheEvenIfTheEvaluationFails(_ policy: FlagPersistence) {
    var harness = FlagHarness(policy, kept: FlagVectors.cache(storedAt: FlagVectors.start))
    harness.reload(FlagVectors.answer("red"))
    harness.identify("user-1")
    #expect(harness.kept == nil)
    harness.reload(.failed(reason: "unreachable"))
    #expect(harness.details("banner").source == .fallback)
    #expect(harness.kept == nil)
    var restarted = harness.restarted()
    #expect(restarted.details("banner").source == .fallback)
  }

  static let failures: [FlagAnswer] = [
    .parse(status: 429, body: []),
    .parse(.failure(TransportError(.unreachable, "refused"))),
    .parse(status: 200, body: FlagVectors.bytes(#""not-an-object""#)),
    .parse(status: 200, body: FlagVectors.bytes(#"{"flags":[]}"#)),
  ]

  @Test(arguments: failures, FlagPersistence.allCases)
  func row68_changesNothingWhenAReloadFails(_ failure: FlagAnswer, _ policy: FlagPersistence) {
    var harness = FlagHarness(policy)
    harness.reload()
    let kept = harness.kept
    harness.now += FlagVectors.hour
    harness.reload(failure)
    #expect(harness.details("banner").source == .network)
    #expect(harness.get("banner") == "blue")
    #expect(harness.kept == kept)
    #expect(harness.notified.count == 1)
    #expect(harness.store.lastFailure != nil)
    harness.reload()
    #expect(harness.store.lastFailure == nil)
  }

  @Test func row69_tellsListenersOfEachSuccess() {
    var harness = FlagHarness()
    #expect(harness.notified.isEmpty)
    harness.reload()
    #expect(harness.notified == [FlagVectors.flags])
    // Also when nothing has changed.
    harness.reload()
    #expect(harness.notified == [FlagVectors.flags, FlagVectors.flags])
    // Who comes late is told at once what there is.
    #expect(harness.store.isLoaded(at: harness.now))
    #expect(harness.store.all(at: harness.now) == FlagVectors.flags)
  }

  @Test func row70_tellsListenersOfTheClearFirst() {
    var harness = FlagHarness()
    harness.reload()
    let actions = harness.store.identityChanged(to: "user-1")
    #expect(actions == [.removeStored, .notify([:])])
    harness.reload(FlagVectors.answer("red"))
    #expect(harness.notified.last?["banner"]?.variant == "red")
  }

  @Test func row76_discardsTheAnswerForAnotherIdentity() {
    var harness = FlagHarness(id: "A")
    let slow = harness.store.beginReload()
    harness.identify("B")
    let kept = harness.kept
    harness.answer(slow, FlagVectors.answer("red"))
    #expect(harness.details("banner").source == .fallback)
    #expect(harness.kept == kept)
    #expect(harness.notified == [[:]])
    harness.reload()
    harness.answer(slow, FlagVectors.answer("red"))
    #expect(harness.get("banner") == "blue")
    // Not even when the identity is the old one again: it was evaluated before it was left.
    harness.identify("A")
    harness.answer(slow, FlagVectors.answer("red"))
    #expect(harness.details("banner").source == .fallback)
  }

  @Test func row76_discardsTheFailureForAnotherIdentity() {
    var harness = FlagHarness(id: "A")
    let slow = harness.store.beginReload()
    harness.identify("B")
    let current = harness.store.beginReload()
    harness.answer(slow, .failed(reason: "timed_out"))
    #expect(harness.store.lastFailure == nil)
    #expect(harness.store.inFlight == current)
  }

  @Test(arguments: [true, false])
  func row77_discardsTheAnswerToAnOlderReload(_ isOlderLast: Bool) {
    var harness = FlagHarness()
    let older = harness.store.beginReload()
    let newer = harness.store.beginReload()
    if isOlderLast {
      harness.answer(newer, FlagVectors.answer("new"))
      harness.answer(older, FlagVectors.answer("old"))
    } else {
      harness.answer(older, FlagVectors.answer("old"))
      #expect(harness.details("banner").source == .fallback)
      harness.answer(newer, FlagVectors.answer("new"))
    }
    #expect(harness.get("banner") == "new")
    #expect(harness.kept == FlagVectors.cache("new", storedAt: harness.now))
    #expect(harness.notified.count == 1)
    // Nor does an answer count twice.
    harness.answer(newer, FlagVectors.answer("again"))
    #expect(harness.get("banner") == "new")
  }

  /// A success replaces the map: what it does not name is unknown.
  @Test func mergesNothing() {
    var harness = FlagHarness()
    harness.reload()
    harness.reload(.parse(status: 200, body: FlagVectors.bytes(#"{"flags":{"new":{"enabled":true}}}"#)))
    #expect(harness.store.all(at: harness.now) == ["new": Flag(isEnabled: true)])
    #expect(harness.details("banner").source == .fallback)
    harness.reload(.parse(status: 200, body: FlagVectors.bytes(#"{"flags":{}}"#)))
    #expect(harness.store.all(at: harness.now).isEmpty)
    // It is loaded all the same.
    #expect(harness.store.isLoaded(at: harness.now))
  }

  @Test func anEvaluationIsNewerThanACacheThatIsReadLater() {
    for cache in [FlagVectors.cache("old", storedAt: FlagVectors.start), FlagVectors.bytes("damaged")] {
      var harness = FlagHarness(kept: nil)
      harness.reload()
      let kept = harness.kept
      harness.perform(harness.store.load(cache, at: harness.now))
      #expect(harness.get("banner") == "blue")
      #expect(harness.kept == kept)
    }
  }

  /// Named in the contract: the id counts when the cache is read, not when that was asked for.
  @Test func aCacheThatIsReadLateIsHeldAgainstTheIdentityOfThatMoment() {
    let cache = FlagVectors.cache(of: "A", storedAt: FlagVectors.start)
    var changed = FlagHarness(id: "A")
    changed.identify("B")
    changed.kept = cache
    changed.perform(changed.store.load(cache, at: changed.now))
    #expect(changed.details("banner").source == .fallback)
    #expect(changed.kept == nil)
    var same = FlagHarness(id: "A")
    _ = same.store.beginReload()
    same.perform(same.store.load(cache, at: same.now))
    #expect(same.details("banner").source == .persistence)
    #expect(same.notified == [FlagVectors.flags])
  }
}
