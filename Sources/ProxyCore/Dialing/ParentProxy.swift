package import Effects

/// The proxy behind this one, through which requests go that no entry of the bypass names.
package final class ParentProxy: Sendable {
  /// A name in lower case, or an address without brackets.
  package let host: String
  package let port: UInt16
  /// The field line that names this proxy to the parent, with its line end; nil without credentials.
  package let authorizationLine: [UInt8]?
  package let bypass: ParentBypass
  /// What tells its connections from those to origins in a pool.
  package let key: [UInt8]

  package init(host: String, port: UInt16, credentials: BasicCredentials? = nil, bypass: ParentBypass = ParentBypass())
  {
    self.host = host
    self.port = port
    self.bypass = bypass
    authorizationLine = credentials.map { Array("Proxy-Authorization: \($0.value)\r\n".utf8) }
    key = Array("parent \(host) \(port)".utf8)
  }
}

/// Hosts that are reached without the parent proxy.
package struct ParentBypass: Sendable, Equatable {
  /// One entry of the list.
  package enum Entry: Sendable, Hashable {
    /// A name in lower case, without a final dot.
    case name(String)
    /// With a dot in front: every name that ends so.
    case suffix(String)
    /// Literal addresses; what a name resolves to is not looked at.
    case network(IPNetwork)
  }

  private var names: Set<String> = []
  private var suffixes: [String] = []
  private let networks: IPNetworkSet

  package init(_ entries: [Entry] = []) {
    var blocks: [IPNetwork] = []
    for entry in entries {
      switch entry {
      case .name(let name): names.insert(name)
      case .suffix(let suffix): suffixes.append(suffix)
      case .network(let network): blocks.append(network)
      }
    }
    networks = IPNetworkSet(blocks)
  }

  /// Whether the host is in the list.
  ///
  /// - Parameters:
  ///   - host: in lower case, an address without brackets.
  ///   - literal: the address that it is, if it is one.
  package func contains(_ host: String, literal: IPAddress?) -> Bool {
    if let literal { return networks.contains(literal) }
    let name = host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
    return names.contains(name) || suffixes.contains { name.hasSuffix($0) }
  }
}

/// A name and a password as RFC 7617 sends them. Their description does not tell them.
package struct BasicCredentials: Sendable, Equatable, CustomStringConvertible {
  package var description: String { "credentials" }

  /// The value of an authorization field.
  package let value: String

  /// From `user:password`; nil without a colon or with a control character (RFC 7617, section 2).
  package init?(userAndPassword text: some Sequence<UInt8>) {
    let bytes = Array(text)
    guard bytes.contains(UInt8(ascii: ":")), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
    value = "Basic " + BasicCredentials.base64(bytes)
  }

  /// RFC 4648, section 4.
  private static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        let sextet = Int(bits >> UInt32(18 - 6 * index) & 63)
        text.append(index <= group.count ? alphabet[sextet] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
