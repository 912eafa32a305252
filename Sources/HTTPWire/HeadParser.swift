/// Reads message heads strictly (RFC 9112, sections 2 to 6).
///
/// One per event loop: it owns the table of field lines, so that a parse allocates nothing. It keeps no state
/// between calls: the caller hands the bytes of a head again, with more behind them, until it is not `incomplete`.
/// Every refusal is decided at the first byte that shows it, left to right, so the outcome does not depend on how
/// the bytes arrived.
package final class HeadParser {
  package let limits: HeadLimits
  /// The field lines of the last complete head: valid for `0..<head.fields.count` until the next parse.
  package let lines: UnsafeMutablePointer<FieldLine>

  /// A parser with its own table of `limits.fields` field lines.
  package init(limits: HeadLimits = HeadLimits()) {
    self.limits = limits
    lines = .allocate(capacity: limits.fields)
    lines.initialize(repeating: FieldLine(), count: limits.fields)
  }

  deinit {
    lines.deallocate()
  }

  /// Reads a request head from the first of `count` bytes.
  ///
  /// Only after `complete` do `head` and `lines` mean anything.
  package func parseRequest(_ bytes: Bytes, _ count: Int, into head: inout RequestHead) -> ParseOutcome {
    head = RequestHead()
    let end = min(count, limits.head)
    let outcome = readRequest(bytes, end, &head)
    return outcome == .incomplete && count > limits.head ? .refused(.headTooLarge) : outcome
  }

  /// Reads a response head from the first of `count` bytes; the same rules.
  package func parseResponse(_ bytes: Bytes, _ count: Int, into head: inout ResponseHead) -> ParseOutcome {
    head = ResponseHead()
    let end = min(count, limits.head)
    let outcome = readResponse(bytes, end, &head)
    return outcome == .incomplete && count > limits.head ? .refused(.headTooLarge) : outcome
  }

  @inline(__always)
  private func readRequest(_ p: Bytes, _ end: Int, _ head: inout RequestHead) -> ParseOutcome {
    var i = 0
    if end > 0, p[0] == Octet.carriageReturn {
      switch StartLine.skipEmptyLines(p, end, &i) {
      case .complete: head.start = i
      case let other: return other
      }
    }
    let line = StartLine.readRequestLine(p, &i, end, limit: limits.requestLine, &head)
    guard line == .complete else { return line }
    let fields = readFields(p, &i, end, ofRequest: true, minorVersion: head.minorVersion, &head.fields)
    guard fields == .complete else { return fields }
    if head.fields.hostCount == 0, head.minorVersion == 1 { return .refused(.missingHost) }
    head.length = i
    return .complete
  }

  @inline(__always)
  private func readResponse(_ p: Bytes, _ end: Int, _ head: inout ResponseHead) -> ParseOutcome {
    var i = 0
    let line = StartLine.readStatusLine(p, &i, end, &head)
    guard line == .complete else { return line }
    let fields = readFields(p, &i, end, ofRequest: false, minorVersion: head.minorVersion, &head.fields)
    guard fields == .complete else { return fields }
    head.length = i
    return .complete
  }

  /// Reads field lines from `position` to past the empty line that ends them.
  @inline(__always)
  private func readFields(
    _ p: Bytes, _ position: inout Int, _ end: Int, ofRequest: Bool, minorVersion: UInt8, _ fields: inout FieldDigest
  ) -> ParseOutcome {
    let lines = lines
    let mostLines = limits.fields
    var i = position
    var count = 0
    while true {
      guard i < end else { return .incomplete }
      let nameStart = i
      i = ByteScan.endOfToken(p, i, end)
      let nameLength = i &- nameStart
      if nameLength == 0 {
        guard p[i] == Octet.carriageReturn else {
          return .refused(FieldFault.atLineStart(p[i], isFirst: count == 0))
        }
        guard i &+ 1 < end else { return .incomplete }
        guard p[i &+ 1] == Octet.lineFeed else { return .refused(.bareCarriageReturn) }
        position = i &+ 2
        fields.count = count
        return .complete
      }
      guard count < mostLines else { return .refused(.tooManyFields) }
      guard i < end else { return .incomplete }
      if p[i] != Octet.colon {
        guard !ofRequest, Octet.isWhitespace(p[i]) else { return .refused(FieldFault.inName(p[i])) }
        // In a response it is to be removed, not refused (RFC 9112, section 5.1).
        while i < end, Octet.isWhitespace(p[i]) { i &+= 1 }
        guard i < end else { return .incomplete }
        guard p[i] == Octet.colon else { return .refused(.whitespaceBeforeColon) }
        fields.hasSpacedName = true
      }
      i &+= 1
      while i < end, Octet.isWhitespace(p[i]) { i &+= 1 }
      let valueStart = i
      i = ByteScan.endOfValueRun(p, i, end)
      while i < end, p[i] == Octet.tab { i = ByteScan.endOfValueRun(p, i &+ 1, end) }
      guard i < end else { return .incomplete }
      guard p[i] == Octet.carriageReturn else { return .refused(FieldFault.inValue(p[i])) }
      guard i &+ 1 < end else { return .incomplete }
      guard p[i &+ 1] == Octet.lineFeed else { return .refused(.bareCarriageReturn) }
      var valueEnd = i
      while valueEnd > valueStart, Octet.isWhitespace(p[valueEnd &- 1]) { valueEnd &-= 1 }
      i &+= 2

      let id = FieldID.named(p + nameStart, nameLength)
      let valueLength = valueEnd &- valueStart
      let line = lines + count
      // Offsets are below `limits.head`, which fits.
      line.pointee.nameStart = UInt32(truncatingIfNeeded: nameStart)
      line.pointee.nameLength = UInt32(truncatingIfNeeded: nameLength)
      line.pointee.valueStart = UInt32(truncatingIfNeeded: valueStart)
      line.pointee.valueLength = UInt32(truncatingIfNeeded: valueLength)
      line.pointee.id = id
      if id != .other {
        let fault = fields.take(
          id, index: count, p + valueStart, valueLength, ofRequest: ofRequest, minorVersion: minorVersion)
        if let fault { return .refused(fault) }
      }
      count &+= 1
    }
  }
}

/// Which rule of the field grammar a byte breaks (RFC 9112, section 5).
enum FieldFault {
  /// At a byte that begins no field name and is not the CR of the empty line.
  static func atLineStart(_ byte: UInt8, isFirst: Bool) -> WireFault {
    switch byte {
    case Octet.space, Octet.tab: isFirst ? .whitespaceBeforeFirstField : .foldedLine
    case Octet.lineFeed: .bareLineFeed
    default: .malformedFieldName
    }
  }

  /// At a byte after a field name that is not the colon.
  static func inName(_ byte: UInt8) -> WireFault {
    switch byte {
    case Octet.space, Octet.tab: .whitespaceBeforeColon
    case Octet.lineFeed: .bareLineFeed
    default: .malformedFieldName
    }
  }

  /// At a byte that cannot stand in a value and is not the CR of its end.
  static func inValue(_ byte: UInt8) -> WireFault {
    byte == Octet.lineFeed ? .bareLineFeed : .forbiddenByteInValue
  }
}
