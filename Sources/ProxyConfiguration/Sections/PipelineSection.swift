import Effects

extension Configuration {
  /// How stored events get to the backends.
  package struct Pipeline: Sendable, Hashable {
    /// How long an event waits at most before it is sent with others.
    package var flushInterval = Duration.seconds(5)
    /// So many events are sent at once, without waiting.
    package var flushAt = 20
    /// Requests to one backend at the same time.
    package var maximumInFlight = 1
    /// How long the end of the process waits for events to be sent; the others are sent by the next one.
    package var drain = Duration.seconds(5)

    package init() {}
  }
}

extension Configuration.Pipeline: ConfigurationSection {
  static let summary = "How stored events get to the backends. How many are kept meanwhile, \"events\" says."

  static let expectations = [
    "flushInterval": "did you mean \"flushIntervalSeconds\"?", "drain": "did you mean \"drainSeconds\"?",
    "maxRows": "it belongs to \"events\"", "maxBytes": "it belongs to \"events\"",
    "batchSize": "did you mean \"flushAt\"? How many events a request holds, \"ahoy\" says in \"events\"",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      "flushIntervalSeconds", \.flushInterval, .seconds(0.05...3600),
      "Seconds that an event waits at most for others before it is sent.", examples: [4]),
    ConfigurationKey(
      "flushAt", \.flushAt, .count(1...1000), "So many waiting events are sent at once.", examples: [100]),
    ConfigurationKey(
      "maximumInFlight", \.maximumInFlight, .count(1...64), "Requests to one backend at the same time.", examples: [4]),
    ConfigurationKey(
      "drainSeconds", \.drain, .seconds(0...600),
      "Seconds that the end of the process waits for events to be sent; what is left the next process sends.",
      examples: [30]),
  ]
}
