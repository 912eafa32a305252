import Foundation
import TestKit
import Testing

@testable import HTTPWire

@Suite struct IPv6SyntaxTests {
  private func isAddress(_ text: String) throws -> Bool {
    try GuardedBytes.with(Array(text.utf8)) { IPv6Syntax.isAddress($0.start, 0, $0.count) }
  }

  @Test(arguments: [
    "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "fe80::1", "2001:DB8::abcd",
    "::ffff:1.2.3.4", "1:2:3:4:5:6:255.0.10.1", "1::4:5:6:1.2.3.4", "0000:0000:0000:0000:0000:0000:0000:0001",
  ])
  func knowsAddresses(text: String) throws { #expect(try isAddress(text)) }

  @Test(arguments: [
    "", ":", ":::", "1", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
    "1::2::3", ":1::", "1:2:3:4:5:6:7:", "::1:", "12345::", "g::", "::1.2.3", "::1.2.3.4.5", "::1.2.3.256",
    "::01.2.3.4",
    "::1.2.3.4:5", "1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "::1..2.3", "::.1.2.3", "::1.2.3.", "::0x1", "1:::2",
    "::1234.1.1.1",
  ])
  func refusesOthers(text: String) throws { #expect(try !isAddress(text)) }

  /// The C library is the reader that dials.
  @Test func agreesWithTheSystem() throws {
    var random = SeededGenerator(seed: 6)
    let pieces = [":", "::", "1", "ab", "FFFF", "0", "1.2.3.4", "255", ".", "00000", "g", "10.0.0"]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 1...12, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined()
      var address = in6_addr()
      #expect(try isAddress(text) == (inet_pton(AF_INET6, text, &address) == 1), "\(text)")
    }
  }
}
