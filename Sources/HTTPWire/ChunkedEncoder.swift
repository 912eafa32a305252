/// Frames data as chunks (RFC 9112, section 7.1).
package enum ChunkedEncoder {
  /// The last chunk and an empty trailer section.
  package static let end: StaticString = "0\r\n\r\n"

  /// Appends the size line of a chunk of `size` bytes. A chunk of nothing would end the body: for a size below 1
  /// nothing is appended.
  package static func appendHead(size: Int, to output: inout OutputBuffer) {
    guard size > 0 else { return }
    output.append(hexadecimal: size)
    output.append("\r\n")
  }
}
