import Effects

extension StatusReport {
  /// The feature Cohorly: the identity, the flags, and what is known of the server. Counters are those since the start.
  package struct Cohorly: Sendable, Hashable {
    package var apiHost = ""
    /// A token is configured.
    package var hasToken = false
    /// In full; the rendering masks it.
    package var distinctID = ""
    /// In full; the rendering masks it.
    package var deviceID = ""
    package var isAnonymous = true
    /// The persistence policy by its name in the configuration.
    package var flagPolicy = ""
    /// An evaluation of this run has succeeded for this identity.
    package var flagsAreLoaded = false
    /// Where the flags come from that are served now.
    package var flagSource = FlagsReport.Source.fallback
    /// How many there are.
    package var flagCount = 0
    /// When they were last evaluated with success in this run, milliseconds since the epoch.
    package var flagsEvaluatedAt: Int64?
    /// Evaluations that succeeded and that failed.
    package var flagEvaluations: UInt64 = 0
    package var flagFailures: UInt64 = 0
    /// Changes of profiles that the server took without carrying them out.
    package var refusedOperations: UInt64 = 0
    /// Identities whose tie to the anonymous one before did not get to the server; it is not tried again.
    package var failedAliases: UInt64 = 0
    /// What went wrong last with flags, profiles or aliases, in words.
    package var lastError: String?
    /// When it went wrong.
    package var lastErrorAt: Int64?

    package init() {}

    func json(ids: IDDisclosure) -> JSONValue {
      .object([
        JSONMember("apiHost", .string(apiHost)), JSONMember("token", .bool(hasToken)),
        JSONMember("distinctID", .string(ids.text(distinctID))), JSONMember("deviceID", .string(ids.text(deviceID))),
        JSONMember("anonymous", .bool(isAnonymous)),
        JSONMember(
          "flags",
          .object([
            JSONMember("policy", .string(flagPolicy)), JSONMember("loaded", .bool(flagsAreLoaded)),
            JSONMember("source", .string(flagSource.rawValue)), JSONMember("count", .integer(Int64(flagCount))),
            JSONMember("evaluatedAt", .time(flagsEvaluatedAt)),
            JSONMember("evaluations", .integer(Int64(clamping: flagEvaluations))),
            JSONMember("failures", .integer(Int64(clamping: flagFailures))),
          ])),
        JSONMember("refusedOperations", .integer(Int64(clamping: refusedOperations))),
        JSONMember("failedAliases", .integer(Int64(clamping: failedAliases))),
        JSONMember("lastError", lastError.map { .string($0) } ?? .null),
        JSONMember("lastErrorAt", .time(lastErrorAt)),
      ])
    }
  }
}
