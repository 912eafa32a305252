/// Reads request targets and URL texts into their canonical form, over bytes and without repair.
///
/// The same reading serves matching, connecting and forwarding, so that they cannot disagree.
package enum TargetParser {
  /// The room a subject needs for `count` bytes of input: each may become three.
  package static func subjectCapacity(_ count: Int) -> Int { count &* 3 &+ 16 }

  /// Reads an absolute-form target, or the text of a URL.
  ///
  /// `subject` is reset and receives the canonical text; it needs `subjectCapacity(count)` bytes of room, and a text
  /// without it is `malformed`. Only when nil is returned do `subject` and `url` mean anything.
  package static func parseAbsolute(
    _ p: Bytes, _ count: Int, fragment: FragmentPolicy, subject: inout OutputBuffer, into url: inout CanonicalURL
  ) -> TargetFault? {
    let fault = read(p, count, fragment, &subject, &url)
    // A forbidden byte outranks every other fault, wherever it stands.
    if fault != nil, ByteScan.endOfTarget(p, 0, count) < count { return .forbiddenByte }
    return fault
  }

  /// Reads the authority-form target of a CONNECT: host and port, both required (RFC 9112, section 3.2.3).
  ///
  /// The subject becomes `host:port`, the host in lower case; it needs `subjectCapacity(count)` bytes of room.
  package static func parseAuthority(
    _ p: Bytes, _ count: Int, subject: inout OutputBuffer, into authority: inout Authority
  ) -> TargetFault? {
    subject.reset()
    authority = Authority()
    guard subjectCapacity(count) <= subject.capacity else { return .malformed }
    guard ByteScan.endOfTarget(p, 0, count) == count else { return .forbiddenByte }
    guard !contains(p, count, Octet.at) else { return .userinfo }
    let end = HostSyntax.endOfHost(p, count, isIPv6Literal: &authority.isIPv6Literal)
    guard end > 0 else { return .malformedHost }
    guard end < count else { return .malformedPort }
    guard p[end] == Octet.colon else { return .malformedHost }
    let port = HostSyntax.port(p, end &+ 1, count)
    guard port > 0 else { return .malformedPort }
    authority.hostLength = end
    authority.port = UInt16(truncatingIfNeeded: port)
    appendLowercased(p, end, &subject)
    subject.append(Octet.colon)
    subject.append(decimal: Int64(port))
    return nil
  }

  @inline(__always)
  private static func read(
    _ p: Bytes, _ count: Int, _ fragment: FragmentPolicy, _ subject: inout OutputBuffer, _ url: inout CanonicalURL
  ) -> TargetFault? {
    subject.reset()
    url = CanonicalURL()
    guard subjectCapacity(count) <= subject.capacity else { return .malformed }

    // scheme "://"
    var i: Int
    if count >= 7, equalIgnoringCase(p, 4, "http"), p[4] == Octet.colon {
      i = 5
      subject.append("http://")
    } else if count >= 8, equalIgnoringCase(p, 5, "https"), p[5] == Octet.colon {
      i = 6
      url.isSecure = true
      subject.append("https://")
    } else {
      return schemeFault(p, count)
    }
    guard p[i] == Octet.slash, p[i &+ 1] == Octet.slash else { return .malformed }
    i &+= 2

    // host [":" port], up to the first of "/", "?" and "#"
    url.rawAuthorityStart = i
    url.hostStart = i
    let host = p + i
    let rest = count &- i
    let hostEnd = HostSyntax.endOfHost(host, rest, isIPv6Literal: &url.hostIsIPv6Literal)
    guard hostEnd > 0 else { return authorityFault(host, rest, .malformedHost) }
    url.hostLength = hostEnd
    appendLowercased(host, hostEnd, &subject)
    var authorityEnd = hostEnd
    var port = 0
    if hostEnd < rest, host[hostEnd] == Octet.colon {
      authorityEnd &+= 1
      while authorityEnd < rest, Octet.isDigit(host[authorityEnd]) { authorityEnd &+= 1 }
      port = HostSyntax.port(host, hostEnd &+ 1, authorityEnd)
      url.hasOddPort = authorityEnd == hostEnd &+ 1 || host[hostEnd &+ 1] == Octet.zero
    }
    if authorityEnd < rest {
      switch host[authorityEnd] {
      case Octet.slash, Octet.questionMark, Octet.numberSign: break
      default: return authorityFault(host, rest, authorityEnd == hostEnd ? .malformedHost : .malformedPort)
      }
    }
    guard port >= 0 else { return .malformedPort }
    let standard = url.isSecure ? 443 : 80
    if port == 0 { port = standard }
    url.port = UInt16(truncatingIfNeeded: port)
    if port != standard {
      subject.append(Octet.colon)
      subject.append(decimal: Int64(port))
    }
    url.rawAuthorityLength = authorityEnd
    url.originLength = subject.count

    // path ["?" query] ["#" fragment]
    i &+= authorityEnd
    url.rawPathStart = i
    if i == count || p[i] != Octet.slash { subject.append(Octet.slash) }
    let fault = PathReader.read(p, &i, count, fragment, &subject, &url)
    url.rawPathLength = i &- url.rawPathStart
    url.length = subject.count
    return fault
  }

  /// Why a text does not begin with `http:` or `https:` and enough behind it.
  private static func schemeFault(_ p: Bytes, _ count: Int) -> TargetFault {
    var i = 0
    while i < count, p[i] != Octet.colon {
      let isLetter = (p[i] | 0x20) &- 0x61 < 26
      let isOther = Octet.isDigit(p[i]) || p[i] == 0x2b || p[i] == 0x2d || p[i] == Octet.dot
      guard isLetter || i > 0 && isOther else { return .malformed }
      i &+= 1
    }
    guard i > 0, i &+ 2 < count, p[i &+ 1] == Octet.slash, p[i &+ 2] == Octet.slash else { return .malformed }
    return equalIgnoringCase(p, i, "http") || equalIgnoringCase(p, i, "https") ? .malformedHost : .notHTTP
  }

  /// `userinfo` when the authority that begins at `p` has an `@`; otherwise the fault given.
  private static func authorityFault(_ p: Bytes, _ count: Int, _ fault: TargetFault) -> TargetFault {
    var i = 0
    while i < count {
      switch p[i] {
      case Octet.slash, Octet.questionMark, Octet.numberSign: return fault
      case Octet.at: return .userinfo
      default: i &+= 1
      }
    }
    return fault
  }

  private static func contains(_ p: Bytes, _ count: Int, _ byte: UInt8) -> Bool {
    var i = 0
    while i < count {
      if p[i] == byte { return true }
      i &+= 1
    }
    return false
  }

  /// Appends a host with its capitals made small; the caller has checked the room.
  @inline(__always)
  private static func appendLowercased(_ p: Bytes, _ count: Int, _ subject: inout OutputBuffer) {
    let out = subject.base + subject.count
    var i = 0
    while i < count {
      out[i] = Octet.lowercased(p[i])
      i &+= 1
    }
    subject.count &+= count
  }
}
