package import Effects

/// The way of a request to its origin.
package enum Route: Sendable, Equatable {
  /// This proxy connects to the origin.
  case direct
  /// The parent proxy does.
  case parent
  /// Nobody may.
  case refused(ProxyError)

  /// The way to a host under those settings.
  ///
  /// - Parameters:
  ///   - host: in lower case, an address without brackets.
  ///   - literal: the address that it is, if it is one.
  package init(to host: String, literal: IPAddress?, port: UInt16, _ settings: ProxySettings) {
    guard let parent = settings.parent, !parent.bypass.contains(host, literal: literal) else {
      self = .direct
      return
    }
    // What the parent may reach is not in this proxy's hands, but an address that it would not dial itself it does not
    // pass on either. A name that ends in a number is an address in some spelling for whoever looks it up.
    if let literal {
      self = settings.destinations.refusal(of: Endpoint(literal, port: port)).map { .refused($0) } ?? .parent
    } else {
      self = Route.endsInNumber(host) ? .refused(.destinationProhibited) : .parent
    }
  }

  /// Whether the last label is a decimal or hexadecimal number, as inet_aton(3) reads them.
  private static func endsInNumber(_ host: String) -> Bool {
    let labels = host.utf8.split(separator: UInt8(ascii: "."))
    guard let last = labels.last else { return false }
    if last.starts(with: "0x".utf8) {
      return last.dropFirst(2).allSatisfy { ($0 &- 0x30 < 10) || ($0 &- 0x61 < 6) }
    }
    return last.allSatisfy { $0 &- 0x30 < 10 }
  }
}
