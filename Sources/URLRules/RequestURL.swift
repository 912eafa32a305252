package import HTTPWire

/// The URL of a request as a rule handler sees it: the canonical form, never what a client happened to type.
public struct RequestURL: Sendable, Hashable, CustomStringConvertible {
  /// `http` or `https`.
  public let scheme: String
  /// The host in lower case, an IPv6 address without its brackets.
  public let host: String
  /// The effective port: 80 or 443 when the URL names none.
  public let port: Int
  /// The path, at least `/`, with its escapes as sent; no byte above 0x7F.
  public let path: String
  /// What follows the first `?`, nil when there is none.
  public let query: String?
  /// The canonical text: scheme, host, port unless it is the default, path and query.
  public let absoluteString: String

  /// The canonical text.
  public var description: String { absoluteString }

  /// The parts of a parsed URL, copied out of its subject: a pointer, because that is what a verdict is asked with.
  package init(_ subject: UnsafePointer<UInt8>, _ url: CanonicalURL) {
    func text(_ start: Int, _ end: Int) -> String {
      String(decoding: UnsafeBufferPointer(start: subject + start, count: max(0, end &- start)), as: UTF8.self)
    }
    let brackets = url.hostIsIPv6Literal && url.hostLength >= 2 ? 1 : 0
    scheme = url.isSecure ? "https" : "http"
    host = text(url.hostStart + brackets, url.hostStart + url.hostLength - brackets)
    port = Int(url.port)
    let pathEnd = url.originLength + url.pathLength
    path = text(url.originLength, pathEnd)
    query = pathEnd < url.length ? text(pathEnd + 1, url.length) : nil
    absoluteString = text(0, url.length)
  }
}
