/// The trailer section of a chunked body: read line by line, filtered, kept for sending.
///
/// Trailers are rare, so this keeps its own copy and need not be fast.
struct TrailerSection {
  /// The most field lines.
  static let mostLines = 100

  /// The lines that pass, each with its CRLF, and at the end the empty line.
  private(set) var section: [UInt8] = []
  /// No line was seen.
  var isEmpty: Bool { size == 0 }

  /// Folded names to drop beside those that never pass.
  private var dropped: [[UInt8]] = []
  private let limit: Int
  private var line: [UInt8] = []
  private var size = 0
  private var lines = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// Drops fields of these names too.
  mutating func drop(_ names: [[UInt8]]) {
    dropped += names.map { TrailerSection.folded($0[...]) }
  }

  /// Takes in one byte of a line.
  mutating func append(_ byte: UInt8) -> WireFault? {
    // The line's CRLF and the final one must still fit.
    guard size < limit &- 4 else { return .trailerTooLarge }
    guard byte >= Octet.space && byte != Octet.delete || byte == Octet.tab else { return .malformedTrailer }
    size &+= 1
    line.append(byte)
    return nil
  }

  /// Ends a line that has at least one byte: checks it and keeps it unless its name is one to drop.
  mutating func endLine() -> WireFault? {
    defer { line.removeAll(keepingCapacity: true) }
    size &+= 2
    lines &+= 1
    guard lines <= TrailerSection.mostLines else { return .trailerTooLarge }
    guard let colon = line.firstIndex(of: Octet.colon), colon > 0,
      line[..<colon].allSatisfy({ ByteClass.has(ByteClass.token, $0) })
    else { return .malformedTrailer }
    let name = TrailerSection.folded(line[..<colon])
    if TrailerSection.neverPasses(name) || dropped.contains(name) { return nil }
    section += line
    section += [Octet.carriageReturn, Octet.lineFeed]
    return nil
  }

  /// Ends the section with its empty line.
  mutating func endSection() {
    section += [Octet.carriageReturn, Octet.lineFeed]
  }

  /// The name in lower case, with hyphens for underscores: receivers that make variables of names read them alike.
  private static func folded(_ name: ArraySlice<UInt8>) -> [UInt8] {
    name.map { $0 == Octet.underscore ? 0x2d : Octet.lowercased($0) }
  }

  /// Fields that decide about framing, routing, access, caching or the processing of the message, and those of one
  /// hop: a receiver that merges trailers into the head must never get them (RFC 9110, section 6.5.1).
  private static func neverPasses(_ name: [UInt8]) -> Bool {
    let text = String(decoding: name, as: Unicode.UTF8.self)
    if text == "content-digest" { return false }
    return exact.contains(text) || prefixes.contains { text.hasPrefix($0) }
  }

  private static let prefixes = ["content-", "proxy-", "if-", "x-forwarded-", "access-control-", "sec-"]

  private static let exact: Set<String> = [
    // Framing and the hop
    "transfer-encoding", "trailer", "te", "connection", "keep-alive", "upgrade", "http2-settings", "proxy", "via",
    // Routing
    "host", "forwarded", "max-forwards", "location", "origin", "referer", "x-real-ip", "alt-svc",
    // Access
    "authorization", "www-authenticate", "authentication-info", "cookie", "cookie2", "set-cookie", "set-cookie2",
    "x-http-method-override", "x-http-method", "x-method-override", "x-original-url", "x-rewrite-url",
    "strict-transport-security",
    // Request and response controls
    "expect", "range", "cache-control", "pragma", "age", "expires", "date", "retry-after", "vary", "warning",
    "accept-ranges", "early-data",
  ]
}
