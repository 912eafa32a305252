package import Effects

/// One answer of the admin endpoint.
package struct AdminResponse: Sendable, Hashable {
  /// One field line.
  package struct Field: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package var status: Int
  package var fields: [Field]
  package var body: [UInt8]

  /// An answer of the given type; nobody may store it or guess another type.
  package init(status: Int = 200, contentType: String, body: [UInt8]) {
    self.status = status
    self.body = body
    fields = [
      Field("Content-Type", contentType),
      Field("Cache-Control", "no-store"),
      Field("X-Content-Type-Options", "nosniff"),
    ]
  }

  /// A JSON answer, indented for people and ended by a line feed.
  package static func json(_ value: JSONValue, status: Int = 200) -> AdminResponse {
    var writer = JSONWriter(indentation: 2)
    writer.write(value)
    return AdminResponse(status: status, contentType: "application/json", body: writer.bytes + [UInt8(ascii: "\n")])
  }

  /// The value of the first field with that name, in any case.
  package func value(of name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The message as it goes out (RFC 9112, section 4), with the length of its body and the date.
  ///
  /// - Parameters:
  ///   - omittingBody: The request was HEAD: the fields stay, the body goes (RFC 9110, section 9.3.2).
  ///   - closing: The connection ends after this answer.
  ///   - now: Milliseconds since the epoch, for the `Date` field (RFC 9110, section 6.6.1).
  package func message(omittingBody: Bool, closing: Bool, now: Int64) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(AdminResponse.reason(status))\r\n"
    text += "Date: \(HTTPDate.text(millisecondsSinceEpoch: now))\r\n"
    for field in fields { text += "\(field.name): \(field.value)\r\n" }
    text += "Content-Length: \(body.count)\r\n"
    if closing { text += "Connection: close\r\n" }
    text += "\r\n"
    return omittingBody ? Array(text.utf8) : Array(text.utf8) + body
  }

  /// The reason phrase of the statuses that occur here.
  static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 202: "Accepted"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 411: "Length Required"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    default: "Status"
    }
  }
}
