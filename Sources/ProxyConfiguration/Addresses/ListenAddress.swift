package import Effects

/// Where the admin endpoint listens.
package enum AdminAddress: Sendable, Hashable, CustomStringConvertible {
  /// A TCP endpoint; port 0 lets the system choose one.
  case tcp(Endpoint)
  /// A Unix domain socket, by its path.
  case unix(String)

  /// The text form in the configuration.
  package var description: String {
    switch self {
    case .tcp(let endpoint): endpoint.description
    case .unix(let path): "unix:\(path)"
    }
  }
}

extension ValueKind where Value == Endpoint {
  /// `127.0.0.1:8080` or `[::1]:8080`.
  static var listenAddress: Self {
    Self(schema: [JSONMember("type", "string"), JSONMember("pattern", .string(ListenAddressText.pattern))]) {
      node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "an address with a port", hint: "such as \"127.0.0.1:8080\"")
        return nil
      }
      switch ListenAddressText.parse(text) {
      case .success(let endpoint): return endpoint
      case .failure(let refusal):
        context.report(refusal.code, at: node.position, refusal.message, hint: refusal.hint)
        return nil
      }
    } write: {
      .string($0.description)
    }
  }
}

extension ValueKind where Value == AdminAddress {
  /// A TCP address, or `unix:` and a path.
  static var adminAddress: Self {
    let tcp = ValueKind<Endpoint>.listenAddress
    let pattern = "^unix:.|\(ListenAddressText.pattern)"
    return Self(schema: [JSONMember("type", "string"), JSONMember("pattern", .string(pattern))]) { node, context in
      guard case .string(let text) = node.kind, text.utf8.starts(with: "unix:".utf8) else {
        return tcp.read(node, &context).map { .tcp($0) }
      }
      guard let path = FilePathText.check(String(text.dropFirst(5)), node, &context) else { return nil }
      // The size of sun_path in unix(7), less the NUL.
      guard path.utf8.count <= 107 else {
        context.report(.invalidPath, at: node.position, "a socket's path has at most 107 bytes", hint: path.quoted)
        return nil
      }
      return .unix(path)
    } write: {
      .string($0.description)
    }
  }
}

/// The text of an address and a port.
enum ListenAddressText {
  /// What the schema can say of it.
  static let pattern = #"^([0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}$"#

  /// Why a text is no address.
  struct Refusal: Error {
    var code = ConfigurationIssue.Code.invalidAddress
    var message: String
    var hint: String
  }

  static func parse(_ text: String) -> Result<Endpoint, Refusal> {
    let bytes = Array(text.utf8)
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else {
      if UInt16(text) != nil {
        return .failure(Refusal(message: "\(text.quoted) has no address", hint: "write \"127.0.0.1:\(text)\""))
      }
      let host = IPAddress(text: text) == nil ? "127.0.0.1" : text
      return .failure(Refusal(message: "\(text.quoted) has no port", hint: "write \"\(host):8080\""))
    }
    var host = bytes[..<colon]
    let port = bytes[(colon + 1)...]
    let isBracketed = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
    if isBracketed { host = host.dropFirst().dropLast() }
    let hostText = String(decoding: host, as: UTF8.self)
    guard let address = IPAddress(text: hostText), address.isIPv6 == isBracketed else {
      return .failure(Refusal(message: "\(text.quoted) is not an address with a port", hint: hint(hostText, port)))
    }
    guard (1...5).contains(port.count), port.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      let number = UInt16(String(decoding: port, as: UTF8.self))
    else {
      let shown = String(decoding: port, as: UTF8.self).quoted
      return .failure(Refusal(code: .invalidPort, message: "\(shown) is not a port", hint: "0 to 65535"))
    }
    return .success(Endpoint(address, port: number))
  }

  private static func hint(_ host: String, _ port: ArraySlice<UInt8>) -> String {
    let port = String(decoding: port, as: UTF8.self)
    switch host {
    case "", "*": return "for all addresses write \"0.0.0.0:\(port)\" or \"[::]:\(port)\""
    case "localhost": return "write \"127.0.0.1:\(port)\" or \"[::1]:\(port)\""
    default: break
    }
    if IPAddress(text: host) != nil || IPAddress(text: "\(host):\(port)") != nil {
      return "an IPv6 address has brackets"
    }
    return "a numeric address, no name, such as \"127.0.0.1:8080\" or \"[::1]:8080\""
  }
}
