import Effects
import Testing

@testable import CohorlyTracker

/// Rows 80 to 91: the three tables of the contract's section 3.2, with the boundaries of each age.
@Suite struct FlagReadTableTests {
  /// What the key-value store holds when the program starts.
  enum Kept: Sendable, CustomStringConvertible {
    case none, foreign, corrupt, legacy
    /// Evaluated that many milliseconds ago.
    case aged(Int64)

    var description: String {
      switch self {
      case .none: "none"
      case .foreign: "foreign"
      case .corrupt: "corrupt"
      case .legacy: "legacy"
      case .aged(let age): "\(age) ms old"
      }
    }

    func bytes(at now: Int64) -> [UInt8]? {
      switch self {
      case .none: nil
      case .foreign: FlagVectors.cache(of: "another", storedAt: now)
      case .corrupt: FlagVectors.bytes(#"{"distinct_id":"anon","flags":{"banner":{"enab"#)
      case .legacy: FlagVectors.cache(storedAt: nil)
      case .aged(let age): FlagVectors.cache(storedAt: now - age)
      }
    }
  }

  enum Network: Sendable, CaseIterable { case notAsked, pending, failed }

  struct Row: Sendable, CustomTestStringConvertible {
    let policy: FlagPersistence
    let ttl: Int64
    let kept: Kept
    let source: FlagSource
    /// Whether what is kept lies there still after the read.
    let remains: Bool

    init(
      _ policy: FlagPersistence, _ kept: Kept, _ source: FlagSource, remains: Bool, ttl: Int64 = FlagVectors.ttl
    ) {
      self.policy = policy
      self.ttl = ttl
      self.kept = kept
      self.source = source
      self.remains = remains
    }

    var testDescription: String { "\(policy), ttl \(ttl), \(kept): \(source)" }
  }

  static let day = FlagVectors.day
  static let week = FlagVectors.week
  static let longTTL = 8 * day

  /// While no evaluation has succeeded.
  static let rows: [Row] = [
    // networkOnly: what is kept is neither read nor removed, however it is.
    Row(.networkOnly, .none, .fallback, remains: false),
    Row(.networkOnly, .foreign, .fallback, remains: true),
    Row(.networkOnly, .corrupt, .fallback, remains: true),
    Row(.networkOnly, .legacy, .fallback, remains: true),
    Row(.networkOnly, .aged(0), .fallback, remains: true),
    Row(.networkOnly, .aged(day), .fallback, remains: true),
    Row(.networkOnly, .aged(week), .fallback, remains: true),
    // networkFirst: until the time to live is over.
    Row(.networkFirst, .none, .fallback, remains: false),
    Row(.networkFirst, .foreign, .fallback, remains: false),
    Row(.networkFirst, .corrupt, .fallback, remains: false),
    Row(.networkFirst, .legacy, .persistence, remains: true),
    Row(.networkFirst, .aged(-day), .persistence, remains: true),
    Row(.networkFirst, .aged(0), .persistence, remains: true),
    Row(.networkFirst, .aged(day - 1), .persistence, remains: true),
    Row(.networkFirst, .aged(day), .fallback, remains: false),
    Row(.networkFirst, .aged(day + 1), .fallback, remains: false),
    Row(.networkFirst, .aged(week - 1), .fallback, remains: false),
    Row(.networkFirst, .aged(week), .fallback, remains: false),
    Row(.networkFirst, .aged(week), .persistence, remains: true, ttl: longTTL),
    Row(.networkFirst, .aged(longTTL - 1), .persistence, remains: true, ttl: longTTL),
    Row(.networkFirst, .aged(longTTL), .fallback, remains: false, ttl: longTTL),
    Row(.networkFirst, .aged(0), .persistence, remains: true, ttl: 1),
    Row(.networkFirst, .aged(1), .fallback, remains: false, ttl: 1),
    // persistenceUntilNetworkSuccess: stale flags too, for seven days.
    Row(.persistenceUntilNetworkSuccess, .none, .fallback, remains: false),
    Row(.persistenceUntilNetworkSuccess, .foreign, .fallback, remains: false),
    Row(.persistenceUntilNetworkSuccess, .corrupt, .fallback, remains: false),
    Row(.persistenceUntilNetworkSuccess, .legacy, .persistence, remains: true),
    Row(.persistenceUntilNetworkSuccess, .aged(-day), .persistence, remains: true),
    Row(.persistenceUntilNetworkSuccess, .aged(0), .persistence, remains: true),
    Row(.persistenceUntilNetworkSuccess, .aged(day - 1), .persistence, remains: true),
    // Expiry alone deletes nothing here.
    Row(.persistenceUntilNetworkSuccess, .aged(day), .persistence, remains: true),
    Row(.persistenceUntilNetworkSuccess, .aged(week - 1), .persistence, remains: true),
    Row(.persistenceUntilNetworkSuccess, .aged(week), .fallback, remains: false),
    Row(.persistenceUntilNetworkSuccess, .aged(week + 1), .fallback, remains: false),
    Row(.persistenceUntilNetworkSuccess, .aged(week), .persistence, remains: true, ttl: longTTL),
    Row(.persistenceUntilNetworkSuccess, .aged(longTTL - 1), .persistence, remains: true, ttl: longTTL),
    Row(.persistenceUntilNetworkSuccess, .aged(longTTL), .fallback, remains: false, ttl: longTTL),
    // A time to live that is not positive turns persistence off.
    Row(.networkFirst, .aged(0), .fallback, remains: true, ttl: 0),
    Row(.persistenceUntilNetworkSuccess, .aged(0), .fallback, remains: true, ttl: 0),
    Row(.persistenceUntilNetworkSuccess, .legacy, .fallback, remains: true, ttl: -1),
  ]

