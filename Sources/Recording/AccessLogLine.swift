package import ProxyCore

/// A finished exchange as one line of the access log: newline-delimited JSON with the attribute names of the
/// OpenTelemetry semantic conventions for HTTP where they have one.
///
/// The line never holds an id or a query, whatever the configuration keeps in events: logs travel further than events.
package enum AccessLogLine {
  /// The line, with its line feed.
  package static func ndjson(_ record: ExchangeRecord) -> [UInt8] {
    let target = LoggedTarget(record.url)
    return JSONLine.bytes { line in
      line.member("time", momentMilliseconds: record.startedAtMilliseconds)
      line.member("http.request.method", record.method)
      if record.status != 0 { line.member("http.response.status_code", Int64(record.status)) }
      if let scheme = target.scheme { line.member("url.scheme", scheme) }
      line.member("server.address", target.host)
      if let port = target.port { line.member("server.port", port) }
      if let path = target.path { line.member("url.path", path) }
      if let user = record.user { line.member("user.name", user) }
      line.member("http.request.size", record.requestBytes)
      line.member("http.response.size", record.responseBytes)
      line.member("duration_ms", durationMicroseconds: record.durationMicroseconds)
      if let connect = record.connectMicroseconds { line.member("upstream.connect_ms", durationMicroseconds: connect) }
      if let firstByte = record.firstByteMicroseconds {
        line.member("upstream.first_byte_ms", durationMicroseconds: firstByte)
      }
      line.member("upstream.reused", record.reusedConnection)
      line.member("proxy.mode", record.mode.name)
      // What was done with TLS: a tunnel is passed on unread.
      line.member("tls.mode", record.mode == .tunnel ? "tunnel" : "none")
      line.member("rule", record.rules)
      line.member("injected", record.injected)
      if let code = record.errorCode { line.member("error.code", code) }
      line.close()
      line.endLine()
    }
  }
}

/// The parts of a record's URL that a log may show.
struct LoggedTarget: Hashable, Sendable {
  var scheme: String?
  /// Without the brackets of an IPv6 address.
  var host: String
  var port: Int64?
  /// Without the query; nil for a tunnel.
  var path: String?

  /// The parts of a canonical URL, or of the `host:port` of a tunnel.
  init(_ url: String) {
    var rest = Substring(url)
    // A query is cut first: whatever follows cannot show any of it.
    if let end = rest.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
      rest = rest[..<end]
    }
    for known in ["http", "https"] where rest.hasPrefix(known + "://") {
      scheme = known
      rest = rest.dropFirst(known.utf8.count &+ 3)
      let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      path = end == rest.endIndex ? "/" : String(rest[end...])
      rest = rest[..<end]
      port = known == "http" ? 80 : 443
      break
    }
    // User information is refused long before, and must not be shown if it ever came this far.
    if let at = rest.utf8.lastIndex(of: UInt8(ascii: "@")) { rest = rest[rest.utf8.index(after: at)...] }
    if let colon = rest.utf8.lastIndex(of: UInt8(ascii: ":")),
      let number = Int64(rest[rest.utf8.index(after: colon)...])
    {
      port = number
      rest = rest[..<colon]
    }
    if rest.hasPrefix("["), rest.hasSuffix("]") { rest = rest.dropFirst().dropLast() }
    host = String(rest)
  }
}
