/// Which trailer fields pass, and may be announced in `Trailer` (RFC 9110, sections 6.5.1 and 6.6.2).
package struct TrailerFilter: Sendable, Equatable {
  /// Folded names to drop beside those that never pass.
  private let dropped: Set<[UInt8]>

  /// Drops what never passes, and fields of these names in any case.
  package init(dropping names: [[UInt8]] = []) {
    dropped = Set(names.map { TrailerFilter.folded($0[...]) })
  }

  /// Whether a field of that name passes.
  package func passes(_ name: ArraySlice<UInt8>) -> Bool {
    let name = TrailerFilter.folded(name)
    return !TrailerFilter.neverPasses(name) && !dropped.contains(name)
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
