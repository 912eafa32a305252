package import Effects

extension Configuration {
  /// Who may use the proxy, and for what.
  package struct Access: Sendable {
    /// Where clients may come from; nil for everywhere.
    package var clients: [IPNetwork]?
    package var destinations = Destinations()
    /// Who may use the proxy with a password; nil for everyone without.
    package var users: Users?

    package init() {}
  }

  /// Where the users and their passwords are.
  package struct Users: Sendable {
    /// The file with lines of names and hashes, absolute or seen from the working directory.
    package var file = ""
    /// What clients are shown beside the question for a password.
    package var realm = "footfall"

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
    ConfigurationKey(
      "users", \.users, .orNull(.section), Configuration.Users.summary, examples: [["file": "proxy.users"]]),
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

extension Configuration.Users: ConfigurationSection {
  static let summary =
    "Asks clients for a user name and a password (Proxy-Authorization, scheme Basic). null for no question."

  static let expectations = [
    "password": "secrets do not belong in this file: use \"file\"", "name": "users have a \"file\" of their own",
    "path": "did you mean \"file\"?",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      required: "file", \.file, .path,
      "A file with a line name:hash for each user; relative to the folder of this file. `footfall users hash NAME` makes a "
        + "line, and so do htpasswd -nB and mkpasswd.",
      examples: ["proxy.users"]),
    ConfigurationKey(
      "realm", \.realm, .realm, "What clients are shown beside the question for a password.", examples: ["Example Ltd"]),
  ]
}

extension ValueKind where Value == String {
  /// A text that needs no escapes in a header field.
  fileprivate static var realm: Self {
    let schema = [JSONMember("type", "string"), JSONMember("pattern", #"^[ !#-\[\]-~]{1,64}$"#)]
    return Self(schema: schema) { node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "a text")
        return nil
      }
      guard (1...64).contains(text.utf8.count),
        text.utf8.allSatisfy({ (0x20...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c })
      else {
        context.report(
          .invalidText, at: node.position, "the realm is not 1 to 64 ASCII characters without quotes and backslashes")
        return nil
      }
      return text
    } write: {
      .string($0)
    }
  }
}
