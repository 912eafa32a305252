package import HTTPWire

extension TargetFault {
  /// The fault in words, for an error page: what is wrong with the target in the `count` bytes, of which nothing is
  /// repeated.
  package func explanation(of bytes: Bytes, _ count: Int) -> String {
    let target = TargetText(UnsafeBufferPointer(start: bytes, count: count))
    return switch self {
    case .forbiddenByte: "the target has a space or a control character"
    case .notHTTP: "the scheme is not http or https"
    case .userinfo: "the authority has a user name"
    case .malformedHost: target.hostFault
    case .malformedPort: target.hasPort ? "the port is not a number from 1 to 65535" : "there is no port"
    case .fragment: "the target has a fragment"
    case .malformed: target.hasHTTPScheme ? "there is no // behind the scheme" : "the target is not a URL"
    }
  }
}

/// A target that was refused, looked at once more to find words for it.
private struct TargetText {
  private let bytes: [UInt8]
  /// What stands where the authority belongs.
  private let authority: ArraySlice<UInt8>

  init(_ buffer: UnsafeBufferPointer<UInt8>) {
    let bytes = Array(buffer)
    self.bytes = bytes
    var start = bytes.startIndex
    for index in bytes.indices.dropLast(2)
    where bytes[index...].starts(with: Array("://".utf8)) {
      start = index + 3
      break
    }
    authority = bytes[start...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
  }

  var hasHTTPScheme: Bool {
    let beginning = bytes.prefix(6).map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 }
    return beginning.starts(with: Array("http:".utf8)) || beginning.starts(with: Array("https:".utf8))
  }

  /// A colon stands behind the host.
  var hasPort: Bool {
    (authority.lastIndex(of: UInt8(ascii: "]")).map { authority[$0...] } ?? authority).contains(UInt8(ascii: ":"))
  }

  var hostFault: String {
    let colons = authority.count { $0 == UInt8(ascii: ":") }
    if authority.first == UInt8(ascii: "[") {
      guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else {
        return "the bracket before the host is not closed"
      }
      if authority.contains(UInt8(ascii: "%")) { return "the IPv6 address has a zone, which means nothing elsewhere" }
      if let behind = authority[end...].dropFirst().first, behind != UInt8(ascii: ":") {
        return "something other than a port stands behind the brackets"
      }
      return "what stands in brackets is not an IPv6 address"
    }
    if authority.contains(where: { $0 >= 0x80 }) {
      return "the host has characters outside ASCII: write its xn-- form"
    }
    if authority.contains(UInt8(ascii: "%")) { return "the host has percent-escapes" }
    if colons > 1 { return "an IPv6 address stands without brackets" }
    let host = authority.prefix { $0 != UInt8(ascii: ":") }
    if host.isEmpty { return "the host is empty" }
    let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if labels.dropLast().contains(where: \.isEmpty) { return "a label of the host is empty" }
    if host.count > 255 || labels.contains(where: { $0.count > 63 }) {
      return "the host or one of its labels is too long"
    }
    return "the host is not a name or an address"
  }
}
