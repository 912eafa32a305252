import AhoyTracker
package import Effects

extension Configuration {
  /// The Rails application with the Ahoy gem that visits and events go to.
  package struct Ahoy: Sendable, Hashable {
    /// Where the application is; never nil in a configuration without errors.
    package var baseURL: BackendURL?
    /// Path segments below the base, without slashes at the ends.
    package var ahoyPath = "ahoy"
    /// Path segments below `ahoyPath`.
    package var visitsPath = "visits"
    package var eventsPath = "events"
    /// How long a visit lasts from its creation, hours.
    package var visitDurationHours = 4.0
    /// Whether a visit that has ended is followed by another as soon as something is recorded.
    package var automaticVisitRenewal = true
    package var environment = AhoyEnvironment()
    /// What each visit that the proxy starts by itself carries; strings, numbers and booleans.
    package var visitParams: [JSONMember] = []
    /// What the gem takes the proxy for; it decides whether anything is stored.
    package var userAgent = AhoyEndpoint.defaultUserAgent
    package var events = AhoyEvents()
    /// Fields that each request to the application carries beside those of Ahoy.
    package var headers: [OutboundField] = []
    /// The file with the value of the field Authorization, absolute or seen from the working directory; nil for none.
    package var authorizationFile: String?
    /// Files with certificates that are trusted beside those of the system, absolute or seen from the working directory.
    package var certificateFiles: [String] = []
    /// What the authorization file holds; nil when there is none, or nothing was there to read it with.
    package var authorization: SecretFieldValue?

    package init() {}

    /// Where visits are registered.
    package var visitsURL: String? { baseURL?.appending("\(ahoyPath)/\(visitsPath)") }
    /// Where events are sent.
    package var eventsURL: String? { baseURL?.appending("\(ahoyPath)/\(eventsPath)") }
  }

  /// What a visit says of the program it comes from.
  package struct AhoyEnvironment: Sendable, Hashable {
    package var platform = "Linux"
    /// Nil for the version of Footfall.
    package var appVersion: String?
    /// Nil for the version of the operating system.
    package var osVersion: String?

    package init() {}
  }

  /// How recorded exchanges become events of Ahoy.
  package struct AhoyEvents: Sendable, Hashable {
    package var name = "proxy.request"
    /// The properties, beside `occurred_at`, which is always there.
    package var properties = ExchangeProperty.usual
    /// Events of one request; the gem passes over the others without a word.
    package var maxPerRequest = 10
    /// Bytes of one request; the gem refuses longer ones.
    package var maxBytes = 8192

    package init() {}
  }
}

extension Configuration.Ahoy: ConfigurationSection {
  static let summary =
    "The Rails application with the Ahoy gem that gets visits and events. Absent or null: the feature is off."

  static let expectations = [
    "url": "did you mean \"baseURL\"?", "baseUrl": "did you mean \"baseURL\"?", "host": "use \"baseURL\"",
    "authorization": "secrets do not belong in this file: use \"authorizationFile\"",
    "token": "secrets do not belong in this file: use \"authorizationFile\"",
    "visitDuration": "did you mean \"visitDurationHours\"?",
    "platform": "it belongs to \"environment\"", "appVersion": "it belongs to \"environment\"",
    "osVersion": "it belongs to \"environment\"", "enabled": "to turn the feature off write \"ahoy\": null",
    "rules": "\"rules\" is a key of the whole file, beside \"ahoy\"",
  ]

