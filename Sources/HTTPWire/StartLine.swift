/// Reads request lines and status lines (RFC 9112, sections 3 and 4).
enum StartLine {
  /// The most empty lines that may come before a request line.
  static let emptyLines = 4

  /// Skips the empty lines that a client may send before a request (RFC 9112, section 2.2).
  static func skipEmptyLines(_ p: Bytes, _ end: Int, _ i: inout Int) -> ParseOutcome {
    var lines = 0
    while i < end, p[i] == Octet.carriageReturn {
      guard lines < emptyLines else { return .refused(.malformedRequestLine) }
      guard i &+ 1 < end else { return .incomplete }
      guard p[i &+ 1] == Octet.lineFeed else { return .refused(.bareCarriageReturn) }
      i &+= 2
      lines &+= 1
    }
    return .complete
  }

  /// Reads `method SP target SP version CRLF` from `i` to past its end.
  @inline(__always)
  static func readRequestLine(
    _ p: Bytes, _ i: inout Int, _ end: Int, limit: Int, _ head: inout RequestHead
  ) -> ParseOutcome {
    let start = i
    // One byte more than the limit is looked at: it shows that the line is too long.
    let lineEnd = min(end, start &+ limit &+ 1)
    i = ByteScan.endOfToken(p, i, lineEnd)
    guard i < lineEnd else { return i &- start > limit ? .refused(.targetTooLong) : .incomplete }
    guard p[i] == Octet.space, i > start else {
      return .refused(p[i] == Octet.lineFeed ? .bareLineFeed : .malformedRequestLine)
    }
    head.methodLength = i &- start
    head.method = .named(p + start, i &- start)
    i &+= 1
    let target = i
    i = ByteScan.endOfTarget(p, i, lineEnd)
    guard i < lineEnd else { return i &- start > limit ? .refused(.targetTooLong) : .incomplete }
    guard p[i] == Octet.space, i > target else {
      return .refused(p[i] == Octet.lineFeed ? .bareLineFeed : .malformedRequestLine)
    }
    head.targetStart = target
    head.targetLength = i &- target
    i &+= 1
    guard i &+ 8 &- start <= limit else { return .refused(.targetTooLong) }
    if end &- i >= 10 {
      let version = ByteScan.word(p + i)
      if version | 0x0100_0000_0000_0000 == Version.http11, p[i &+ 8] == Octet.carriageReturn,
        p[i &+ 9] == Octet.lineFeed
      {
        head.minorVersion = version == Version.http11 ? 1 : 0
        i &+= 10
        return .complete
      }
    }
    return Version.refusal(p, i, end, malformed: .malformedRequestLine, terminator: Octet.carriageReturn)
  }

  /// Reads `version SP status [SP reason] CRLF` from `i` to past its end.
  @inline(__always)
  static func readStatusLine(_ p: Bytes, _ i: inout Int, _ end: Int, _ head: inout ResponseHead) -> ParseOutcome {
    guard end &- i >= 9, ByteScan.word(p + i) | 0x0100_0000_0000_0000 == Version.http11, p[i &+ 8] == Octet.space
    else {
      return Version.refusal(p, i, end, malformed: .malformedStatusLine, terminator: Octet.space)
    }
    head.minorVersion = p[i &+ 7] &- Octet.zero
    i &+= 9
    var digits = 0
    while digits < 3 {
      guard i < end else { return .incomplete }
      // 1 to 5, then any digit twice: 100 to 599.
      let digit = p[i] &- Octet.zero
      guard digits == 0 ? digit &- 1 < 5 : digit <= 9 else { return .refused(.malformedStatusLine) }
      head.status = head.status &* 10 &+ Int(digit)
      digits &+= 1
      i &+= 1
    }
    guard i < end else { return .incomplete }
    if p[i] == Octet.space {
      i &+= 1
      head.reasonStart = i
      i = ByteScan.endOfValueRun(p, i, end)
      while i < end, p[i] == Octet.tab { i = ByteScan.endOfValueRun(p, i &+ 1, end) }
      head.reasonLength = i &- head.reasonStart
      guard i < end else { return .incomplete }
    } else {
      head.reasonStart = i
    }
    guard p[i] == Octet.carriageReturn else {
      return .refused(p[i] == Octet.lineFeed ? .bareLineFeed : .malformedStatusLine)
    }
    guard i &+ 1 < end else { return .incomplete }
    guard p[i &+ 1] == Octet.lineFeed else { return .refused(.bareCarriageReturn) }
    i &+= 2
    return .complete
  }
}

/// `HTTP/1.0` and `HTTP/1.1`, and what to say about anything else.
enum Version {
  /// `HTTP/1.1` as eight bytes, the first in the lowest place.
  static let http11: UInt64 = 0x312e_312f_5054_5448

  /// Why the bytes at `i` are not a whole, supported version followed by the byte that must follow it (and, when
  /// that is CR, by LF); byte by byte, so that a prefix of a good version is `incomplete`.
  @inline(never)
  static func refusal(
    _ p: Bytes, _ i: Int, _ end: Int, malformed: WireFault, terminator: UInt8
  ) -> ParseOutcome {
    let name: StaticString = "HTTP/"
    var k = 0
    while k < 10 {
      guard i &+ k < end else { return .incomplete }
      let byte = p[i &+ k]
      switch k {
      case 0..<5:
        guard byte == name.utf8Start[k] else { return .refused(malformed) }
      case 6:
        guard byte == Octet.dot else { return .refused(malformed) }
      case 5:
        guard Octet.isDigit(byte) else { return .refused(malformed) }
      case 7:
        guard Octet.isDigit(byte) else { return .refused(malformed) }
        guard p[i &+ 5] == 0x31, byte <= 0x31 else { return .refused(.unsupportedVersion) }
      case 8:
        guard byte == terminator else { return .refused(byte == Octet.lineFeed ? .bareLineFeed : malformed) }
        if byte != Octet.carriageReturn { return .incomplete }
      default:
        return byte == Octet.lineFeed ? .incomplete : .refused(.bareCarriageReturn)
      }
      k &+= 1
    }
    return .incomplete
  }
}
