import Effects
import Testing

@testable import CohorlyTracker

/// `$feature_flag_called`: the contract's section 3.5 and its rows 71 to 74, 78 and 79.
@Suite struct FlagExposureTests {
  @Test func row71_reportsEachKeyAndValueOnce() {
    var harness = FlagHarness()
    harness.reload()
    #expect(harness.get("banner") == "blue")
    #expect(harness.get("banner") == "blue")
    #expect(harness.isEnabled("banner") == true)
    #expect(harness.isEnabled("checkout") == true)
    #expect(harness.get("checkout") == true)
    #expect(harness.exposed == [#"banner="blue""#, "checkout=true"])
  }

  @Test func row72_reportsTheValueThatAReloadBrings() {
    var harness = FlagHarness()
    harness.reload()
    _ = harness.get("banner")
    // The memory outlives a reload: the same value is not reported again.
    harness.reload()
    _ = harness.get("banner")
    #expect(harness.exposed == [#"banner="blue""#])
    harness.reload(FlagVectors.answer("red"))
    _ = harness.get("banner")
    harness.reload()
    _ = harness.get("banner")
    #expect(harness.exposed == [#"banner="blue""#, #"banner="red""#])
  }

  @Test func row73_reportsAgainForEachIdentity() {
    var harness = FlagHarness()
    harness.reload()
    _ = harness.get("banner")
    for id in ["user-1", "anon-2"] {
      harness.identify(id)
      harness.reload()
      _ = harness.get("banner")
      _ = harness.get("banner")
    }
    #expect(harness.exposures.count == 3)
    // In memory only: a restart reports again.
    var restarted = harness.restarted()
    _ = restarted.get("banner")
    #expect(restarted.exposures.count == 1)
  }

  @Test func row74_reportsNeitherPayloadsNorUnknownFlags() {
    var harness = FlagHarness()
    harness.reload()
    #expect(harness.payload("banner") != nil)
    _ = harness.get("nope")
    _ = harness.get("nope", "control")
    _ = harness.isEnabled("nope", true)
    #expect(harness.exposures.isEmpty)
    // A payload read does not take the place of the read that follows.
    _ = harness.get("banner")
    #expect(harness.exposures.count == 1)
  }

  @Test func row74_reportsNothingWhenItIsTurnedOff() {
    var harness = FlagHarness(reportsExposures: false)
    harness.reload()
    #expect(harness.get("banner") == "blue")
    #expect(harness.store.expose("banner", at: harness.now) == nil)
    #expect(harness.exposures.isEmpty)
  }

  @Test func row78_reportsTheSameValueOnceWhateverItsSource() throws {
    let persistedAt = FlagVectors.start - FlagVectors.hour
    var harness = FlagHarness(kept: FlagVectors.cache(storedAt: persistedAt))
    _ = harness.get("banner")
    harness.reload()
    #expect(harness.details("banner").source == .network)
    try #require(harness.exposures.count == 1)
    #expect(
      harness.exposures[0].properties == [
        JSONMember("$feature_flag", "banner"), JSONMember("$feature_flag_response", "blue"),
        JSONMember("$feature_flag_source", "persistence"),
        JSONMember("$feature_flag_persisted_at", .integer(persistedAt)),
        JSONMember("$feature_flag_ttl_ms", .integer(FlagVectors.ttl)),
      ])
  }

  @Test func row79_reportsTheOtherValueOfTheNetwork() throws {
    var harness = FlagHarness(kept: FlagVectors.cache(storedAt: FlagVectors.start))
    _ = harness.get("banner")
    harness.reload(FlagVectors.answer("red"))
    _ = harness.get("banner")
    try #require(harness.exposures.count == 2)
    #expect(harness.exposures[0].source == .persistence)
    #expect(
      harness.exposures[1].properties == [
        JSONMember("$feature_flag", "banner"), JSONMember("$feature_flag_response", "red"),
        JSONMember("$feature_flag_source", "network"),
      ])
  }

  @Test func leavesOutTheTimeOfALegacyCache() throws {
    var harness = FlagHarness(kept: FlagVectors.cache(storedAt: nil))
    _ = harness.isEnabled("checkout")
    let exposure = try #require(harness.exposures.first)
    #expect(
      exposure.properties == [
        JSONMember("$feature_flag", "checkout"), JSONMember("$feature_flag_response", true),
        JSONMember("$feature_flag_source", "persistence"),
        JSONMember("$feature_flag_ttl_ms", .integer(FlagVectors.ttl)),
      ])
    #expect(FlagExposure.event == "$feature_flag_called")
  }

  /// Joined texts would take these for the same.
  @Test func tellsKeysFromValuesAndTruthFromText() {
    var harness = FlagHarness()
    func answer(_ map: String) -> FlagAnswer { .parse(status: 200, body: FlagVectors.bytes(#"{"flags":\#(map)}"#)) }
    harness.reload(answer(#"{"a:b":{"enabled":true,"variant":"c"},"a":{"enabled":true,"variant":"b:c"}}"#))
    _ = harness.get("a:b")
    _ = harness.get("a")
    harness.reload(answer(#"{"a":{"enabled":true}}"#))
    _ = harness.get("a")
    harness.reload(answer(#"{"a":{"enabled":true,"variant":"true"}}"#))
    _ = harness.get("a")
    harness.reload(answer(#"{"a":{"enabled":true,"variant":""}}"#))
    _ = harness.get("a")
    #expect(harness.exposed == [#"a:b="c""#, #"a="b:c""#, "a=true", #"a="true""#, #"a="""#])
  }

  @Test func reportsAFlagThatIsOff() {
    var harness = FlagHarness()
    harness.reload()
    #expect(harness.isEnabled("hidden", true) == false)
    #expect(harness.exposed == ["hidden=false"])
  }

  @Test func sharesItsMemoryWithReads() {
    var harness = FlagHarness()
    #expect(harness.store.expose("banner", at: harness.now) == nil)
    harness.reload()
    let exposure = harness.store.expose("banner", at: harness.now)
    #expect(exposure?.value == "blue")
    #expect(harness.store.expose("banner", at: harness.now) == nil)
    #expect(harness.store.expose("nope", at: harness.now) == nil)
    _ = harness.get("banner")
    #expect(harness.exposures.isEmpty)
  }

  /// Readers of a snapshot report later what they have read.
  @Test func reportsWhatASnapshotHasShown() {
    let persistedAt = FlagVectors.start - FlagVectors.hour
    var harness = FlagHarness(id: "A", kept: FlagVectors.cache(of: "A", storedAt: persistedAt))
    let blue = harness.store.peek("banner", fallback: nil, at: harness.now)
    let unknown = harness.store.peek("nope", fallback: "control", at: harness.now)
    harness.reload(FlagVectors.answer("red"))
    let exposure = harness.store.expose("banner", blue, of: "A")
    #expect(exposure?.value == "blue")
    #expect(exposure?.persistedAt == persistedAt)
    #expect(harness.store.expose("banner", blue, of: "A") == nil)
    #expect(harness.store.expose("nope", unknown, of: "A") == nil)
    #expect(harness.get("banner") == "red")
    #expect(harness.exposed == [#"banner="red""#])
    harness.identify("B")
    #expect(harness.store.expose("banner", blue, of: "A") == nil)
    harness.reload()
    _ = harness.get("banner")
    #expect(harness.exposures.count == 2)
  }
}
