/// What each known field contributes to the digest, and what it may not say (RFC 9112, sections 3.2, 6 and 9).
extension FieldDigest {
  /// Takes in one known field line, whose value is the `length` bytes at `value`.
  @inline(__always)
  mutating func take(
    _ id: FieldID, index: Int, _ value: Bytes, _ length: Int, ofRequest: Bool, minorVersion: UInt8
  ) -> WireFault? {
    switch id {
    case .host:
      guard ofRequest else { return nil }
      guard hostCount == 0 else { return .repeatedHost }
      hostCount = 1
      hostIndex = index
      return HostSyntax.isValidHostField(value, length) ? nil : .malformedHost
    case .contentLength:
      return takeContentLength(value, length, ofRequest: ofRequest)
    case .transferEncoding:
      return takeTransferEncoding(value, length, ofRequest: ofRequest, minorVersion: minorVersion)
    case .connection:
      takeConnection(value, length)
    case .proxyConnection:
      if ofRequest { takeProxyConnection(value, length) }
    case .upgrade: hasUpgrade = true
    case .te:
      if ofRequest { takeTE(value, length) }
    case .via: hasVia = true
    case .trailer: hasTrailer = true
    case .date: hasDate = true
    case .expect:
      if expectIndex < 0 { expectIndex = index }
      if equalIgnoringCase(value, length, "100-continue") {
        expectsContinue = true
      } else {
        hasOtherExpectation = true
      }
    case .authorization:
      if ofRequest, FieldDigest.isOfConnection(value, length) { authenticatesConnection = true }
    case .maxForwards:
      if maxForwardsIndex < 0 { maxForwardsIndex = index }
    default: break
    }
    return nil
  }

  /// Whether credentials are of a scheme that proves once who is at the other end of a connection, and leaves the field
  /// out afterwards: NTLM, and Negotiate where it carries that (RFC 4559, section 6).
  @inline(never)
  private static func isOfConnection(_ value: Bytes, _ length: Int) -> Bool {
    var end = 0
    while end < length, !Octet.isWhitespace(value[end]) { end &+= 1 }
    return equalIgnoringCase(value, end, "ntlm") || equalIgnoringCase(value, end, "negotiate")
  }

  @inline(__always)
  private mutating func takeConnection(_ value: Bytes, _ length: Int) {
    if equalIgnoringCase(value, length, "keep-alive") {
      connectionKeepAlive = true
    } else if equalIgnoringCase(value, length, "close") {
      connectionClose = true
    } else {
      takeConnectionList(value, length)
    }
  }

  /// `Connection` as a list: options that mean something here, and names of other fields.
  @inline(never)
  private mutating func takeConnectionList(_ value: Bytes, _ length: Int) {
    var members = ListMembers(value, 0, length)
    while let member = members.nextMember() {
      let name = value + member.start
      if equalIgnoringCase(name, member.length, "close") {
        connectionClose = true
      } else if equalIgnoringCase(name, member.length, "keep-alive") {
        connectionKeepAlive = true
      } else if equalIgnoringCase(name, member.length, "upgrade") {
        connectionUpgrade = true
      } else {
        connectionNominates = true
      }
    }
  }

  /// `TE`: only `trailers` means something here, and only as a whole member; weights belong to codings.
  @inline(never)
  private mutating func takeTE(_ value: Bytes, _ length: Int) {
    var members = ListMembers(value, 0, length)
    while let member = members.nextMember() {
      if equalIgnoringCase(value + member.start, member.length, "trailers") { acceptsTrailers = true }
    }
  }

  /// The old `Proxy-Connection`: only its persistence counts.
  @inline(never)
  private mutating func takeProxyConnection(_ value: Bytes, _ length: Int) {
    var members = ListMembers(value, 0, length)
    while let member = members.nextMember() {
      if equalIgnoringCase(value + member.start, member.length, "close") { connectionClose = true }
      if equalIgnoringCase(value + member.start, member.length, "keep-alive") { connectionKeepAlive = true }
    }
  }

