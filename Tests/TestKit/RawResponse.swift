import Foundation

/// A response as a client of the test sees it: head as text, body as it travelled.
public struct RawResponse: Sendable {
  /// Status line and fields, without the empty line.
  public var head: [String]
  /// What followed the head, a chunked body in its chunks.
  public var body: String

  /// The status; 0 when the status line has none.
  public var status: Int {
    let parts = head.first?.split(separator: " ") ?? []
    return parts.count > 1 ? Int(parts[1]) ?? 0 : 0
  }

  /// The value of the first field of that name.
  public subscript(name: String) -> String? {
    head.dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }.map {
      $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
    }
  }
}

extension RawConnection {
  /// Reads one response: interim ones too. The body is read by its framing; a chunked one stays in its chunks.
  public func readResponse(toHEAD: Bool = false) throws -> RawResponse {
    let text = try read(until: "\r\n\r\n")
    var response = RawResponse(head: text.trimmingCharacters(in: .newlines).components(separatedBy: "\r\n"), body: "")
    if toHEAD || response.status < 200 || response.status == 204 || response.status == 304 { return response }
    if response["Transfer-Encoding"]?.lowercased() == "chunked" {
      while true {
        let size = try read(until: "\r\n")
        response.body += size
        let count = Int(size.trimmingCharacters(in: .newlines), radix: 16) ?? 0
        if count == 0 { break }
        response.body += String(decoding: try read(count: count + 2), as: UTF8.self)
      }
      while true {
        let line = try read(until: "\r\n")
        response.body += line
        if line == "\r\n" { return response }
      }
    }
    if let length = response["Content-Length"] {
      response.body = String(decoding: try read(count: Int(length) ?? 0), as: UTF8.self)
    } else {
      response.body = try readTextToEnd()
    }
    return response
  }
}
