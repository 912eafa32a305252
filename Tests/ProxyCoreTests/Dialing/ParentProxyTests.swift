import Effects
import ProxyCore
import Testing

@Suite struct ParentProxyTests {
  @Test(arguments: [
    ("me:secret", "Basic bWU6c2VjcmV0"), ("a:", "Basic YTo="), ("ab:c", "Basic YWI6Yw=="), ("ab:cd", "Basic YWI6Y2Q="),
    ("é:ü", "Basic w6k6w7w="), (":", "Basic Og=="), ("a:b:c", "Basic YTpiOmM="),
  ])
  func writesCredentialsAsRFC7617Says(text: String, value: String) {
    #expect(BasicCredentials(userAndPassword: text.utf8)?.value == value)
  }

  @Test(arguments: ["", "no colon", "a:b\r\nX: y", "a:b\n", "a\t:b", "a:\u{7f}"])
  func refusesWhatIsNoUserAndPassword(text: String) {
    #expect(BasicCredentials(userAndPassword: text.utf8) == nil)
  }

  @Test func doesNotTellTheCredentials() throws {
    let credentials = try #require(BasicCredentials(userAndPassword: "me:secret".utf8))
    #expect("\(credentials)" == "credentials")
  }

  @Test(arguments: [
    ("localhost", true), ("localhost.", true), ("a.localhost", false), ("db.internal.example", true),
    ("x.db.internal.example", true), ("internal.example", false), ("xinternal.example", false),
    ("db.internal.example.", true), ("10.1.2.3", true), ("11.1.2.3", false), ("::1", true), ("::2", false),
    ("::ffff:10.0.0.9", true),
  ])
  func bypassesNamesSuffixesAndNetworks(host: String, isBypassed: Bool) throws {
    let bypass = ParentBypass([
      .name("localhost"), .suffix(".internal.example"),
      .network(try #require(IPNetwork(IPAddress(v4: 0x0a00_0000), prefixLength: 8))),
      .network(IPNetwork(IPAddress(high: 0, low: 1))),
    ])
    let literals = [
      "10.1.2.3": IPAddress(v4: 0x0a01_0203), "11.1.2.3": IPAddress(v4: 0x0b01_0203),
      "::1": IPAddress(high: 0, low: 1), "::2": IPAddress(high: 0, low: 2),
      "::ffff:10.0.0.9": IPAddress(high: 0, low: 0xffff_0a00_0009),
    ]
    #expect(bypass.contains(host, literal: literals[host]) == isBypassed)
  }

  @Test func bypassesNothingByDefault() {
    #expect(!ParentBypass().contains("localhost", literal: nil))
    #expect(!ParentBypass().contains("127.0.0.1", literal: IPAddress(v4: 0x7f00_0001)))
  }

  @Test func hasAKeyOfItsOwn() {
    let keys = [("a", 1), ("a", 2), ("b", 1)].map { ParentProxy(host: $0.0, port: $0.1).key }
    #expect(Set(keys).count == 3)
    #expect(keys.allSatisfy { !$0.starts(with: "http".utf8) })
  }
}
