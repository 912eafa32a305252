import Effects

extension Configuration {
  /// The admin endpoint.
  package struct Admin: Sendable {
    /// Where it listens; nil for nowhere.
    package var listen: AdminAddress? = .tcp(Endpoint(IPAddress(v4: 0x7f00_0001), port: 8081))
    /// The file that holds the bearer token, absolute or seen from the working directory; nil for none.
    package var tokenFile: String?

    package init() {}
  }

  /// Where the proxy keeps what must survive a restart.
  package struct State: Sendable {
    /// The directory, absolute or seen from the working directory; nil for the usual one (``ConfigurationPaths``).
    package var directory: String?

    package init() {}
  }
}

extension Configuration.Admin: ConfigurationSection {
  static let summary = "The admin endpoint: status, reset, metrics, health."

  static let expectations = [
    "token": "secrets do not belong in this file: use \"tokenFile\"", "port": "the port is part of \"listen\"",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      "listen", \.listen, .orNull(.adminAddress),
      "An address with port, or \"unix:\" and the path of a socket, or null for no admin endpoint.",
      examples: ["127.0.0.1:8081", "unix:/run/footfall/admin.sock", nil]),
    ConfigurationKey(
      "tokenFile", \.tokenFile, .orNull(.path),
      "A file with the token that requests must bear; relative to the folder of this file. null for no token.",
      examples: ["admin.token"]),
  ]
}

extension Configuration.State: ConfigurationSection {
  static let summary = "Where the proxy keeps what must survive a restart."

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      "directory", \.directory, .orNull(.path),
      "The directory of the databases; relative to the folder of this file. null for $STATE_DIRECTORY, "
        + "$XDG_STATE_HOME/footfall or ~/.local/state/footfall.",
      examples: ["/var/lib/footfall"])
  ]
}
