import HTTPWire

extension Property {
  /// The parser takes exactly the request heads that a naive reading of RFC 9112 takes, and reads them alike.
  static let requestHead = Property("request-head") { bytes in
    let reading = try ReadHead.request(bytes)
    let naive = NaiveRequest(bytes)
    try require(
      (reading.outcome == .complete) == (naive != nil), "naively \(naive == nil ? "no " : "")head: \(reading)")
    if let head = reading.head, let naive {
      try require(head.start == naive.head.start && head.length == naive.head.length, "lengths of \(head), \(naive)")
      try require(head.method == naive.method && head.target == naive.target, "\(head) for \(naive)")
      try require(head.minorVersion == naive.minorVersion, "\(head) for \(naive)")
      try require(
        head.contentLength == naive.contentLength && head.isChunked == naive.isChunked, "\(head) for \(naive)")
      try requireSame(head, naive.head)
    }
    try requireStable(bytes, reading) { try ReadHead.request($0) }
  }

  /// The same for response heads.
  static let responseHead = Property("response-head") { bytes in
    let reading = try ReadHead.response(bytes)
    let naive = NaiveResponse(bytes)
    try require(
      (reading.outcome == .complete) == (naive != nil), "naively \(naive == nil ? "no " : "")head: \(reading)")
    if let head = reading.head, let naive {
      try require(head.length == naive.head.length, "lengths of \(head), \(naive)")
      try require(head.status == naive.status && head.reason == naive.reason, "\(head) for \(naive)")
      try require(head.minorVersion == naive.minorVersion, "\(head) for \(naive)")
      try require(
        head.contentLength == naive.contentLength && head.isChunked == naive.isChunked, "\(head) for \(naive)")
      try require(head.hasOtherCoding == naive.hasOtherCoding, "\(head) for \(naive)")
      try requireSame(head, naive.head)
    }
    try requireStable(bytes, reading) { try ReadHead.response($0) }
  }
}

private func requireSame(_ head: ReadHead, _ naive: NaiveHead) throws {
  let fields = head.fields.map { NaiveHead.Field(name: $0.name, value: $0.value) }
  try require(fields == naive.fields, "fields \(fields) for \(naive.fields)")
}

/// What comes later changes nothing, what is complete is complete at its last byte and not before, and the plainest
/// spelling of a head means the same.
private func requireStable(
  _ bytes: [UInt8], _ reading: ReadHead.Reading, _ read: ([UInt8]) throws -> ReadHead.Reading
) throws {
  switch reading.outcome {
  case .incomplete: break
  case .refused:
    for more in ["\r\n\r\n", "\n", "a: b\r\n\r\n", "\0"] {
      let longer = try read(bytes + Array(more.utf8))
      try require(longer == reading, "\(reading) became \(longer) with \(shown(more.utf8))")
    }
  case .complete:
    guard let head = reading.head else { throw Violation("complete and no head") }
    try require(try read(bytes + Array("\0x".utf8)) == reading, "later bytes change \(head)")
    try require(try read(Array(bytes[..<head.length])) == reading, "earlier end changes \(head)")
    let short = try read(Array(bytes[..<(head.length - 1)]))
    try require(short.outcome == .incomplete, "\(short) one byte before the end")
    let again = try read(head.rewritten)
    try require(again.head?.meaning == head.meaning, "\(shown(head.rewritten)) is \(again), not \(head)")
    try require(again.head?.length == head.rewritten.count, "the rewritten head ends elsewhere")
  }
}