  static func expect(_ harness: inout FlagHarness, _ row: Row) {
    let peeked = harness.store.peek("banner", fallback: "control", at: harness.now)
    let reading = harness.details("banner", "control")
    #expect(reading == peeked)
    #expect(reading.source == row.source)
    #expect(reading.value == (row.source == .fallback ? "control" : "blue"))
    #expect((harness.kept != nil) == row.remains)
    #expect(harness.store.source(at: harness.now) == row.source)
    #expect(harness.store.isLoaded(at: harness.now) == (row.source != .fallback))
    #expect(harness.exposures.count == (row.source == .fallback ? 0 : 1))
    // A flag that the map does not have is unknown under every policy.
    #expect(harness.details("nope", "control").source == .fallback)
    guard row.source == .persistence else { return }
    #expect(reading.ttlMilliseconds == row.ttl)
    if case .aged = row.kept {
      #expect(reading.persistedAt != nil)
    } else {
      #expect(reading.persistedAt == nil)
    }
  }

  @Test(arguments: rows, Network.allCases)
  func rows80to91_readBeforeASuccess(_ row: Row, _ network: Network) {
    let now = FlagVectors.start + 30 * FlagVectors.day
    var harness = FlagHarness(row.policy, ttl: row.ttl, kept: row.kept.bytes(at: now), at: now)
    switch network {
    case .notAsked: break
    case .pending: _ = harness.store.beginReload()
    case .failed: harness.reload(.failed(reason: "status 503"))
    }
    Self.expect(&harness, row)
    // A restart finds the same.
    var restarted = harness.restarted(policy: row.policy)
    #expect(restarted.details("banner", "control").source == row.source)
  }

  /// The age counts at each read, not at the start alone.
  @Test(arguments: rows) func rows80to91_readAgainLater(_ row: Row) {
    guard case .aged(let age) = row.kept, age > 0 else { return }
    let now = FlagVectors.start + 30 * FlagVectors.day
    let kept = row.kept.bytes(at: now)
    var harness = FlagHarness(row.policy, ttl: row.ttl, kept: kept, at: now - age)
    if row.policy != .networkOnly, row.ttl > 0 {
      #expect(harness.details("banner").source == .persistence)
      harness.exposures = []
      harness.store = FlagHarness(row.policy, ttl: row.ttl, kept: kept, at: now - age).store
    }
    harness.now = now
    Self.expect(&harness, row)
    // What was dropped stays away, even if the clock goes back.
    harness.now = now - age
    let isServed = row.source == .persistence
    #expect((harness.details("banner").source == .persistence) == isServed)
  }

