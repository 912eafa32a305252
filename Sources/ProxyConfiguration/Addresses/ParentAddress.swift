import Effects

/// Where a parent proxy is.
package struct ParentAddress: Sendable, Hashable, CustomStringConvertible {
  /// A name in lower case, or an address without brackets.
  package let host: String
  package let port: UInt16

  /// The text form in the configuration.
  package var description: String {
    host.utf8.contains(UInt8(ascii: ":")) ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
  }
}

extension ValueKind where Value == ParentAddress {
  /// `http://proxy.example.com:3128`.
  static var parentAddress: Self {
    Self(schema: [JSONMember("type", "string"), JSONMember("pattern", .string(ParentAddressText.pattern))]) {
      node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "the URL of a proxy", hint: "such as \"http://10.0.0.1:3128\"")
        return nil
      }
      switch ParentAddressText.parse(text) {
      case .success(let address): return address
      case .failure(let refusal):
        context.report(refusal.code, at: node.position, refusal.message, hint: refusal.hint)
        return nil
      }
    } write: {
      .string($0.description)
    }
  }
}

/// The text of a parent proxy's URL.
enum ParentAddressText {
  /// What the schema can say of it.
  static let pattern = #"^http://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}$"#

  static func parse(_ text: String) -> Result<ParentAddress, ListenAddressText.Refusal> {
    guard let separator = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[separator...].hasPrefix("://") else {
      return refusal("\(text.quoted) is not the URL of a proxy", "write \"http://host:port\"")
    }
    guard text[..<separator] == "http" else {
      return refusal(
        "\(String(text[..<separator]).quoted) is not spoken to a parent proxy", "only \"http://host:port\" is")
    }
    let authority = text[separator...].dropFirst(3)
    if authority.utf8.contains(UInt8(ascii: "@")) {
      return refusal("the URL has credentials", "put them into upstream.credentialsFile as user:password")
    }
    if authority.utf8.contains(UInt8(ascii: "/")) {
      return refusal("\(text.quoted) goes on behind the port", "write \"http://host:port\"")
    }
    let isLiteral = authority.utf8.first == UInt8(ascii: "[")
    let end = authority.utf8.lastIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    let name = authority[..<end]
    guard end < authority.endIndex, !isLiteral || name.utf8.last == UInt8(ascii: "]") else {
      return refusal("\(text.quoted) has no port", "write \"\(text):3128\"")
    }
    let digits = authority[end...].utf8.dropFirst()
    guard (1...5).contains(digits.count), digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      let port = UInt16(String(digits) ?? ""), port > 0
    else {
      return .failure(
        .init(
          code: .invalidPort, message: "\(String(authority[end...].dropFirst()).quoted) is not a port",
          hint: "1 to 65535"))
    }
    guard let host = HostText.parse(isLiteral ? name.dropFirst().dropLast() : name, isBracketed: isLiteral) else {
      return refusal("\(String(name).quoted) is not a host", "a name, an IPv4 address, or an IPv6 address in brackets")
    }
    return .success(ParentAddress(host: host, port: port))
  }

  private static func refusal(
    _ message: String, _ hint: String
  ) -> Result<ParentAddress, ListenAddressText.Refusal> {
    .failure(.init(code: .invalidHost, message: message, hint: hint))
  }
}

/// The text of a host.
enum HostText {
  /// The host in lower case and without a final dot, an IPv6 address in its usual form; nil when it is none.
  static func parse(_ text: some StringProtocol, isBracketed: Bool) -> String? {
    if let address = IPAddress(text: String(text)) { return address.isIPv6 == isBracketed ? "\(address)" : nil }
    var name = text.lowercased()
    if name.utf8.last == UInt8(ascii: ".") { name.removeLast() }
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard !isBracketed, name.utf8.count <= 253, labels.allSatisfy({ isLabel($0) }),
      // Else it were an address in some other spelling.
      let last = labels.last, !last.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      !last.starts(with: "0x".utf8)
    else { return nil }
    return name
  }

  private static func isLabel(_ label: some Collection<UInt8>) -> Bool {
    (1...63).contains(label.count)
      && label.allSatisfy {
        $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") || $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
          || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
      }
  }
}
