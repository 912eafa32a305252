import TestKit
import Testing

@testable import HTTPWire

@Suite struct HostSyntaxTests {
  @Test func acceptsTheLongestLabelAndName() throws {
    let label = String(repeating: "a", count: 63)
    #expect(try parseTarget("http://\(label)/").fault == nil)
    let name = Array(repeating: label, count: 4).joined(separator: ".")
    #expect(name.utf8.count == 255)
    #expect(try parseTarget("http://\(name)/").fault == nil)
    #expect(try parseTarget("http://\(name)./").fault == .malformedHost)
  }

  static let hosts: [(text: String, end: Int, isIPv6Literal: Bool)] = [
    ("h", 1, false), ("h:80", 1, false), ("h/", 1, false), ("h.i", 3, false), ("h.", 2, false), ("h.:80", 2, false),
    ("h%", 1, false), ("[::1]", 5, true), ("[::1]:80", 5, true), ("[A::b:1.2.3.4]x", 14, true), ("_", 1, false),
    ("", -1, false), (".", -1, false), ("..", -1, false), (".h", -1, false), ("h..i", -1, false), ("h..", -1, false),
    (":80", -1, false), ("/", -1, false), ("[", -1, true), ("[]", -1, true), ("[:]", -1, true), ("[::", -1, true),
    ("[::g]", -1, true), ("[1:2:3]", -1, true), ("[::1.2.3]", -1, true), ("[::%1]", -1, true),
  ]

  @Test(arguments: hosts) func findsTheEndOfAHost(text: String, end: Int, isIPv6Literal: Bool) throws {
    try GuardedBytes.with(Array(text.utf8)) { guarded in
      var isLiteral = false
      #expect(HostSyntax.endOfHost(guarded.start, guarded.count, isIPv6Literal: &isLiteral) == end)
      #expect(isLiteral == isIPv6Literal)
    }
  }

  static let ports: [(String, Int)] = [
    ("", 0), ("1", 1), ("80", 80), ("65535", 65535), ("00080", 80), ("0", -1), ("0000", -1), ("65536", -1),
    ("18446744073709551697", -1), ("8a", -1), (" 80", -1), ("-80", -1),
  ]

  @Test(arguments: ports) func readsPortsAsNumbers(text: String, port: Int) throws {
    try GuardedBytes.with(Array(text.utf8)) { #expect(HostSyntax.port($0.start, 0, $0.count) == port) }
  }
}
