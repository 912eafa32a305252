import Effects

extension Configuration {
  /// How much the proxy takes.
  package struct Limits: Sendable {
    /// Bytes of a request line without its line end.
    package var requestLineBytes = 8192
    /// Bytes of a request or response head.
    package var headBytes = 65536
    /// Field lines of a head.
    package var fields = 100
    /// Bytes of a request body; nil for no limit.
    package var requestBodyBytes: Int64?
    /// Client connections of the whole process.
    package var connections = 10_000
    /// Client connections of one address; nil for no limit.
    package var connectionsPerClient: Int?
    /// Requests of one address each second; nil for no limit.
    package var requestsPerSecondPerClient: Int?
    /// MiB in the proxy's buffers; nil for no limit.
    package var memoryMiB: Int?
    /// How fast a client must send a body or take an answer; nil for no limit.
    package var minimumBytesPerSecond: Int? = 500
    /// Idle connections that one worker keeps to one origin.
    package var idleUpstreamPerOrigin = 64
    /// Connections of the whole process to one origin.
    package var upstreamConnectionsPerOrigin = 256
    /// Names whose addresses are remembered.
    package var resolverCacheEntries = 1024

    package init() {}
  }

  /// How long the proxy waits.
  package struct Timeouts: Sendable {
    /// From the first byte of a request head to its last.
    package var head = Duration.seconds(10)
    /// A connection without a request.
    package var idle = Duration.seconds(60)
    /// Name resolution and connecting together.
    package var connect = Duration.seconds(10)
    /// Between two steps of an exchange.
    package var read = Duration.seconds(60)
    /// A tunnel through which nothing passes.
    package var tunnel = Duration.seconds(600)
    /// From the request to stop until exchanges are cut.
    package var drain = Duration.seconds(30)

    package init() {}
  }
}

extension Configuration.Limits: ConfigurationSection {
  static let summary = "How much the proxy takes before it refuses."

  static let expectations = [
    "requestBody": "did you mean \"requestBodyBytes\"?", "maxConnections": "did you mean \"connections\"?",
    "memory": "did you mean \"memoryMiB\"?", "rate": "did you mean \"requestsPerSecondPerClient\"?",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      "requestLineBytes", \.requestLineBytes, .count(64...1_048_576, unit: "bytes"),
      "Bytes of a request line; a longer one is answered 414.", examples: [16384]),
    ConfigurationKey(
      "headBytes", \.headBytes, .count(256...1_048_576, unit: "bytes"),
      "Bytes of a message head; a longer request head is answered 431.", examples: [131_072]),
    ConfigurationKey(
      "fields", \.fields, .count(1...10_000), "Field lines of a message head; more are answered 431.", examples: [200]),
    ConfigurationKey(
      "requestBodyBytes", \.requestBodyBytes, .orNull(.integer(0...(1 << 53), unit: "bytes")),
      "Bytes of a request body; a longer one is answered 413. null for no limit.", examples: [10_485_760]),
    ConfigurationKey(
      "connections", \.connections, .count(1...1_000_000),
      "Client connections of the whole process; more are answered 503. Less when fewer files may be open (ulimit -n).",
      examples: [50_000]),
    ConfigurationKey(
      "connectionsPerClient", \.connectionsPerClient, .orNull(.count(1...1_000_000)),
      "Connections of one client address (of one /64 network with IPv6); more are answered 429. null for no limit.",
      examples: [200]),
    ConfigurationKey(
      "requestsPerSecondPerClient", \.requestsPerSecondPerClient, .orNull(.count(1...1_000_000)),
      "Requests of one client address each second, as many at once after a second without; more are answered 429. null "
        + "for no limit.",
      examples: [1000]),
    ConfigurationKey(
      "memoryMiB", \.memoryMiB, .orNull(.count(1...1_048_576, unit: "MiB")),
      "What the proxy holds in its buffers for slow peers; above it new requests are answered 503 and less is read at "
        + "once, until a quarter is free. null for no limit.",
      examples: [512]),
    ConfigurationKey(
      "minimumBytesPerSecond", \.minimumBytesPerSecond, .orNull(.count(1...1_000_000_000, unit: "bytes each second")),
      "How fast a client must send a body or take an answer; one that lags behind by timeouts.read is cut. null for no "
        + "limit.",
      examples: [100]),
    ConfigurationKey(
      "idleUpstreamPerOrigin", \.idleUpstreamPerOrigin, .count(0...10_000),
      "Idle connections that each worker keeps to one origin for the next request.", examples: [16]),
    ConfigurationKey(
      "upstreamConnectionsPerOrigin", \.upstreamConnectionsPerOrigin, .count(1...1_000_000),
      "Connections of the whole process to one origin, in equal parts for the workers; further requests wait for at most "
        + "timeouts.connect and are answered 503 then. Tunnels and a parent proxy are not counted.",
      examples: [32]),
    ConfigurationKey(
      "resolverCacheEntries", \.resolverCacheEntries, .count(0...1_000_000), "Names whose addresses are remembered.",
      examples: [4096]),
  ]
}

extension Configuration.Timeouts: ConfigurationSection {
  static let summary = "How long the proxy waits, in seconds."

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      "head", \.head, .seconds(0.1...3600),
      "From the first byte of a request head to its last; a new connection has as long for its first request.",
      examples: [5]),
    ConfigurationKey(
      "idle", \.idle, .seconds(0.1...86400), "A client's connection without a request, and an idle one to an origin.",
      examples: [15]),
    ConfigurationKey(
      "connect", \.connect, .seconds(0.1...600), "Name resolution and connecting together.", examples: [2.5]),
    ConfigurationKey(
      "read", \.read, .seconds(0.1...86400),
      "Between two steps of an exchange: the first byte of a response, the next bytes of a body.", examples: [300]),
    ConfigurationKey(
      "tunnel", \.tunnel, .seconds(0.1...604_800), "A CONNECT tunnel through which nothing passes.", examples: [3600]),
    ConfigurationKey(
      "drain", \.drain, .seconds(0...3600), "From the signal to stop until running exchanges are cut.", examples: [5]),
  ]
}