  /// The fields that Ahoy itself sets, with the way to change them.
  private static let ownFields = [
    "user-agent": "use \"userAgent\"", "ahoy-visit": "the proxy makes the tokens itself",
    "ahoy-visitor": "the proxy makes the tokens itself",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      required: "baseURL", \.baseURL,
      .optional(.backendURL(credentials: "put them into ahoy.authorizationFile as the value of Authorization")),
      "Where the application is: http or https, a host, and a port and a path where it has them.",
      examples: ["https://app.example.com", "http://127.0.0.1:3000"]),
    ConfigurationKey(
      "ahoyPath", \.ahoyPath, .pathSegments, "Where the gem's engine is mounted, below baseURL.", examples: ["track"]),
    ConfigurationKey(
      "visitsPath", \.visitsPath, .pathSegments, "Where visits are registered, below ahoyPath.", examples: ["my-visits"]
    ),
    ConfigurationKey(
      "eventsPath", \.eventsPath, .pathSegments, "Where events are sent, below ahoyPath.", examples: ["my-events"]),
    ConfigurationKey(
      "visitDurationHours", \.visitDurationHours, .number(0.0005...8760, unit: "hours"),
      "How many hours a visit lasts, counted from its creation.", examples: [0.5]),
    ConfigurationKey(
      "automaticVisitRenewal", \.automaticVisitRenewal, .boolean,
      "Starts another visit when one has ended and something is recorded. false: events wait for POST /visit.",
      examples: [false]),
    ConfigurationKey(
      "environment", \.environment, .section, Configuration.AhoyEnvironment.summary,
      examples: [["platform": "Linux", "appVersion": "1.0", "osVersion": "12"]]),
    ConfigurationKey(
      "visitParams", \.visitParams, .visitParams,
      "What each visit carries that the proxy starts by itself: names in lower case with underscores, values that are "
        + "strings, numbers or booleans. The gem stores utm_source, utm_medium, utm_term, utm_content, utm_campaign, "
        + "referrer and landing_page.",
      examples: [["utm_source": "egress", "utm_campaign": "q4"]]),
    ConfigurationKey(
      "userAgent", \.userAgent, .userAgent,
      "The User-Agent of the requests to the application. The gem stores nothing for one that names no operating system "
        + "or that holds a word of robots.",
      examples: ["AhoySwift/2.0 (X11; Linux x86_64)"]),
    ConfigurationKey(
      "events", \.events, .section, Configuration.AhoyEvents.summary, examples: [["name": "egress.request"]]),
    ConfigurationKey(
      "headers", \.headers, .outboundFields(own: ownFields, secrets: "use \"authorizationFile\""),
      "Further fields of the requests to the application, none of them a secret.", examples: [["X-Tenant": "north"]]),
    ConfigurationKey(
      "authorizationFile", \.authorizationFile, .orNull(.path),
      "A file of one line, the value of the field Authorization, such as Bearer and a token; relative to the folder of "
        + "this file, readable by its owner alone. null for none.",
      examples: ["ahoy.authorization"]),
    ConfigurationKey(
      "certificateFiles", \.certificateFiles, .list(.path, 0...16, of: "files"),
      "Files with certificates (PEM) that are trusted for baseURL beside those of the system; relative to the folder of "
        + "this file.",
      examples: [["company-ca.pem"]]),
  ]
}

extension Configuration.AhoyEnvironment: ConfigurationSection {
  static let summary = "What a visit says of the program it comes from."

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey("platform", \.platform, .shortText, "The platform.", examples: ["Debian"]),
    ConfigurationKey(
      optional: "appVersion", \.appVersion, .shortText, "The version of the program. Absent: that of Footfall.",
      examples: ["1.0"]),
    ConfigurationKey(
      optional: "osVersion", \.osVersion, .shortText, "The version of the system. Absent: that of this machine.",
      examples: ["12"]),
  ]
}

extension Configuration.AhoyEvents: ConfigurationSection {
  static let summary = "How recorded exchanges become events of Ahoy."

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey("name", \.name, .shortText, "The name of the events.", examples: ["egress.request"]),
    ConfigurationKey(
      "properties", \.properties, .exchangeProperties,
      "What an event tells of its exchange, beside occurred_at, which is always there.",
      examples: [["method", "url", "status"], []]),
    ConfigurationKey(
      "maxPerRequest", \.maxPerRequest, .count(1...1000),
      "Events of one request. The gem passes over those behind its max_events_per_request, 10 unless the application sets "
        + "another number.",
      examples: [50]),
    ConfigurationKey(
      "maxBytes", \.maxBytes, .count(1024...1_048_576, unit: "bytes"),
      "Bytes of one request. The gem refuses more than its max_content_length, 8192 unless the application sets another "
        + "number.",
      examples: [65536]),
  ]
}
