import Effects

extension Configuration {
  /// What is recorded of finished exchanges.
  package struct Events: Sendable {
    /// Which exchanges become events.
    package var record = Scope.all
    /// Whether events keep the query of a URL.
    package var keepQuery = false
    /// Events kept in the local database; the oldest go first.
    package var maxRows: Int64 = 1_000_000
    /// Bytes that the local database's events may take.
    package var maxBytes: Int64 = 128 << 20

    package init() {}

    /// Which exchanges become events.
    package enum Scope: String, Sendable, CaseIterable {
      /// All.
      case all
      /// Those that a rule with `record` matches.
      case matched
      /// None.
      case none
    }
  }

  /// What is written for people and log collectors.
  package struct Log: Sendable {
    /// The least severe message that is written.
    package var level = Level.info
    /// The access log.
    package var accessFile = AccessFile.none

    package init() {}

    /// The severity of a message, the most severe first.
    package enum Level: String, Sendable, CaseIterable {
      case error, warning, info, debug
    }

    /// Where the access log goes.
    package enum AccessFile: Sendable, Hashable {
      /// Nowhere.
      case none
      /// Standard output.
      case standardOutput
      /// A file, absolute or seen from the working directory.
      case path(String)
    }
  }
}

extension Configuration.Events: ConfigurationSection {
  static let summary = "What is recorded of finished exchanges, in the local database."

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      "record", \.record, .choice(Scope.allCases.map { ($0.rawValue, $0) }),
      "\"all\" exchanges, those \"matched\" by a rule whose record is true, or \"none\".", examples: ["matched"]),
    ConfigurationKey(
      "keepQuery", \.keepQuery, .boolean, "Keeps the query of a URL; it may hold personal data.", examples: [true]),
    ConfigurationKey(
      "maxRows", \.maxRows, .integer(1...1_000_000_000), "Events kept; the oldest are removed first.",
      examples: [100_000]),
    ConfigurationKey(
      "maxBytes", \.maxBytes, .integer(1_048_576...1_099_511_627_776, unit: "bytes"),
      "Bytes that the events take at most; the oldest are removed first.", examples: [1_073_741_824]),
  ]
}

extension Configuration.Log: ConfigurationSection {
  static let summary = "What is written for people and log collectors."

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      "level", \.level, .logLevel,
      "The least severe message that is written to standard error.", examples: ["debug"]),
    ConfigurationKey(
      "accessFile", \.accessFile, .accessFile,
      "The access log, one JSON object per line: a path relative to the folder of this file, \"-\" for standard output, "
        + "null for none.",
      examples: ["-", "/var/log/footfall/access.ndjson"]),
  ]
}

extension ValueKind where Value == Configuration.Log.AccessFile {
  /// A path, `-` or null.
  static var accessFile: Self {
    let path = ValueKind<String?>.orNull(.path)
    return Self(schema: path.schema) { node, context in
      if case .string("-") = node.kind { return .standardOutput }
      return path.read(node, &context).map { $0.map { .path($0) } ?? .none }
    } write: { file in
      switch file {
      case .none: .null
      case .standardOutput: "-"
      case .path(let path): .string(path)
      }
    }
  }
}

extension ValueKind where Value == Configuration.Log.Level {
  /// The severity of a message.
  static var logLevel: Self { .choice(Configuration.Log.Level.allCases.map { ($0.rawValue, $0) }) }
}
