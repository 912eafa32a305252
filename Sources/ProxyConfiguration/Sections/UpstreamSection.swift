import Effects
package import ProxyCore

extension Configuration {
  /// The proxy behind this one.
  package struct Upstream: Sendable {
    /// Where it is; nil when this proxy connects to origins itself.
    package var proxy: ParentAddress?
    /// The file with its credentials, absolute or seen from the working directory; nil for none.
    package var credentialsFile: String?
    /// Hosts that are reached without it.
    package var bypass: [ParentBypass.Entry] = []
    /// What the file holds; nil when there is none, or nothing was there to read it with.
    package var credentials: BasicCredentials?

    package init() {}
  }
}

extension Configuration.Upstream: ConfigurationSection {
  static let summary = "The parent proxy: a proxy behind this one, through which requests go."

  static let expectations = [
    "url": "use \"proxy\": \"http://host:port\"", "host": "use \"proxy\": \"http://host:port\"",
    "noProxy": "did you mean \"bypass\"?", "exceptions": "did you mean \"bypass\"?",
    "user": "secrets do not belong in this file: use \"credentialsFile\"",
    "password": "secrets do not belong in this file: use \"credentialsFile\"",
    "credentials": "secrets do not belong in this file: use \"credentialsFile\"",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      "proxy", \.proxy, .orNull(.parentAddress),
      "Where the parent proxy is: http:// with a name or an address, IPv6 in brackets, and a port. null for none.",
      examples: ["http://proxy.example.com:3128", "http://10.0.0.1:3128"]),
    ConfigurationKey(
      "credentialsFile", \.credentialsFile, .orNull(.path),
      "A file of one line, user:password, for the parent proxy (Basic); relative to the folder of this file, readable "
        + "by its owner alone. null for none.",
      examples: ["parent.credentials"]),
    ConfigurationKey(
      "bypass", \.bypass, .list(.bypassEntry, 0...4096, of: "hosts"),
      "Hosts reached without the parent proxy: a name, all names that end in a .suffix, or a network of literal "
        + "addresses.",
      examples: [["localhost", ".internal.example.com", "10.0.0.0/8"]]),
  ]
}
