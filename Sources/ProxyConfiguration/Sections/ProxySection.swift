package import Effects
package import ProxyCore

extension Configuration {
  /// The proxy's own listeners and manners.
  package struct Proxy: Sendable {
    /// Where clients connect; port 0 lets the system choose one.
    package var listen = [Endpoint(IPAddress(v4: 0x7f00_0001), port: 8080)]
    /// Threads that each accept and serve clients; nil for one per processor.
    package var workers: Int?
    /// Which networks may be reached through the proxy.
    package var profile = Profile.desktop
    /// Whether a `Via` field is added to what is forwarded (RFC 9110, section 7.6.3).
    package var via = true
    /// What is done with trailer fields (RFC 9110, section 6.5).
    package var trailers = Trailers.forward
    /// Which ports a tunnel may have at its far end.
    package var tunnelPorts = TunnelPorts.usual
    /// The protocols that a client may ask an origin to switch to (RFC 9110, section 7.8), in lower case.
    package var upgrades = ["websocket"]

    package init() {}
  }

  /// Which networks may be reached through the proxy.
  package enum Profile: String, Sendable, CaseIterable {
    /// Any, private ones and this machine included.
    case desktop
    /// Public addresses only.
    case server
  }

  /// What is done with trailer fields.
  package enum Trailers: String, Sendable, CaseIterable {
    /// Those that are safe are passed on.
    case forward
    /// All are removed.
    case drop
  }
}

extension Configuration.Proxy: ConfigurationSection {
  static let summary = "Where the proxy listens and how it behaves."

  static let expectations = [
    "port": "the port is part of \"listen\": [\"127.0.0.1:8080\"]", "host": "use \"listen\": [\"127.0.0.1:8080\"]",
    "threads": "did you mean \"workers\"?",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      "listen", \.listen, .list(.listenAddress, 1...64, of: "addresses"),
      "Addresses with ports where clients connect, numeric, IPv6 in brackets. Port 0 lets the system choose one.",
      examples: [["127.0.0.1:8080", "[::1]:8080"]]),
    ConfigurationKey(
      "workers", \.workers, .or("auto", .count(1...256)),
      "Threads that each accept and serve clients; \"auto\" is one per processor.", examples: ["auto", 2]),
    ConfigurationKey(
      "profile", \.profile, .choice(Configuration.Profile.allCases.map { ($0.rawValue, $0) }),
      "\"desktop\" reaches any address; \"server\" refuses private, local and reserved ones after name resolution.",
      examples: ["server"]),
    ConfigurationKey("via", \.via, .boolean, "Adds a Via field to what is forwarded.", examples: [false]),
    ConfigurationKey(
      "trailers", \.trailers, .choice(Configuration.Trailers.allCases.map { ($0.rawValue, $0) }),
      "\"forward\" passes safe trailer fields on, \"drop\" removes all.", examples: ["drop"]),
    ConfigurationKey(
      "tunnelPorts", \.tunnelPorts, .tunnelPorts,
      "\"usual\" lets CONNECT reach ports 80, 443 and those from 1024; \"any\" also those of mail, shells and the like; "
        + "a list of ports and ranges just those.",
      examples: ["any", [443, "8000-8999"]]),
    ConfigurationKey(
      "upgrades", \.upgrades, .list(.upgradeProtocol, 0...16, of: "protocols"),
      "Protocols that a client may ask an origin to switch to with Upgrade; [] for none. What follows the switch passes "
        + "unread.",
      examples: [["websocket"], []]),
  ]
}

extension ValueKind where Value == String {
  /// The name of a protocol as `Upgrade` carries it, without a version, in lower case. `h2c` is left out: a client that
  /// speaks HTTP/2 to the origin sends requests that no rule sees.
  static var upgradeProtocol: Self {
    let pattern = "^(?!h2c$)[a-z0-9!#$%&'*+.^_`|~-]{1,64}$"
    return Self(schema: [JSONMember("type", "string"), JSONMember("pattern", .string(pattern))]) { node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "the name of a protocol", hint: "such as \"websocket\"")
        return nil
      }
      guard text != "h2c" else {
        context.report(
          .invalidText, at: node.position, "\"h2c\" would carry requests past the rules", hint: "remove it")
        return nil
      }
      let isLowerCaseToken = text.utf8.allSatisfy {
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || "!#$%&'*+.^_`|~-".utf8.contains($0)
      }
      guard (1...64).contains(text.utf8.count), isLowerCaseToken else {
        context.report(
          .invalidText, at: node.position, "\(text.quoted) is not the name of a protocol",
          hint: "lower case, without a version, such as \"websocket\"")
        return nil
      }
      return text
    } write: {
      .string($0)
    }
  }
}
