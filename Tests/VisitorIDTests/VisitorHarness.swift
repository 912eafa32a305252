import Effects
import RuleEngines
import TestKit
import VisitorID

/// A visitor id over fakes for time, randomness and store, and the real engines.
struct VisitorHarness {
  let store: MemoryKeyValueStore
  let clock: ManualClock
  let tokens: SequenceTokenSource
  let visitor: VisitorID

  init(
    _ configuration: VisitorIDConfiguration? = .example, store: MemoryKeyValueStore = MemoryKeyValueStore(),
    clock: ManualClock = ManualClock(), tokens: SequenceTokenSource = SequenceTokenSource()
  ) {
    self.store = store
    self.clock = clock
    self.tokens = tokens
    visitor = VisitorID(
      configuration: configuration, store: store, clock: clock, monotonicClock: clock, tokens: tokens,
      patterns: PCRE2PatternEngine(), hostNames: IDNA2008HostNameEncoder())
  }

  /// The same program after a restart.
  func restarted(_ configuration: VisitorIDConfiguration? = .example) -> VisitorHarness {
    VisitorHarness(configuration, store: store, clock: clock, tokens: tokens)
  }

  /// The stored record as text.
  var stored: String? { store.peek("visitor-id").map { String(decoding: $0, as: UTF8.self) } }

  static let hour: Int64 = 3_600_000
}

extension VisitorIDConfiguration {
  /// The example of the public page.
  static var example: VisitorIDConfiguration {
    var configuration = VisitorIDConfiguration()
    configuration.header = "x-visitor-id"
    configuration.addMatch(urlPrefix: "https://api.example.com/")
    return configuration
  }
}
