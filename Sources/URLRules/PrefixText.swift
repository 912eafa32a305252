import HTTPWire

/// Reads the text of a prefix rule: the grammar of a URL plus U-labels in the host, minus all that can never match.
enum PrefixText {
  struct Fault: Error {
    var code: RuleIssue.Code
    var message: String
    var offset: Int?
  }

  /// Longer prefixes would match no request that the default limits let in.
  static let longest = 8192

  static func read(_ text: String, hostNames: any HostNameEncoder) throws(Fault) -> CanonicalText {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { throw Fault(code: .prefixEmpty, message: "the prefix is empty") }
    guard bytes.count <= longest else {
      throw Fault(code: .prefixTooLong, message: "the prefix has \(bytes.count) bytes, more than \(longest)")
    }
    if let offset = bytes.firstIndex(where: { $0 <= 0x20 || $0 == 0x7f }) {
      throw Fault(
        code: .prefixForbiddenByte, message: "a space or control character can never match", offset: offset)
    }
    let canonical: CanonicalText
    switch CanonicalText.read(try withASCIIHost(bytes, hostNames), fragment: .refuse) {
    case .success(let value): canonical = value
    case .failure(let fault): throw explain(fault, bytes)
    }
    guard !canonical.url.isAmbiguous else {
      throw Fault(
        code: .prefixDotSegment,
        message: "a path with a dot segment (\".\", \"..\", \"%2e\") or a backslash can never match",
        offset: nil)
    }
    return canonical
  }

  /// The text with U-labels in its host turned into A-labels.
  private static func withASCIIHost(_ bytes: [UInt8], _ hostNames: any HostNameEncoder) throws(Fault) -> [UInt8] {
    guard let authority = authority(of: bytes) else { return bytes }
    guard !bytes[authority].contains(UInt8(ascii: "@")) else { return bytes }
    let hostEnd = bytes[authority].firstIndex(of: UInt8(ascii: ":")) ?? authority.upperBound
    let host = bytes[authority.lowerBound..<hostEnd]
    guard host.contains(where: { $0 >= 0x80 }) else { return bytes }
    let name = String(decoding: host, as: UTF8.self)
    guard let ascii = hostNames.asciiHost(name) else {
      throw Fault(
        code: .prefixHostEncoding, message: "\"\(name)\" is not a valid internationalized host name",
        offset: authority.lowerBound)
    }
    return Array(bytes[..<authority.lowerBound]) + Array(ascii.utf8) + Array(bytes[hostEnd...])
  }

  /// Between `://` and the first of `/`, `?` and `#`.
  private static func authority(of bytes: [UInt8]) -> Range<Int>? {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes.count - colon > 2,
      bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
    else { return nil }
    let start = colon + 3
    let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    return start..<end
  }

  private static func explain(_ fault: TargetFault, _ bytes: [UInt8]) -> Fault {
    let authority = authority(of: bytes)
    func find(_ character: Unicode.Scalar) -> Int? { bytes.firstIndex(of: UInt8(ascii: character)) }
    switch fault {
    case .forbiddenByte:
      return Fault(code: .prefixForbiddenByte, message: "a control character can never match", offset: nil)
    case .notHTTP:
      return Fault(code: .prefixScheme, message: "rules match http and https only", offset: 0)
    case .userinfo:
      return Fault(code: .prefixUserinfo, message: "user information can never match: remove it", offset: find("@"))
    case .malformedHost:
      if let authority, let star = bytes[authority].firstIndex(of: UInt8(ascii: "*")) {
        return Fault(
          code: .prefixWildcardHost,
          message: "a prefix has no wildcards: name each host, or use a regular expression such as "
            + "^http://[^/]+\\.example\\.com/", offset: star)
      }
      return Fault(code: .prefixHost, message: "the host is missing or malformed", offset: authority?.lowerBound)
    case .malformedPort:
      return Fault(code: .prefixPort, message: "a port is a number from 1 to 65535", offset: authority?.lowerBound)
    case .fragment:
      return Fault(
        code: .prefixFragment, message: "a fragment never travels, so it can never match: remove it",
        offset: find("#"))
    case .malformed:
      return Fault(
        code: .prefixNotAbsolute, message: "write scheme and host, such as http://api.example.com/", offset: 0)
    }
  }
}
