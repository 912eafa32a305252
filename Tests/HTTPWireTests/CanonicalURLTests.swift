import HTTPWire
import Testing

@Suite struct CanonicalURLTests {
  @Test func tellsWhereThePartsLie() throws {
    let parsed = try parseTarget("HTTPS://API.Example.com:08443/A/ü?q=/")
    #expect(parsed.url.isSecure && parsed.url.port == 8443)
    #expect(parsed.host == "api.example.com")
    #expect(parsed.origin == "https://api.example.com:8443")
    #expect(parsed.path == "/A/%C3%BC")
    #expect(parsed.rawAuthority == "API.Example.com:08443")
    #expect(parsed.rawPath == "/A/ü?q=/")
    let literal = try parseTarget("http://[::A]?x")
    #expect(literal.url.hostIsIPv6Literal && !parsed.url.hostIsIPv6Literal)
    #expect(literal.host == "[::a]" && literal.url.port == 80 && !literal.url.isSecure)
    #expect(literal.path == "/" && literal.rawPath == "?x" && literal.rawAuthority == "[::A]")
    let empty = try parseTarget("http://h")
    #expect(empty.rawPath.isEmpty && empty.path == "/")
  }
}
