/// The host and port grammar that targets, rules and `Host` share.
///
/// Stricter than RFC 3986: no percent-encoding, no sub-delimiters, no zone identifiers. Different programs read those
/// differently, and no name that resolves needs them.
enum HostSyntax {
  /// The longest name, with its dots.
  static let longestName = 255
  /// The longest label (RFC 1035, section 2.3.4).
  static let longestLabel = 63

  /// The index after the host that begins at 0, or -1 when there is none that is valid.
  ///
  /// An IPv6 literal includes its brackets; a name may end in one dot. The byte after the host is not looked at.
  @inline(__always)
  static func endOfHost(_ p: Bytes, _ count: Int, isIPv6Literal: inout Bool) -> Int {
    guard count > 0 else { return -1 }
    if p[0] == Octet.openBracket {
      isIPv6Literal = true
      return endOfLiteral(p, count)
    }
    isIPv6Literal = false
    return endOfName(p, count)
  }

  private static func endOfLiteral(_ p: Bytes, _ count: Int) -> Int {
    var i = 1
    while i < count, ByteClass.has(ByteClass.ipv6, p[i]) { i &+= 1 }
    guard i < count, p[i] == Octet.closeBracket, IPv6Syntax.isAddress(p, 1, i) else { return -1 }
    return i &+ 1
  }

  @inline(__always)
  private static func endOfName(_ p: Bytes, _ count: Int) -> Int {
    let classes = ByteClass.table
    var i = 0
    var label = 0
    while true {
      while i < count, classes[Int(p[i])] & ByteClass.label != 0 { i &+= 1 }
      let length = i &- label
      guard length <= longestLabel else { return -1 }
      if length == 0 {
        // After a dot this is the end of a name that ends in one; at the start or before a dot it is an empty label.
        return i > 0 && i <= longestName && (i == count || p[i] != Octet.dot) ? i : -1
      }
      guard i < count, p[i] == Octet.dot else { return i <= longestName ? i : -1 }
      i &+= 1
      label = i
    }
  }

  /// The port that the bytes from `start` on spell: 0 when there are none, -1 when they are no port.
  ///
  /// Digits only, 1 to 65535, leading zeros ignored.
  @inline(__always)
  static func port(_ p: Bytes, _ start: Int, _ count: Int) -> Int {
    guard start < count else { return 0 }
    var i = start
    var port = 0
    while i < count {
      guard Octet.isDigit(p[i]) else { return -1 }
      port = port &* 10 &+ Int(p[i] &- Octet.zero)
      guard port <= 65535 else { return -1 }
      i &+= 1
    }
    return port == 0 ? -1 : port
  }

  /// Whether a `Host` value is empty (the target then has no authority) or `host [":" port]`
  /// (RFC 9112, section 3.2).
  @inline(__always)
  static func isValidHostField(_ p: Bytes, _ count: Int) -> Bool {
    guard count > 0 else { return true }
    var isIPv6Literal = false
    let end = endOfHost(p, count, isIPv6Literal: &isIPv6Literal)
    guard end > 0 else { return false }
    return end == count || p[end] == Octet.colon && port(p, end &+ 1, count) >= 0
  }
}
