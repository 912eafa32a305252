/// A chunked body read the obvious way, from all of its bytes at once (RFC 9112, section 7.1).
struct NaiveChunks {
  var payload: [UInt8] = []
  /// The trailer field lines, without their line ends.
  var trailers: [[UInt8]] = []
  /// The bytes of the whole coding.
  var length = 0

  /// Nil when the bytes do not begin with a complete, well-formed coding.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    func line() -> [UInt8]? {
      guard let end = rest.indices.first(where: { rest[$0...].starts(with: "\r\n".utf8) }) else { return nil }
      defer { rest = rest[(end + 2)...] }
      return Array(rest[..<end])
    }
    while true {
      guard let sizeLine = line(), NaiveGrammar.isFieldValue(sizeLine) else { return nil }
      let digits = sizeLine.prefix { byte in "0123456789abcdefABCDEF".utf8.contains(byte) }
      guard !digits.isEmpty, digits.count <= 16,
        let size = Int64(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      let extensions = NaiveGrammar.trimmed(sizeLine[digits.endIndex...])
      guard extensions.isEmpty || extensions[0] == 0x3b else { return nil }
      if size == 0 { break }
      guard rest.count - 2 >= size else { return nil }
      let dataEnd = rest.startIndex + Int(size)
      guard rest[dataEnd...].starts(with: "\r\n".utf8) else { return nil }
      payload += rest[..<dataEnd]
      rest = rest[(dataEnd + 2)...]
    }
    while true {
      guard let line = line() else { return nil }
      if line.isEmpty { break }
      guard NaiveGrammar.isFieldValue(line), let colon = line.firstIndex(of: 0x3a),
        NaiveGrammar.isToken(line[..<colon])
      else { return nil }
      trailers.append(line)
    }
    length = rest.startIndex
  }
}
