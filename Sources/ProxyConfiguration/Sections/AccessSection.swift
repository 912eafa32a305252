package import Effects

extension Configuration {
  /// Who may use the proxy, and for what.
  package struct Access: Sendable {
    /// Where clients may come from; nil for everywhere.
    package var clients: [IPNetwork]?
    package var destinations = Destinations()

    package init() {}
  }

  /// Which addresses may be dialled, beside what the profile says.
  package struct Destinations: Sendable {
    /// Addresses that may be dialled, whatever else is said.
    package var allow: [IPNetwork] = []
    /// Addresses that may not.
    package var deny: [IPNetwork] = []

    package init() {}
  }
}

extension Configuration.Access: ConfigurationSection {
  static let summary = "Who may use the proxy, and which addresses they reach."

  static let expectations = [
    "allow": "write \"clients\" for who may come, \"destinations\" for where they may go",
    "deny": "destinations have a list \"deny\"; of clients only those in \"clients\" are let in",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      "clients", \.clients, .orNull(.list(.network, 1...4096, of: "networks")),
      "Addresses and networks of clients; all others are answered 403. null for everyone who reaches the listener.",
      examples: [["127.0.0.0/8", "::1"]]),
    ConfigurationKey(
      "destinations", \.destinations, .section, Configuration.Destinations.summary,
      examples: [["allow": ["10.1.0.0/16"], "deny": ["10.0.0.0/8"]]]),
  ]
}

extension Configuration.Destinations: ConfigurationSection {
  static let summary =
    "Addresses that are dialled or not, checked on the very address of the connection; what no list names, the profile "
    + "decides."

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      "allow", \.allow, .list(.network, 0...4096, of: "networks"),
      "Addresses and networks that are dialled, also where \"deny\" or the profile says otherwise.",
      examples: [["10.1.0.0/16"]]),
    ConfigurationKey(
      "deny", \.deny, .list(.network, 0...4096, of: "networks"),
      "Addresses and networks that are never dialled; a request for them is answered 403.",
      examples: [["10.0.0.0/8", "fd00::/8"]]),
  ]
}