  /// Network values have no age, and take the place of every cache.
  @Test(arguments: rows) func rows80to91_readAfterASuccess(_ row: Row) {
    let now = FlagVectors.start + 30 * FlagVectors.day
    var harness = FlagHarness(row.policy, ttl: row.ttl, kept: row.kept.bytes(at: now), at: now)
    harness.reload(FlagVectors.answer("red"))
    for _ in 0..<3 {
      let reading = harness.details("banner", "control")
      #expect(reading.value == "red")
      #expect(reading.source == .network)
      #expect(reading.persistedAt == nil)
      #expect(reading.ttlMilliseconds == nil)
      #expect(harness.details("nope", "control").source == .fallback)
      #expect(harness.store.nextChange(after: harness.now) == nil)
      harness.reload(.failed(reason: "status 503"))
      harness.now += 30 * FlagVectors.day
    }
    let isPersisting = row.policy != .networkOnly && row.ttl > 0
    #expect(harness.kept == (isPersisting ? FlagVectors.cache("red", storedAt: now) : row.kept.bytes(at: now)))
  }

  @Test func rows80to91_anAnswerRewritesALegacyCache() {
    var harness = FlagHarness(kept: FlagVectors.cache(storedAt: nil))
    harness.now += 365 * FlagVectors.day
    #expect(harness.details("banner").source == .persistence)
    harness.reload()
    #expect(harness.kept == FlagVectors.cache(storedAt: harness.now))
    harness.now += FlagVectors.week
    var restarted = harness.restarted()
    #expect(restarted.details("banner").source == .fallback)
  }

  @Test(arguments: [
    (FlagPersistence.networkFirst, FlagVectors.ttl, FlagVectors.ttl),
    (.persistenceUntilNetworkSuccess, FlagVectors.ttl, FlagVectors.week),
    (.persistenceUntilNetworkSuccess, longTTL, longTTL),
  ])
  func saysWhenAgeChangesWhatReadsGive(_ policy: FlagPersistence, _ ttl: Int64, _ limit: Int64) throws {
    let start = FlagVectors.start
    var harness = FlagHarness(policy, ttl: ttl, kept: FlagVectors.cache(storedAt: start))
    let change = try #require(harness.store.nextChange(after: start))
    #expect(change == start + limit)
    #expect(harness.store.all(at: change - 1) == FlagVectors.flags)
    #expect(harness.store.all(at: change).isEmpty)
    #expect(!harness.store.isLoaded(at: change))
    #expect(harness.store.nextChange(after: change - 1) == change)
    #expect(harness.store.nextChange(after: change) == nil)
    harness.perform(harness.store.dropExpired(at: change - 1))
    #expect(harness.kept != nil)
    harness.perform(harness.store.dropExpired(at: change))
    #expect(harness.kept == nil)
    #expect(harness.store.dropExpired(at: change).isEmpty)
    // Age tells no listener: the contract names two occasions, and this is neither.
    #expect(harness.notified == [FlagVectors.flags])
  }

  /// The numbers of a damaged clock or cache: no trap, and no age that ends.
  @Test(arguments: [Int64.min, -1, 0, 1, Int64.max - 1, Int64.max], [Int64.min, -1, 0, Int64.max - 1])
  func survivesEveryTime(_ storedAt: Int64, _ now: Int64) {
    for policy in FlagPersistence.allCases {
      for ttl in [Int64.min, 0, 1, FlagVectors.ttl, Int64.max] {
        var harness = FlagHarness(policy, ttl: ttl, kept: FlagVectors.cache(storedAt: storedAt), at: now)
        let reading = harness.details("banner")
        if policy == .networkOnly || ttl <= 0 {
          #expect(reading.source == .fallback)
        } else if storedAt >= now || ttl == .max && storedAt >= 0 {
          #expect(reading.source == .persistence)
        }
        if let change = harness.store.nextChange(after: now) { #expect(change > now) }
      }
    }
  }

  @Test(arguments: FlagPersistence.allCases) func warnsOfATimeToLiveThatKeepsNothing(_ policy: FlagPersistence) {
    for ttl in [0, -1, Int64.min] as [Int64] {
      let store = FlagStore(policy: policy, ttlMilliseconds: ttl, distinctID: "anon")
      #expect(store.policy == .networkOnly)
      #expect((store.warning != nil) == (policy != .networkOnly))
      #expect(store.warning?.contains("\(ttl) ms") ?? true)
    }
    let store = FlagStore(policy: policy, ttlMilliseconds: 1, distinctID: "anon")
    #expect(store.policy == policy)
    #expect(store.warning == nil)
  }
}
