import HTTPWire

/// Warns about rules that are valid and probably not what their author means (contract section 1.2).
enum RuleLints {
  struct Finding {
    var code: RuleIssue.Code
    var message: String
    var offset: Int?
  }

  /// What is odd about a valid prefix; `text` as written, `canonical` as read.
  static func prefix(_ text: String, _ canonical: CanonicalText) -> [Finding] {
    var findings: [Finding] = []
    let bytes = Array(text.utf8)
    let path = canonical.bytes[canonical.url.originLength...]
    let hasQuery = canonical.url.pathLength < path.count
    if let star = bytes.firstIndex(of: UInt8(ascii: "*")) {
      findings.append(
        Finding(
          code: .prefixWildcardPath, message: "\"*\" stands for itself in a prefix; a prefix covers all that follows",
          offset: star))
    }
    guard !hasQuery else { return findings }
    if path.count == 1, bytes.last != UInt8(ascii: "/") {
      findings.append(
        Finding(
          code: .prefixWithoutPath,
          message: "without a path the whole host matches; write a final \"/\" if that is meant", offset: bytes.count))
    } else if path.last != UInt8(ascii: "/") {
      findings.append(
        Finding(
          code: .prefixInsideSegment,
          message: "ends inside a path segment, so \"\(text)0\" matches too; end it with \"/\"", offset: bytes.count))
    }
    return findings
  }

  /// What is odd about a valid pattern.
  static func regex(_ pattern: String) -> [Finding] {
    let bytes = Array(pattern.utf8)
    var findings: [Finding] = []
    var isAnchored = pattern.contains("\\A")
    var pathStart: Int?
    var endsInDollar = false
    let host = hostStart(bytes)
    PatternScanner.forEachBareByte(bytes) { index in
      switch bytes[index] {
      case UInt8(ascii: "^"): isAnchored = true
      case UInt8(ascii: "/"): if let host, index >= host, pathStart == nil { pathStart = index }
      case UInt8(ascii: "$"): endsInDollar = index == bytes.count - 1
      default: break
      }
    } onClass: { range in
      if let offset = nestedSet(bytes, range) {
        findings.append(
          Finding(
            code: .regexNestedSet,
            message: "\"[\", \"&&\" and \"--\" inside a class are plain characters here, not set operations as in ICU",
            offset: offset))
      }
    }
    if !isAnchored {
      findings.append(
        Finding(
          code: .regexUnanchored, message: "without \"^\" the pattern may match anywhere, also in another host's query",
          offset: 0))
    }
    if let offset = defaultPort(bytes) {
      findings.append(
        Finding(
          code: .regexDefaultPort, message: "the URL that rules see never has a default port: leave it out",
          offset: offset))
    }
    guard let host else { return findings }
    if endsInDollar, pathStart == nil {
      findings.append(
        Finding(
          code: .regexEndsAfterHost, message: "the URL that rules see always has a path: write \"/$\"",
          offset: bytes.count - 1))
    }
    findings.append(contentsOf: hostFindings(bytes, host..<(pathStart ?? bytes.count), pattern))
    return findings
  }

  private static func hostFindings(_ bytes: [UInt8], _ host: Range<Int>, _ pattern: String) -> [Finding] {
    var dot: Int?
    var capital: Int?
    PatternScanner.forEachBareByte(bytes) { index in
      guard host.contains(index) else { return }
      if bytes[index] == UInt8(ascii: "."), dot == nil, index > host.lowerBound, index + 1 < host.upperBound,
        isLetterOrDigit(bytes[index - 1]), isLetterOrDigit(bytes[index + 1])
      {
        dot = index
      }
      if capital == nil, bytes[index] &- 0x41 < 26 { capital = index }
    }
    var findings: [Finding] = []
    if let dot {
      findings.append(
        Finding(
          code: .regexUnescapedDot, message: "\".\" matches any character, so other hosts match too: write \"\\.\"",
          offset: dot))
    }
    if let capital, !pattern.contains("(?i") {
      findings.append(
        Finding(
          code: .regexUpperCaseHost, message: "the host that rules see is in lower case, so this never matches",
          offset: capital))
    }
    return findings
  }

  /// The index after the pattern's `://`.
  private static func hostStart(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 3 else { return nil }
    for index in 0...(bytes.count - 3) where Array(bytes[index..<(index + 3)]) == Array("://".utf8) {
      return index + 3
    }
    return nil
  }

  private static func defaultPort(_ bytes: [UInt8]) -> Int? {
    for port in [":443", ":80"] {
      let port = Array(port.utf8)
      guard bytes.count >= port.count else { continue }
      for index in 0...(bytes.count - port.count) where Array(bytes[index..<(index + port.count)]) == port {
        let next = index + port.count
        if next == bytes.count || !isDigit(bytes[next]) { return index }
      }
    }
    return nil
  }

  private static func nestedSet(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
    var index = range.lowerBound + 1
    while index < range.upperBound - 1 {
      switch bytes[index] {
      case UInt8(ascii: "\\"): index += 1
      case UInt8(ascii: "["): if !":.=".utf8.contains(bytes[index + 1]) { return index }
      case UInt8(ascii: "&"), UInt8(ascii: "-"): if bytes[index + 1] == bytes[index] { return index }
      default: break
      }
      index += 1
    }
    return nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 26 }
}
