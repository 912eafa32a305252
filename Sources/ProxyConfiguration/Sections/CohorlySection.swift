package import Effects

extension Configuration {
  /// The Cohorly server that events and profiles go to, and whose flags decide which rules apply.
  package struct Cohorly: Sendable, Hashable {
    /// The server of Cohorly itself (contract: Cohorly, section 1).
    package static let usualHost = BackendURL(
      isSecure: true, host: "cohorly-service.velloalabs.com", port: nil, path: "")

    /// Where the server is.
    package var apiHost = usualHost
    /// The file with the project's token, absolute or seen from the working directory; nil for none.
    package var tokenFile: String?
    /// When flags of an earlier evaluation count.
    package var flagPersistence = FlagPersistence.persistenceUntilNetworkSuccess
    /// How long stored flags are fresh, hours; with 0 none are kept.
    package var flagCacheTTLHours = 24.0
    /// How often the flags are evaluated again, seconds; 0 for never by itself.
    package var flagReloadSeconds = 300
    package var events = CohorlyEvents()
    /// What each event carries beside its own properties; strings, numbers and booleans.
    package var superProperties: [JSONMember] = []
    /// Fields that each request to the server carries beside those of Cohorly.
    package var headers: [OutboundField] = []
    /// Files with certificates that are trusted beside those of the system, absolute or seen from the working directory.
    package var certificateFiles: [String] = []
    /// What the token file holds; nil when there is none, or nothing was there to read it with.
    package var token: SecretFieldValue?

    package init() {}
  }

  /// When flags of an earlier evaluation count (contract: Cohorly, section 3.2); by the names of the client libraries.
  package enum FlagPersistence: String, Sendable, CaseIterable {
    case networkOnly, networkFirst, persistenceUntilNetworkSuccess
  }

  /// How recorded exchanges become events of Cohorly.
  package struct CohorlyEvents: Sendable, Hashable {
    package var name = "proxy.request"
    /// The properties beside those of each event: ids, time, system, and the flags that were asked.
    package var properties = ExchangeProperty.usual

    package init() {}
  }
}

extension Configuration.Cohorly: ConfigurationSection {
  static let summary =
    "The Cohorly server that gets events and profiles, and whose flags rules can ask. Absent or null: the feature is off."

  static let expectations = [
    "url": "did you mean \"apiHost\"?", "baseURL": "did you mean \"apiHost\"?", "host": "did you mean \"apiHost\"?",
    "apihost": "did you mean \"apiHost\"?",
    "token": "secrets do not belong in this file: use \"tokenFile\"",
    "authorization": "secrets do not belong in this file: use \"tokenFile\"",
    "authorizationFile": "did you mean \"tokenFile\"?",
    "flagCacheTTL": "did you mean \"flagCacheTTLHours\"?", "flagReload": "did you mean \"flagReloadSeconds\"?",
    "flags": "which flag a rule asks, the rule says in \"when\"",
    "when": "it belongs to a rule", "rules": "\"rules\" is a key of the whole file, beside \"cohorly\"",
    "name": "it belongs to \"events\"", "properties": "it belongs to \"events\"; did you mean \"superProperties\"?",
    "distinctId": "the proxy makes the id itself; `footfall identify` sets another",
    "enabled": "to turn the feature off write \"cohorly\": null",
    "flushAt": "it belongs to \"pipeline\"", "flushInterval": "\"pipeline\" says it for all backends",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      "apiHost", \.apiHost, .backendURL(credentials: "put the token into cohorly.tokenFile"),
      "Where the server is: http or https, a host, and a port and a path where it has them.",
      examples: ["https://cohorly.example.com", "http://127.0.0.1:8600"]),
    ConfigurationKey(
      "tokenFile", \.tokenFile, .orNull(.path),
      "A file of one line, the token of the project; relative to the folder of this file, readable by its owner alone. "
        + "null for none.",
      examples: ["cohorly.token"]),
    ConfigurationKey(
      "flagPersistence", \.flagPersistence,
      .choice(Configuration.FlagPersistence.allCases.map { ($0.rawValue, $0) }),
      "Which flags count until the server has answered, and when it does not: networkOnly none, networkFirst stored ones "
        + "that are fresh, persistenceUntilNetworkSuccess stored ones of up to seven days.",
      examples: ["networkFirst", "networkOnly"]),
    ConfigurationKey(
      "flagCacheTTLHours", \.flagCacheTTLHours, .number(0...8760, unit: "hours"),
      "How many hours stored flags are fresh.", examples: [0.5]),
    ConfigurationKey(
      "flagReloadSeconds", \.flagReloadSeconds, .count(0...86_400, unit: "seconds"),
      "How often the flags are evaluated again. 0: at the start, for another identity, and when told to.",
      examples: [60]
    ),
    ConfigurationKey(
      "events", \.events, .section, Configuration.CohorlyEvents.summary, examples: [["name": "egress.request"]]),
    ConfigurationKey(
      "superProperties", \.superProperties, .superProperties,
      "What each event carries beside its own properties: strings, numbers or booleans.", examples: [["env": "ci"]]),
    ConfigurationKey(
      "headers", \.headers,
      .outboundFields(
        own: ["x-cohorly-token": "use \"tokenFile\""], secrets: "the token of the project belongs into \"tokenFile\""),
      "Further fields of the requests to the server, none of them a secret.", examples: [["X-Tenant": "north"]]),
    ConfigurationKey(
      "certificateFiles", \.certificateFiles, .list(.path, 0...16, of: "files"),
      "Files with certificates (PEM) that are trusted for apiHost beside those of the system; relative to the folder of "
        + "this file.",
      examples: [["company-ca.pem"]]),
  ]
}

extension Configuration.CohorlyEvents: ConfigurationSection {
  static let summary = "How recorded exchanges become events of Cohorly."

  static let expectations = [
    "maxPerRequest": "how many events a request holds, the server's limits say",
    "maxBytes": "how long a request is, the server's limits say",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey("name", \.name, .shortText, "The name of the events.", examples: ["egress.request"]),
    ConfigurationKey(
      "properties", \.properties, .exchangeProperties,
      "What an event tells of its exchange, beside the flags that were asked, which are always there.",
      examples: [["method", "url", "status"], []]),
  ]
}
