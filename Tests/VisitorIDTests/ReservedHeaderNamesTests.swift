import Testing

@testable import VisitorID

@Suite struct ReservedHeaderNamesTests {
  @Test func areThoseOfTheContract() throws {
    let file = try ReservedHeaderFile.read()
    #expect(Dictionary(uniqueKeysWithValues: ReservedHeaderNames.exact.map { ($0.category, $0.names) }) == file.exact)
    #expect(
      Dictionary(uniqueKeysWithValues: ReservedHeaderNames.prefixes.map { ($0.category, $0.names) }) == file.prefixes)
    #expect(ReservedHeaderNames.parts == file.contains)
    #expect(file.exact.values.reduce(0) { $0 + $1.count } == 248)
    #expect(file.prefixes.values.reduce(0) { $0 + $1.count } == 54)
    #expect(file.contains.count == 23)
  }

  @Test func refuseEachOfTheirNames() {
    for (_, names) in ReservedHeaderNames.exact {
      for name in names { #expect(HeaderNameFault.check(name) != nil, "\(name)") }
    }
    for (_, prefixes) in ReservedHeaderNames.prefixes {
      for prefix in prefixes { #expect(HeaderNameFault.check(prefix + "z") != nil, "\(prefix)") }
    }
    for part in ReservedHeaderNames.parts { #expect(HeaderNameFault.check("x-\(part)-z") != nil, "\(part)") }
  }
}
