import Effects
import HTTPWire

/// Where a request goes.
struct OutboundAuthority: Sendable, Hashable, CustomStringConvertible {
  /// By TLS.
  let isSecure: Bool
  /// In lower case, an IPv6 literal without brackets.
  let host: String
  let port: UInt16

  /// What errors call the place; the path and the query stay out of them, because they may hold a secret.
  var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// A request as it goes on the wire.
struct OutboundMessage: Sendable {
  let authority: OutboundAuthority
  /// Only `head` is told from the others: the end of the response's content depends on it.
  let method: Method
  /// The head and the content.
  let bytes: [UInt8]
  let timeoutMilliseconds: Int

  /// Writes the request; `invalidRequest` when it cannot be sent as it is.
  init(_ request: OutboundRequest) throws(TransportError) {
    guard OutboundMessage.isToken(request.method), request.method != "CONNECT" else {
      throw OutboundMessage.invalid("the method cannot be sent")
    }
    method = request.method == "HEAD" ? .head : .other
    timeoutMilliseconds = request.timeoutMilliseconds
    let target: String
    let host: String
    (authority, host, target) = try OutboundMessage.read(request.url)
    var head = "\(request.method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
    for field in request.fields {
      guard OutboundMessage.isToken(field.name) else { throw OutboundMessage.invalid("a field's name is no token") }
      guard !OutboundMessage.ownFields.contains(field.name.lowercased()) else {
        throw OutboundMessage.invalid("the field \(field.name) is the transport's own")
      }
      guard OutboundMessage.isFieldValue(field.value) else {
        throw OutboundMessage.invalid("the value of the field \(field.name) has a control character")
      }
      head += "\(field.name): \(field.value)\r\n"
    }
    if !request.body.isEmpty || OutboundMessage.methodsWithContent.contains(request.method) {
      head += "Content-Length: \(request.body.count)\r\n"
    }
    head += "\r\n"
    bytes = Array(head.utf8) + request.body
  }

  /// Fields that say how the message travels (RFC 9110, section 7.6.1; RFC 9112, section 6).
  private static let ownFields: Set<String> = [
    "host", "content-length", "connection", "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive",
    "proxy-connection",
  ]

  /// Methods whose content is announced even when it is empty (RFC 9110, section 8.6).
  private static let methodsWithContent: Set<String> = ["POST", "PUT", "PATCH"]

  private static func invalid(_ detail: String) -> TransportError { TransportError(.invalidRequest, detail) }

  /// The authority, the `Host` field and the request target of a URL.
  private static func read(_ url: String) throws(TransportError) -> (OutboundAuthority, String, String) {
    let text = Array(url.utf8)
    var subject = OutputBuffer(capacity: TargetParser.subjectCapacity(text.count))
    defer { subject.deallocate() }
    var parts = CanonicalURL()
    let fault = text.withUnsafeBufferPointer { buffer -> TargetFault? in
      guard let start = buffer.baseAddress else { return .malformed }
      return TargetParser.parseAbsolute(start, buffer.count, fragment: .refuse, subject: &subject, into: &parts)
    }
    if let fault { throw invalid("the URL cannot be used: \(words(fault))") }
    let canonical = Array(UnsafeBufferPointer(start: subject.base, count: subject.count))
    func piece(_ start: Int, _ length: Int, of bytes: [UInt8]) -> String {
      String(decoding: bytes[start..<start + length], as: UTF8.self)
    }
    let bracketed = piece(parts.hostStart, parts.hostLength, of: canonical)
    let host = parts.hostIsIPv6Literal ? String(bracketed.dropFirst().dropLast()) : bracketed
    let authority = OutboundAuthority(isSecure: parts.isSecure, host: host, port: parts.port)
    let field = piece(parts.hostStart, parts.originLength - parts.hostStart, of: canonical)
    // As it was given, but for bytes that are not ASCII, which no request target may have.
    return (authority, field, piece(parts.originLength, parts.length - parts.originLength, of: canonical))
  }

  private static func words(_ fault: TargetFault) -> String {
    switch fault {
    case .forbiddenByte: "it has a space or a control character"
    case .notHTTP: "its scheme is not http or https"
    case .userinfo: "it has user information"
    case .malformedHost: "its host is malformed"
    case .malformedPort: "its port is malformed"
    case .fragment: "it has a fragment"
    case .malformed: "it is no absolute URL"
    }
  }

  /// RFC 9110, section 5.6.2.
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }

  /// RFC 9110, section 5.5: no CR, LF or NUL, and none of the other control characters either.
  private static func isFieldValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
  }
}
