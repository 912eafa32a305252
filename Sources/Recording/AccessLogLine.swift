package import ProxyCore

/// A finished exchange as one line of the access log: newline-delimited JSON with the attribute names of the
/// OpenTelemetry semantic conventions for HTTP where they have one.
///
/// The line never holds an id or a query, whatever the configuration keeps in events: logs travel further than events.
package enum AccessLogLine {
  /// The line, with its line feed.
  package static func ndjson(_ record: ExchangeRecord) -> [UInt8] {
    let target = LoggedTarget(record.url)
    var line = JSONLine(capacity: 448 &+ record.url.utf8.count)
    line.member(Key.time, momentMilliseconds: record.startedAtMilliseconds)
    line.member(Key.httpRequestMethod, record.method)
    if record.status != 0 { line.member(Key.httpResponseStatusCode, Int64(record.status)) }
    if let scheme = target.scheme { line.member(Key.urlScheme, scheme) }
    line.member(Key.serverAddress, target.host)
    if let port = target.port { line.member(Key.serverPort, port) }
    if let path = target.path { line.member(Key.urlPath, path) }
    if let user = record.user { line.member(Key.userName, user) }
    line.member(Key.httpRequestSize, record.requestBytes)
    line.member(Key.httpResponseSize, record.responseBytes)
    line.member(Key.durationMs, durationMicroseconds: record.durationMicroseconds)
    if let connect = record.connectMicroseconds { line.member(Key.upstreamConnectMs, durationMicroseconds: connect) }
    if let firstByte = record.firstByteMicroseconds {
      line.member(Key.upstreamFirstByteMs, durationMicroseconds: firstByte)
    }
    line.member(Key.upstreamReused, record.reusedConnection)
    line.member(Key.proxyMode, record.mode.name)
    // What was done with TLS: a tunnel is passed on unread.
    line.member(Key.tlsMode, record.mode == .tunnel ? "tunnel" : "none")
    line.member(Key.rule, record.rules)
    line.member(Key.injected, record.injected)
    if let code = record.errorCode { line.member(Key.errorCode, code) }
    line.close()
    line.endLine()
    return line.bytes
  }
}

/// The names of the members, made once.
private enum Key {
  static let time: JSONLine.Key = "time"
  static let httpRequestMethod: JSONLine.Key = "http.request.method"
  static let httpResponseStatusCode: JSONLine.Key = "http.response.status_code"
  static let urlScheme: JSONLine.Key = "url.scheme"
  static let serverAddress: JSONLine.Key = "server.address"
  static let serverPort: JSONLine.Key = "server.port"
  static let urlPath: JSONLine.Key = "url.path"
  static let userName: JSONLine.Key = "user.name"
  static let httpRequestSize: JSONLine.Key = "http.request.size"
  static let httpResponseSize: JSONLine.Key = "http.response.size"
  static let durationMs: JSONLine.Key = "duration_ms"
  static let upstreamConnectMs: JSONLine.Key = "upstream.connect_ms"
  static let upstreamFirstByteMs: JSONLine.Key = "upstream.first_byte_ms"
  static let upstreamReused: JSONLine.Key = "upstream.reused"
  static let proxyMode: JSONLine.Key = "proxy.mode"
  static let tlsMode: JSONLine.Key = "tls.mode"
  static let rule: JSONLine.Key = "rule"
  static let injected: JSONLine.Key = "injected"
  static let errorCode: JSONLine.Key = "error.code"
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