  /// `Content-Length`: one number in a request; in a response equal numbers in lines or lists collapse
  /// (RFC 9112, section 6.3, point 5).
  private mutating func takeContentLength(_ value: Bytes, _ length: Int, ofRequest: Bool) -> WireFault? {
    if isChunked || hasOtherCoding { return .transferCodingAndContentLength }
    if ofRequest {
      guard contentLength < 0 else { return .conflictingContentLength }
      contentLength = FieldDigest.number(value, 0, length)
      return contentLength < 0 ? .malformedContentLength : nil
    }
    var start = 0
    while start <= length {
      var end = start
      while end < length, value[end] != Octet.comma { end &+= 1 }
      var first = start
      var last = end
      while first < last, Octet.isWhitespace(value[first]) { first &+= 1 }
      while last > first, Octet.isWhitespace(value[last &- 1]) { last &-= 1 }
      let number = FieldDigest.number(value, first, last)
      guard number >= 0 else { return .malformedContentLength }
      guard contentLength < 0 || contentLength == number else { return .conflictingContentLength }
      contentLength = number
      start = end &+ 1
    }
    return nil
  }

  /// The number that the digits from `start` to `end` spell; -1 when there are none, when one is no digit, or when it
  /// is above `Int64.max`.
  private static func number(_ p: Bytes, _ start: Int, _ end: Int) -> Int64 {
    guard start < end else { return -1 }
    var number: Int64 = 0
    var i = start
    while i < end {
      guard Octet.isDigit(p[i]) else { return -1 }
      let (shifted, tooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, tooLargeToo) = shifted.addingReportingOverflow(Int64(p[i] &- Octet.zero))
      guard !tooLarge, !tooLargeToo else { return -1 }
      number = sum
      i &+= 1
    }
    return number
  }

  /// `Transfer-Encoding`: exactly `chunked`. In a response another coding that is the last leaves the end of the
  /// connection as the end of the body (RFC 9112, sections 6.1 and 6.3).
  private mutating func takeTransferEncoding(
    _ value: Bytes, _ length: Int, ofRequest: Bool, minorVersion: UInt8
  ) -> WireFault? {
    guard minorVersion == 1 else { return .transferCodingInHTTP10 }
    guard contentLength < 0 else { return .transferCodingAndContentLength }
    guard !isChunked, !hasOtherCoding else { return .malformedTransferCoding }
    if equalIgnoringCase(value, length, "chunked") {
      isChunked = true
      return nil
    }
    return takeOtherCoding(value, length, ofRequest: ofRequest)
  }

  /// Codings other than exactly `chunked`.
  @inline(never)
  private mutating func takeOtherCoding(_ value: Bytes, _ length: Int, ofRequest: Bool) -> WireFault? {
    // An empty member is refused too: `chunked,` is read differently by different servers.
    var start = 0
    var chunkedMembers = 0
    var endsWithChunked = false
    while start <= length {
      var end = start
      while end < length, value[end] != Octet.comma { end &+= 1 }
      var first = start
      var last = end
      while first < last, Octet.isWhitespace(value[first]) { first &+= 1 }
      while last > first, Octet.isWhitespace(value[last &- 1]) { last &-= 1 }
      guard first < last else { return .malformedTransferCoding }
      var nameEnd = first
      while nameEnd < last, ByteClass.has(ByteClass.token, value[nameEnd]) { nameEnd &+= 1 }
      var next = nameEnd
      while next < last, Octet.isWhitespace(value[next]) { next &+= 1 }
      guard nameEnd > first, next == last || value[next] == Octet.semicolon else { return .malformedTransferCoding }
      endsWithChunked = equalIgnoringCase(value + first, nameEnd &- first, "chunked")
      if endsWithChunked {
        guard next == last else { return .malformedTransferCoding }
        chunkedMembers &+= 1
      }
      start = end &+ 1
    }
    if endsWithChunked, chunkedMembers == 1 { return .unsupportedTransferCoding }
    guard !ofRequest, chunkedMembers == 0 else { return .malformedTransferCoding }
    hasOtherCoding = true
    return nil
  }
}
