import Effects

/// Where a backend is: the start of the URLs of its endpoints.
package struct BackendURL: Sendable, Hashable, CustomStringConvertible {
  package let isSecure: Bool
  /// A name in lower case, or an address without brackets.
  package let host: String
  /// Nil for the port of the scheme.
  package let port: UInt16?
  /// Empty, or a path that starts with a slash and does not end with one.
  package let path: String

  /// The text form, without a slash at the end.
  package var description: String {
    let isLiteral = host.utf8.contains(UInt8(ascii: ":"))
    let authority = (isLiteral ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    return (isSecure ? "https://" : "http://") + authority + path
  }

  /// The port on the wire.
  package var effectivePort: UInt16 { port ?? (isSecure ? 443 : 80) }

  /// Whether what is sent there never leaves this machine.
  package var isLoopback: Bool {
    IPAddress(text: host)?.isLoopback ?? (host == "localhost" || host.hasSuffix(".localhost"))
  }

  /// The URL of a path below it.
  package func appending(_ segments: String) -> String { "\(self)/\(segments)" }
}

extension ValueKind where Value == BackendURL {
  /// `https://app.example.com/base`.
  ///
  /// - Parameter credentials: Where they belong instead, for a URL that has some.
  static func backendURL(credentials: String) -> Self {
    Self(schema: [JSONMember("type", "string"), JSONMember("pattern", .string(BackendURLText.pattern))]) {
      node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "a URL", hint: "such as \"https://app.example.com\"")
        return nil
      }
      switch BackendURLText.parse(text, credentials: credentials) {
      case .success(let url): return url
      case .failure(let refusal):
        context.report(refusal.code, at: node.position, refusal.message, hint: refusal.hint)
        return nil
      }
    } write: {
      .string($0.description)
    }
  }
}

extension ValueKind where Value == String {
  /// Segments of a path, without slashes at the ends.
  static var pathSegments: Self {
    let pattern = "^(?!\\.{1,2}(/|$))[A-Za-z0-9._~-]+(/(?!\\.{1,2}(/|$))[A-Za-z0-9._~-]+)*$"
    return Self(schema: [JSONMember("type", "string"), JSONMember("pattern", .string(pattern))]) { node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "a path below another", hint: "such as \"ahoy\"")
        return nil
      }
      guard BackendURLText.isSegments(text) else {
        let trimmed = BackendURLText.withoutSlashes(text)
        let hint =
          BackendURLText.isSegments(trimmed)
          ? "write \"\(trimmed)\"" : "segments of letters, digits, \".\", \"_\", \"~\" or \"-\", such as \"ahoy\""
        context.report(.invalidText, at: node.position, "\(text.quoted) is not a path below another", hint: hint)
        return nil
      }
      return text
    } write: {
      .string($0)
    }
  }
}

/// The text of a backend's URL.
enum BackendURLText {
  typealias Refusal = ListenAddressText.Refusal

  /// What the schema can say of it.
  static let pattern =
    #"^https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?$"#

  static func parse(_ text: String, credentials: String) -> Result<BackendURL, Refusal> {
    guard let separator = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[separator...].hasPrefix("://") else {
      return refusal("\(text.quoted) is not a URL", "write \"https://host\" or \"http://host:port\"")
    }
    let scheme = String(text[..<separator])
    guard scheme == "http" || scheme == "https" else {
      let hint = ["http", "https"].contains(scheme.lowercased()) ? "write it in lower case" : "http or https"
      return refusal("\(scheme.quoted) is not spoken to a backend", hint)
    }
    let rest = text[separator...].dropFirst(3)
    let end = rest.utf8.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
    let authority = rest[..<end]
    if authority.utf8.contains(UInt8(ascii: "@")) {
      return refusal("the URL has credentials", credentials)
    }
    for (byte, what) in [(UInt8(ascii: "?"), "a query"), (UInt8(ascii: "#"), "a fragment")]
    where rest.utf8.contains(byte) {
      return refusal("\(text.quoted) has \(what)", "the paths of the endpoints are appended to it: end it before")
    }
    return endpoint(authority, isSecure: scheme == "https", path: rest[end...])
  }

  private static func endpoint(_ authority: Substring, isSecure: Bool, path: Substring) -> Result<BackendURL, Refusal> {
    var name = authority
    var port: UInt16?
    if let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")), authority.utf8.last != UInt8(ascii: "]") {
      let digits = authority[colon...].utf8.dropFirst()
      guard (1...5).contains(digits.count), digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
        let number = UInt16(String(digits) ?? ""), number > 0
      else {
        let shown = String(authority[colon...].dropFirst()).quoted
        return .failure(.init(code: .invalidPort, message: "\(shown) is not a port", hint: "1 to 65535"))
      }
      (name, port) = (authority[..<colon], number)
    }
    let isLiteral = name.utf8.first == UInt8(ascii: "[") && name.utf8.last == UInt8(ascii: "]")
    guard let host = HostText.parse(isLiteral ? name.dropFirst().dropLast() : name, isBracketed: isLiteral) else {
      let hint =
        name.utf8.contains { $0 > 0x7f }
        ? "write the name as the DNS knows it, xn--..."
        : "a name, an IPv4 address, or an IPv6 address in brackets"
      return refusal(name.isEmpty ? "the URL has no host" : "\(String(name).quoted) is not a host", hint)
    }
    guard isPath(path) else {
      return refusal(
        "\(String(path).quoted) is not a path", "percent-encode it, and leave out empty segments, \".\" and \"..\"")
    }
    var path = path
    while path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    return .success(BackendURL(isSecure: isSecure, host: host, port: port, path: String(path)))
  }

  /// Whether the text is a path (RFC 3986, section 3.3) that no server rewrites.
  private static func isPath(_ text: Substring) -> Bool {
    var bytes = Array(text.utf8)
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    if bytes.isEmpty { return true }
    return bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst().allSatisfy {
      !$0.isEmpty && $0 != [0x2e] && $0 != [0x2e, 0x2e] && isEncoded($0)
    }
  }

  /// Whether each byte may stand in a segment, and each percent sign has its two digits.
  private static func isEncoded(_ segment: ArraySlice<UInt8>) -> Bool {
    var rest = segment
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let high = rest.popFirst(), let low = rest.popFirst(), isHex(high), isHex(low) else { return false }
      } else if !isUnreserved(byte), !"!$&'()*+,;=:@".utf8.contains(byte) {
        return false
      }
    }
    return true
  }

  /// Whether the text is segments of plain characters with single slashes between them.
  static func isSegments(_ text: String) -> Bool {
    text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && Array($0) != [0x2e] && Array($0) != [0x2e, 0x2e] && $0.allSatisfy(isUnreserved)
    }
  }

  static func withoutSlashes(_ text: String) -> String {
    var text = text[...]
    while text.utf8.first == UInt8(ascii: "/") { text.removeFirst() }
    while text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
    return String(text)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private static func refusal(_ message: String, _ hint: String) -> Result<BackendURL, Refusal> {
    .failure(.init(code: .invalidURL, message: message, hint: hint))
  }
}
