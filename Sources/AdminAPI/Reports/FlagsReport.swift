package import Effects

/// What is known of the flags of Cohorly, and what it makes of the rules: the answer of `GET /flags`.
package struct FlagsReport: Sendable, Hashable {
  /// Where a value comes from.
  package enum Source: String, Sendable, CaseIterable {
    /// An evaluation of this run.
    case network
    /// An evaluation that was stored.
    case persistence
    /// Nothing is known: what was asked for in that case.
    case fallback
  }

  /// The value of a flag: its variant, or whether it is enabled.
  package enum Word: Sendable, Hashable {
    case bool(Bool)
    case text(String)

    package var json: JSONValue {
      switch self {
      case .bool(let truth): .bool(truth)
      case .text(let text): .string(text)
      }
    }
  }

  /// One flag.
  package struct Flag: Sendable, Hashable {
    package var key: String
    package var value: Word
    package var isEnabled: Bool
    package var variant: String?
    package var payload: JSONValue?
    package var source: Source
    /// When the stored value was evaluated, milliseconds since the epoch; nil for one of this run.
    package var persistedAt: Int64?
    /// How long it is fresh, milliseconds; nil for one of this run.
    package var ttlMilliseconds: Int64?

    package init(
      key: String, value: Word, isEnabled: Bool, variant: String? = nil, payload: JSONValue? = nil, source: Source,
      persistedAt: Int64? = nil, ttlMilliseconds: Int64? = nil
    ) {
      self.key = key
      self.value = value
      self.isEnabled = isEnabled
      self.variant = variant
      self.payload = payload
      self.source = source
      self.persistedAt = persistedAt
      self.ttlMilliseconds = ttlMilliseconds
    }

    fileprivate var json: JSONValue {
      .object([
        JSONMember("key", .string(key)), JSONMember("value", value.json), JSONMember("enabled", .bool(isEnabled)),
        JSONMember("variant", variant.map { .string($0) } ?? .null), JSONMember("payload", payload ?? .null),
        JSONMember("source", .string(source.rawValue)), JSONMember("persistedAt", .time(persistedAt)),
        JSONMember("ttlMs", ttlMilliseconds.map { .integer($0) } ?? .null),
      ])
    }
  }

  /// A rule that asks a flag.
  package struct Gate: Sendable, Hashable {
    package var rule: String
    package var flag: String
    /// The value with which the rule applies.
    package var expected: Word
    /// What the flag counts as while it is unknown.
    package var fallback: Word
    /// What it counts as now.
    package var value: Word
    package var source: Source
    package var applies: Bool

    package init(
      rule: String, flag: String, expected: Word, fallback: Word, value: Word, source: Source, applies: Bool
    ) {
      self.rule = rule
      self.flag = flag
      self.expected = expected
      self.fallback = fallback
      self.value = value
      self.source = source
      self.applies = applies
    }

    fileprivate var json: JSONValue {
      .object([
        JSONMember("rule", .string(rule)), JSONMember("flag", .string(flag)), JSONMember("is", expected.json),
        JSONMember("fallback", fallback.json), JSONMember("value", value.json),
        JSONMember("source", .string(source.rawValue)), JSONMember("applies", .bool(applies)),
      ])
    }
  }

  /// The persistence policy by its name in the configuration.
  package var policy: String
  /// Whom the flags were evaluated for, in full; the rendering masks it.
  package var distinctID: String
  /// An evaluation of this run has succeeded for this identity.
  package var isLoaded: Bool
  /// When that was, milliseconds since the epoch.
  package var evaluatedAt: Int64?
  /// Why the last evaluation failed; nil after one that did not.
  package var lastError: String?
  /// By their keys.
  package var flags: [Flag]
  /// In the order of the rules.
  package var gates: [Gate]

  package init(
    policy: String, distinctID: String, isLoaded: Bool, evaluatedAt: Int64? = nil, lastError: String? = nil,
    flags: [Flag] = [], gates: [Gate] = []
  ) {
    self.policy = policy
    self.distinctID = distinctID
    self.isLoaded = isLoaded
    self.evaluatedAt = evaluatedAt
    self.lastError = lastError
    self.flags = flags
    self.gates = gates
  }

  package func json(ids: IDDisclosure) -> JSONValue {
    .object([
      JSONMember("policy", .string(policy)), JSONMember("distinctID", .string(ids.text(distinctID))),
      JSONMember("loaded", .bool(isLoaded)), JSONMember("evaluatedAt", .time(evaluatedAt)),
      JSONMember("lastError", lastError.map { .string($0) } ?? .null), JSONMember("flags", .array(flags.map(\.json))),
      JSONMember("gates", .array(gates.map(\.json))),
    ])
  }
}

extension JSONValue {
  /// A moment in milliseconds since the epoch, or null.
  static func time(_ milliseconds: Int64?) -> JSONValue {
    milliseconds.map { .string(Timestamp.text(millisecondsSinceEpoch: $0)) } ?? .null
  }
}
