import Effects
import ProxyCore

extension ValueKind where Value == ParentBypass.Entry {
  /// `localhost`, `.internal.example.com` or `10.0.0.0/8`.
  static var bypassEntry: Self {
    Self(schema: [JSONMember("type", "string"), JSONMember("pattern", .string(BypassEntryText.pattern))]) {
      node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "a host", hint: "such as \"localhost\", \".example.com\" or \"10.0.0.0/8\"")
        return nil
      }
      switch BypassEntryText.parse(text) {
      case .success(let entry): return entry
      case .failure(let refusal):
        context.report(.invalidHost, at: node.position, refusal.message, hint: refusal.hint)
        return nil
      }
    } write: { entry in
      switch entry {
      case .name(let text), .suffix(let text): .string(text)
      case .network(let network): .string(network.description)
      }
    }
  }
}

/// The text of an entry of the bypass.
enum BypassEntryText {
  /// What the schema can say of it.
  static let pattern = #"^[A-Za-z0-9._:/-]+$"#

  static func parse(_ text: String) -> Result<ParentBypass.Entry, NetworkText.Refusal> {
    if text.utf8.contains(UInt8(ascii: "/")) || IPAddress(text: text) != nil {
      return NetworkText.parse(text).map { .network($0) }
    }
    let isSuffix = text.utf8.first == UInt8(ascii: ".")
    if let name = HostText.parse(isSuffix ? text.dropFirst() : text[...], isBracketed: false) {
      return .success(isSuffix ? .suffix(".\(name)") : .name(name))
    }
    return .failure(NetworkText.Refusal(message: "\(text.quoted) is not a host", hint: hint(text)))
  }

  private static func hint(_ text: String) -> String {
    if text.hasPrefix("*.") { return "write \"\(text.dropFirst())\"" }
    if text == "*" { return "to reach everything without the parent proxy, remove upstream.proxy" }
    if text.hasPrefix("http://") || text.hasPrefix("https://") { return "a host without scheme and path" }
    if text.utf8.contains(UInt8(ascii: "[")) { return "an address has no brackets here" }
    if text.utf8.contains(UInt8(ascii: ":")) { return "a host without port" }
    return "a name, a .suffix, or a network such as \"10.0.0.0/8\""
  }
}
