import Glibc

/// The grammar of messages once more, written for clarity from the RFCs: what the fast parsers are compared with.
enum NaiveGrammar {
  static let tokenBytes = Set(
    "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

  /// RFC 9110, section 5.6.2.
  static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(tokenBytes.contains)
  }

  /// RFC 9110, section 5.5, with obs-text.
  static func isFieldValue(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
  }

  /// Without the optional white space around it (RFC 9110, section 5.6.3).
  static func trimmed(_ bytes: some BidirectionalCollection<UInt8>) -> [UInt8] {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    return Array(Array(bytes.drop(while: isSpace)).reversed().drop(while: isSpace).reversed())
  }

  static func lowercased(_ bytes: some Collection<UInt8>) -> [UInt8] {
    bytes.map { 0x41...0x5a ~= $0 ? $0 + 0x20 : $0 }
  }

  static func equal(_ bytes: some Collection<UInt8>, ignoringCase text: String) -> Bool {
    lowercased(bytes).elementsEqual(text.utf8)
  }

  /// Cut at every occurrence of the separator; empty pieces stay.
  static func split(_ bytes: [UInt8], at separator: UInt8) -> [[UInt8]] {
    bytes.split(separator: separator, omittingEmptySubsequences: false).map(Array.init)
  }

  /// The number that the digits spell, if it fits 63 bits.
  static func number(_ bytes: [UInt8]) -> Int64? {
    guard !bytes.isEmpty, bytes.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return Int64(String(decoding: bytes, as: UTF8.self))
  }

  /// What stands before the host's end in `host [":" port]`, and the port's digits, nil without a colon.
  static func hostAndPort(_ bytes: [UInt8]) -> (host: [UInt8], port: [UInt8]?)? {
    let isLiteral = bytes.first == 0x5b
    let end = isLiteral ? bytes.firstIndex(of: 0x5d).map { $0 + 1 } : bytes.firstIndex(of: 0x3a) ?? bytes.count
    guard let end else { return nil }
    let host = Array(bytes[..<end])
    guard isLiteral ? isLiteralHost(host) : isName(host) else { return nil }
    if end == bytes.count { return (host, nil) }
    guard bytes[end] == 0x3a else { return nil }
    return (host, Array(bytes[(end + 1)...]))
  }

  /// 1 to 65535; nil for what is no port.
  static func port(_ digits: [UInt8]) -> UInt16? {
    guard !digits.isEmpty, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    let significant = Array(digits.drop { $0 == 0x30 })
    guard significant.count <= 5, let number = number(significant) else { return nil }
    return UInt16(exactly: number)
  }

  private static func isLiteralHost(_ host: [UInt8]) -> Bool {
    let inside = host.dropFirst().dropLast()
    guard inside.allSatisfy({ "0123456789abcdefABCDEF:.".utf8.contains($0) }) else { return false }
    var address = in6_addr()
    return inet_pton(AF_INET6, String(decoding: inside, as: UTF8.self), &address) == 1
  }

  private static func isName(_ host: [UInt8]) -> Bool {
    guard !host.isEmpty, host.count <= 255 else { return false }
    var labels = split(host, at: 0x2e)
    if labels.count > 1, labels.last == [] { labels.removeLast() }
    return labels.allSatisfy { label in
      (1...63).contains(label.count)
        && label.allSatisfy { byte in
          0x30...0x39 ~= byte || 0x61...0x7a ~= byte | 0x20 && byte != 0x60 && byte < 0x80 || byte == 0x2d
            || byte == 0x5f
        }
    }
  }
}
