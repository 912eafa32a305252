import HTTPWire
import TestKit
import Testing

/// The target of a CONNECT: host and port, nothing else (RFC 9110, section 9.3.6).
@Suite struct AuthorityTests {
  private func parse(_ target: String) throws -> (fault: TargetFault?, subject: String, authority: Authority) {
    try GuardedBytes.with(Array(target.utf8)) { guarded in
      var subject = OutputBuffer(capacity: TargetParser.subjectCapacity(guarded.count))
      defer { subject.deallocate() }
      var authority = Authority()
      let fault = TargetParser.parseAuthority(guarded.start, guarded.count, subject: &subject, into: &authority)
      return (fault, fault == nil ? text(subject.base, 0, subject.count) : "", authority)
    }
  }

  static let valid: [(target: String, subject: String, host: String, port: UInt16, isIPv6Literal: Bool)] = [
    ("h:443", "h:443", "h", 443, false),
    ("API.Example.com:0443", "api.example.com:443", "api.example.com", 443, false),
    ("127.0.0.1:1", "127.0.0.1:1", "127.0.0.1", 1, false),
    ("[::1]:65535", "[::1]:65535", "[::1]", 65535, true),
    ("[2001:DB8::A]:80", "[2001:db8::a]:80", "[2001:db8::a]", 80, true),
    ("h.:22", "h.:22", "h.", 22, false),
  ]

  @Test(arguments: valid)
  func readsHostAndPort(target: String, subject: String, host: String, port: UInt16, isIPv6Literal: Bool) throws {
    let parsed = try parse(target)
    #expect(parsed.fault == nil)
    #expect(parsed.subject == subject)
    #expect(parsed.authority.port == port && parsed.authority.isIPv6Literal == isIPv6Literal)
    #expect(String(parsed.subject.prefix(parsed.authority.hostLength)) == host && parsed.authority.hostStart == 0)
  }

  static let faults: [(String, TargetFault)] = [
    ("h", .malformedPort), ("h:", .malformedPort), ("h:0", .malformedPort), ("h:65536", .malformedPort),
    ("h:x", .malformedPort), ("h:-1", .malformedPort), ("h:443/", .malformedPort), ("h:443?", .malformedPort),
    ("h:443:443", .malformedPort), ("[::1]", .malformedPort), ("[::1]:", .malformedPort), ("h:44 3", .forbiddenByte),
    ("h:443\u{0}", .forbiddenByte), ("u@h:443", .userinfo), ("u:p@h:443", .userinfo), ("h:443@evil:443", .userinfo),
    ("", .malformedHost), (":443", .malformedHost), ("http://h:443", .malformedPort), ("/", .malformedHost),
    ("h/:443", .malformedHost), ("h..i:443", .malformedHost), ("%68:443", .malformedHost), ("ü:443", .malformedHost),
    ("::1:443", .malformedHost), ("[::1%25lo]:443", .malformedHost), ("[::1]x:443", .malformedHost),
    ("*:443", .malformedHost),
  ]

  @Test(arguments: faults) func refusesAnythingElse(target: String, fault: TargetFault) throws {
    #expect(try parse(target).fault == fault)
  }
}
