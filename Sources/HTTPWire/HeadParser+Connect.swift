extension HeadParser {
  /// Reads the head of an answer to CONNECT: as that of any response, but in a 2xx framing fields mean nothing, however
  /// wrong they are (RFC 9110, section 9.3.6).
  package func parseConnectResponse(_ bytes: Bytes, _ count: Int, into head: inout ResponseHead) -> ParseOutcome {
    let outcome = parseResponse(bytes, count, into: &head)
    guard case .refused(let fault) = outcome, fault.isOfFraming, head.status >= 200, head.status < 300 else {
      return outcome
    }
    var index = 0
    while index &+ 3 < min(count, limits.head) {
      if bytes[index] == Octet.carriageReturn, bytes[index &+ 1] == Octet.lineFeed,
        bytes[index &+ 2] == Octet.carriageReturn, bytes[index &+ 3] == Octet.lineFeed
      {
        head.length = index &+ 4
        return .complete
      }
      index &+= 1
    }
    return count < limits.head ? .incomplete : .refused(.headTooLarge)
  }
}

extension WireFault {
  /// Whether it is about where the body ends.
  fileprivate var isOfFraming: Bool {
    switch self {
    case .malformedContentLength, .conflictingContentLength, .malformedTransferCoding, .unsupportedTransferCoding,
      .transferCodingInHTTP10, .transferCodingAndContentLength:
      true
    default: false
    }
  }
}
