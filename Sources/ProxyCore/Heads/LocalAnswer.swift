package import HTTPWire

/// Answers to TRACE and OPTIONS whose `Max-Forwards` is 0: the proxy is the final recipient (RFC 9110, section 7.6.2).
package enum LocalAnswer {
  /// Appends the answer to TRACE: the request as received, without the fields that carry secrets (RFC 9110, section
  /// 9.3.8).
  package static func appendTrace(
    to output: inout OutputBuffer, _ bytes: Bytes, _ head: RequestHead, _ lines: UnsafeMutablePointer<FieldLine>,
    date: [UInt8], closes: Bool
  ) {
    let copy = FieldCopy(bytes: bytes, lines: lines, digest: head.fields, end: head.length - 2)
    var echo = OutputBuffer(capacity: head.length + 2)
    defer { echo.deallocate() }
    echo.append(bytes + head.start, Int(head.targetStart - head.start) + head.targetLength)
    echo.append(head.minorVersion == 1 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n")
    copy.append(to: &echo) { index in
      lines[index].id == .proxyAuthorization || copy.isNamed(index, authorization) || copy.isNamed(index, cookie)
    }
    echo.append("\r\n")
    output.append("HTTP/1.1 200 OK\r\n")
    output.append(date)
    output.append("Content-Type: message/http\r\nContent-Length: ")
    output.append(decimal: Int64(echo.count))
    output.append(closes ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n")
    output.append(UnsafePointer(echo.base), echo.count)
  }

  /// Appends the answer to OPTIONS: the methods are the origins' business, so nothing but success is told.
  package static func appendOptions(to output: inout OutputBuffer, date: [UInt8], closes: Bool) {
    output.append("HTTP/1.1 200 OK\r\n")
    output.append(date)
    output.append("Content-Length: 0\r\n")
    output.append(closes ? "Connection: close\r\n\r\n" : "\r\n")
  }

  private static let authorization = Array("authorization".utf8)
  private static let cookie = Array("cookie".utf8)
}
