import Foundation
import Testing

@testable import VisitorID

/// The contract's file of reserved names.
struct ReservedHeaderFile: Decodable {
  struct Vector: Decodable, Sendable, CustomTestStringConvertible {
    var header: String
    var valid: Bool
    var why: String
    var testDescription: String { "\(header.debugDescription): \(why)" }
  }

  struct Grammar: Decodable {
    var policy: String
    var longest: Int
    private enum CodingKeys: String, CodingKey {
      case policy
      case longest = "max_length"
    }
  }

  var grammar: Grammar
  var exact: [String: [String]]
  var prefixes: [String: [String]]
  var contains: [String]
  var vectors: [Vector]

  static func read() throws -> ReservedHeaderFile {
    let file = Bundle.module.url(forResource: "reserved-headers", withExtension: "json", subdirectory: "Vectors")
    return try JSONDecoder().decode(ReservedHeaderFile.self, from: Data(contentsOf: try #require(file)))
  }

  static let vectors: [Vector] = (try? read().vectors) ?? []
}

@Suite struct HeaderNameFaultTests {
  @Test func knowsAllVectors() throws {
    #expect(ReservedHeaderFile.vectors.count == 70)
    #expect(ReservedHeaderFile.vectors.count { $0.valid } == 9)
  }

  @Test(arguments: ReservedHeaderFile.vectors)
  func agreesWithTheContract(_ vector: ReservedHeaderFile.Vector) {
    let fault = HeaderNameFault.check(vector.header)
    #expect((fault == nil) == vector.valid)
    #expect((fault?.description ?? "ok") == vector.why)
    if let fault { #expect(!fault.message.isEmpty) }
  }

  /// The policy also as the regular expression that the contract states.
  @Test func agreesWithThePolicyOfTheContract() throws {
    let file = try ReservedHeaderFile.read()
    #expect(file.grammar.longest == HeaderNameFault.longestName)
    let policy = try NSRegularExpression(pattern: file.grammar.policy)
    for name in ["a", "a-", "-a", "a_b", "a--b", "_", "9", "a.b", String(repeating: "z", count: 64)] {
      let range = NSRange(location: 0, length: name.utf16.count)
      #expect((HeaderNameFault.check(name) == nil) == (policy.firstMatch(in: name, range: range) != nil), "\(name)")
    }
  }

  @Test func warnsAboutUnderscores() {
    #expect(HeaderNameFault.lint("x_visitor_id") != nil)
    #expect(HeaderNameFault.lint("x-visitor-id") == nil)
  }
}
