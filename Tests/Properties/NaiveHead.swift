/// A message head read the obvious way: cut at the first empty line, then at each line's end, then at each colon.
struct NaiveHead {
  struct Field: Equatable {
    var name: [UInt8]
    var value: [UInt8]
  }

  /// Bytes of empty lines before the head.
  var start = 0
  var startLine: [UInt8] = []
  var fields: [Field] = []
  /// With the empty line that ends the head, and those before it.
  var length = 0

  /// The values of the fields of that name.
  func values(of name: String) -> [[UInt8]] {
    fields.filter { NaiveGrammar.equal($0.name, ignoringCase: name) }.map(\.value)
  }

  /// Nil when no well-formed head begins the bytes.
  ///
  /// - Parameter allowsBlankBeforeColon: as in responses, where a proxy removes it (RFC 9112, section 5.1).
  fileprivate init?(_ bytes: [UInt8], skippingEmptyLines most: Int, allowsBlankBeforeColon: Bool) {
    while start + 1 < bytes.count, bytes[start] == 0x0d, bytes[start + 1] == 0x0a { start += 2 }
    guard start <= most * 2 else { return nil }
    let end = (start..<max(start, bytes.count - 3)).first { bytes[$0..<$0 + 4].elementsEqual("\r\n\r\n".utf8) }
    guard let end else { return nil }
    length = end + 4
    var lines: [[UInt8]] = [[]]
    for byte in bytes[start..<end + 2] {
      if byte == 0x0a, lines[lines.count - 1].last == 0x0d {
        lines[lines.count - 1].removeLast()
        lines.append([])
      } else {
        lines[lines.count - 1].append(byte)
      }
    }
    lines.removeLast()
    guard lines.allSatisfy({ !$0.contains(0x0d) && !$0.contains(0x0a) }) else { return nil }
    startLine = lines.removeFirst()
    guard lines.count <= 100 else { return nil }
    for line in lines {
      guard let colon = line.firstIndex(of: 0x3a) else { return nil }
      var name = Array(line[..<colon])
      while allowsBlankBeforeColon, let last = name.last, last == 0x20 || last == 0x09 { name.removeLast() }
      let value = NaiveGrammar.trimmed(line[(colon + 1)...])
      guard NaiveGrammar.isToken(name), NaiveGrammar.isFieldValue(value) else { return nil }
      fields.append(Field(name: name, value: value))
    }
  }
}

/// What a request head says, read naively; nil for one that must be refused.
struct NaiveRequest {
  let head: NaiveHead
  let method: [UInt8]
  let target: [UInt8]
  let minorVersion: UInt8
  var contentLength: Int64 = -1
  var isChunked = false

  init?(_ bytes: [UInt8]) {
    guard let head = NaiveHead(bytes, skippingEmptyLines: 4, allowsBlankBeforeColon: false) else { return nil }
    self.head = head
    let parts = NaiveGrammar.split(head.startLine, at: 0x20)
    guard parts.count == 3, NaiveGrammar.isToken(parts[0]), !parts[1].isEmpty,
      parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7f }), let version = naiveMinorVersion(parts[2])
    else { return nil }
    (method, target, minorVersion) = (parts[0], parts[1], version)
    let hosts = head.values(of: "host")
    // RFC 9112, section 3.2.
    guard hosts.count == 1 || hosts.isEmpty && minorVersion == 0 else { return nil }
    for host in hosts where !host.isEmpty {
      guard let (_, port) = NaiveGrammar.hostAndPort(host) else { return nil }
      if let port, !port.isEmpty, NaiveGrammar.port(port) == nil { return nil }
    }
    // RFC 9112, sections 6.1 to 6.3.
    let lengths = head.values(of: "content-length")
    let codings = head.values(of: "transfer-encoding")
    if !codings.isEmpty {
      guard minorVersion == 1, lengths.isEmpty, codings.count == 1,
        NaiveGrammar.equal(codings[0], ignoringCase: "chunked")
      else { return nil }
      isChunked = true
    } else if !lengths.isEmpty {
      guard lengths.count == 1, let length = NaiveGrammar.number(lengths[0]) else { return nil }
      contentLength = length
    }
  }
}

/// What a response head says, read naively; nil for one that must be refused.
struct NaiveResponse {
  let head: NaiveHead
  let status: Int
  let reason: [UInt8]
  let minorVersion: UInt8
  var contentLength: Int64 = -1
  var isChunked = false
  var hasOtherCoding = false

  init?(_ bytes: [UInt8]) {
    guard let head = NaiveHead(bytes, skippingEmptyLines: 0, allowsBlankBeforeColon: true) else { return nil }
    self.head = head
    let parts = head.startLine.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
    guard parts.count >= 2, let version = naiveMinorVersion(parts[0]), parts[1].count == 3,
      let status = NaiveGrammar.number(parts[1]), 100..<600 ~= status
    else { return nil }
    minorVersion = version
    self.status = Int(status)
    reason = parts.count == 3 ? parts[2] : []
    guard NaiveGrammar.isFieldValue(reason) else { return nil }
    let lengths = head.values(of: "content-length").flatMap { NaiveGrammar.split($0, at: 0x2c) }
    let codings = head.values(of: "transfer-encoding")
    if !codings.isEmpty {
      guard minorVersion == 1, lengths.isEmpty, codings.count == 1 else { return nil }
      let members = NaiveGrammar.split(codings[0], at: 0x2c).map(NaiveGrammar.trimmed)
      if members.count == 1, NaiveGrammar.equal(members[0], ignoringCase: "chunked") {
        isChunked = true
      } else {
        for member in members {
          let name = NaiveGrammar.trimmed(member.prefix { $0 != 0x3b })
          guard NaiveGrammar.isToken(name), !NaiveGrammar.equal(name, ignoringCase: "chunked") else { return nil }
        }
        hasOtherCoding = true
      }
    } else if !lengths.isEmpty {
      let numbers = lengths.map { NaiveGrammar.number(NaiveGrammar.trimmed($0)) }
      guard let first = numbers[0], numbers.allSatisfy({ $0 == first }) else { return nil }
      contentLength = first
    }
  }
}

/// 0 for HTTP/1.0, 1 for HTTP/1.1 (RFC 9112, section 2.3).
private func naiveMinorVersion(_ bytes: [UInt8]) -> UInt8? {
  if bytes.elementsEqual("HTTP/1.1".utf8) { return 1 }
  return bytes.elementsEqual("HTTP/1.0".utf8) ? 0 : nil
}
