package import HTTPWire

/// The proxy's own answers: an error with its reason and what to do, as plain text.
///
/// Nothing of the request is repeated but a host name and a number, and of those only visible ASCII.
package enum ErrorPage {
  /// Appends the whole response.
  ///
  /// - Parameters:
  ///   - date: the `Date` line.
  ///   - detail: what in particular, for example the host; may be empty.
  ///   - withoutBody: the request was HEAD: the head tells of a body that is not sent.
  ///   - closes: the connection ends after this response.
  ///   - challenge: the value of `Proxy-Authenticate`; nil for none.
  package static func append(
    to output: inout OutputBuffer, _ error: ProxyError, date: [UInt8], detail: String, withoutBody: Bool, closes: Bool,
    challenge: String? = nil
  ) {
    let detail = String(
      decoding: detail.utf8.filter { FieldText.isVisible($0) || $0 == 0x20 }.prefix(300), as: UTF8.self)
    var body = "\(error.status) \(reason(error.status)): \(error.summary)\n"
    if !detail.isEmpty { body += "\(detail)\n" }
    body += "\(error.hint)\n\nfootfall, error \(error.code)\n"

    append(&output, "HTTP/1.1 \(error.status) \(reason(error.status))\r\n")
    output.append(date)
    append(&output, "Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n")
    append(&output, "Cache-Control: no-store\r\nContent-Length: \(body.utf8.count)\r\n")
    append(&output, "Proxy-Status: footfall; error=\(error.proxyStatus)")
    append(&output, "; details=\"\(error.code)\(detail.isEmpty ? "" : ": " + quotable(detail))\"\r\n")
    if let challenge { append(&output, "Proxy-Authenticate: \(challenge)\r\n") }
    if error.status == 503 || error.status == 429 { append(&output, "Retry-After: 1\r\n") }
    if closes { append(&output, "Connection: close\r\n") }
    append(&output, "\r\n")
    if !withoutBody { append(&output, body) }
  }

  /// The reason phrase of a status that the proxy sends (RFC 9110, section 15).
  package static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 407: "Proxy Authentication Required"
    case 408: "Request Timeout"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 417: "Expectation Failed"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 508: "Loop Detected"
    default: "Error"
    }
  }

  /// A string as RFC 8941, section 3.3.3, writes it: quotes and backslashes escaped.
  private static func quotable(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if character == "\"" || character == "\\" { result.append("\\") }
      result.append(character)
    }
  }

  private static func append(_ output: inout OutputBuffer, _ text: String) {
    output.append(Array(text.utf8))
  }
}
