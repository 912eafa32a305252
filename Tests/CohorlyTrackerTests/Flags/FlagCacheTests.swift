import Effects
import Testing

@testable import CohorlyTracker

/// What is kept between runs, and how a damaged one heals itself.
@Suite struct FlagCacheTests {
  static let malformed = [
    "", "{", "not JSON", "null", "[]", "7", #""text""#, "\u{0}", #"{"distinct_id":"anon","flags":{}"#,
    #"{"distinct_id":"anon","flags":{}} {}"#, #"{"distinct_id":"anon","flags":{},"flags":{}}"#,
  ]
  static let misshapen = [
    "{}", #"{"flags":{}}"#, #"{"distinct_id":7,"flags":{}}"#, #"{"distinct_id":null,"flags":{}}"#,
    #"{"distinct_id":"anon"}"#, #"{"distinct_id":"anon","flags":null}"#, #"{"distinct_id":"anon","flags":[]}"#,
    #"{"distinct_id":"anon","flags":"{}"}"#, #"{"distinct_id":"anon","flags":{"a":true}}"#,
    #"{"distinct_id":"anon","flags":{"a":{}}}"#, #"{"distinct_id":"anon","flags":{"a":{"enabled":"yes"}}}"#,
    #"{"distinct_id":"anon","flags":{"a":{"enabled":true,"variant":7}}}"#,
    #"{"distinct_id":"anon","flags":{},"stored_at":"1700000000000"}"#,
    #"{"distinct_id":"anon","flags":{},"stored_at":null}"#, #"{"distinct_id":"anon","flags":{},"stored_at":1.5}"#,
    #"{"distinct_id":"anon","flags":{},"stored_at":99999999999999999999}"#,
  ]

  @Test(arguments: malformed + misshapen, [FlagPersistence.networkFirst, .persistenceUntilNetworkSuccess])
  func healsItself(_ text: String, _ policy: FlagPersistence) {
    var harness = FlagHarness(policy, kept: FlagVectors.bytes(text))
    #expect(harness.kept == nil)
    #expect(harness.details("a").source == .fallback)
    #expect(harness.notified.isEmpty)
    harness.reload()
    var restarted = harness.restarted()
    #expect(restarted.details("banner").source == .persistence)
  }

  @Test(arguments: malformed + misshapen) func isLeftAloneWithoutPersistence(_ text: String) {
    let harness = FlagHarness(.networkOnly, kept: FlagVectors.bytes(text))
    #expect(harness.kept == FlagVectors.bytes(text))
  }

  /// A cut or changed byte anywhere: never a trap, and what is not served is removed.
  @Test func healsFromDamageAnywhere() {
    let whole = FlagVectors.cache(storedAt: FlagVectors.start)
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 0x15
      for bytes in [Array(whole[..<index]), changed, Array(whole[index...])] where bytes != whole {
        let harness = FlagHarness(kept: bytes)
        #expect((harness.kept == nil) == !harness.store.isLoaded(at: harness.now))
      }
      #expect(FlagHarness(kept: Array(whole[..<index])).kept == nil)
    }
  }

  @Test(arguments: [FlagVectors.start, 0, -1, .max, nil] as [Int64?])
  func comesBackAsItWasStored(_ storedAt: Int64?) throws {
    let bytes = FlagVectors.cache(of: "jos\u{e9} \"1\"".replacing("\"", with: "\\\""), storedAt: storedAt)
    let cache = try #require(FlagCache(stored: bytes))
    #expect(cache.distinctID == "jos\u{e9} \"1\"")
    #expect(cache.storedAt == storedAt)
    #expect(cache.evaluated.flags == FlagVectors.flags)
    #expect(FlagCache(stored: cache.bytes) == cache)
    #expect(cache.bytes == bytes)
  }

  @Test func keepsWhatItDoesNotUnderstand() throws {
    let bytes = FlagVectors.bytes(
      #"{"distinct_id":"anon","flags":{"a":{"enabled":true,"later":[1,2.5,{"b":null}],"variant":"x"}},"stored_at":5}"#)
    #expect(try #require(FlagCache(stored: bytes)).bytes == bytes)
  }

  @Test(arguments: [("user-1", "user-1", true), ("user-1", "user-2", false), ("\u{e9}", "e\u{301}", false)])
  func belongsToTheSameBytes(_ owner: String, _ reader: String, _ belongs: Bool) throws {
    let cache = try #require(FlagCache(stored: FlagVectors.cache(of: owner, storedAt: nil)))
    #expect(cache.belongs(to: reader) == belongs)
  }
}
