import Effects

extension ValueKind where Value == IPNetwork {
  /// `10.0.0.0/8`, `fd00::/8`, or one address.
  static var network: Self {
    Self(schema: [JSONMember("type", "string"), JSONMember("pattern", .string(NetworkText.pattern))]) {
      node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "a network", hint: "such as \"10.0.0.0/8\" or \"::1\"")
        return nil
      }
      switch NetworkText.parse(text) {
      case .success(let network): return network
      case .failure(let refusal):
        context.report(.invalidNetwork, at: node.position, refusal.message, hint: refusal.hint)
        return nil
      }
    } write: {
      .string($0.description)
    }
  }
}

/// The text of a block of addresses.
enum NetworkText {
  /// What the schema can say of it.
  static let pattern = #"^([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)(/[0-9]{1,3})?$"#

  /// Why a text is no block of addresses.
  struct Refusal: Error {
    var message: String
    var hint: String
  }

  static func parse(_ text: String) -> Result<IPNetwork, Refusal> {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(text: String(first)) else {
      return .failure(Refusal(message: "\(text.quoted) is not a network", hint: hint(text)))
    }
    guard parts.count > 1 else { return .success(IPNetwork(address)) }
    let digits = parts[1].utf8
    guard (1...3).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0"),
      digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      let length = Int(parts[1]), length <= address.bitCount
    else {
      let shown = String(parts[1]).quoted
      return .failure(
        Refusal(
          message: "\(shown) is not a prefix length",
          hint: "0 to \(address.bitCount) for an IPv\(address.isIPv6 ? 6 : 4) network"))
    }
    guard let network = IPNetwork(address, prefixLength: length) else {
      return .failure(Refusal(message: "\(text.quoted) is not a network", hint: ""))
    }
    guard hasNoHostBits(address, length) else {
      return .failure(
        Refusal(
          message: "\(text.quoted) has bits behind its prefix of \(length)",
          hint: "write \"\(network)\", or \"\(address)\" for that address alone"))
    }
    return .success(network)
  }

  private static func hasNoHostBits(_ address: IPAddress, _ length: Int) -> Bool {
    let count = UInt128(address.bitCount - length)
    return count == 128 ? address.bits == 0 : (address.bits >> count) << count == address.bits
  }

  private static func hint(_ text: String) -> String {
    switch text {
    case "", "*", "any", "all": return "for all addresses write \"0.0.0.0/0\" and \"::/0\""
    case "localhost": return "write \"127.0.0.0/8\" and \"::1\""
    default: break
    }
    if text.utf8.contains(UInt8(ascii: "[")) { return "a network has no brackets" }
    if case .success = ListenAddressText.parse(text) { return "a network has no port" }
    return "an address or a block of them, such as \"10.0.0.0/8\" or \"fd00::/8\"; names are not known here"
  }
}
