import Effects
import ProxyConfiguration
import Testing

@Suite struct NetworkTextTests {
  private func load(_ text: String) -> LoadedConfiguration {
    let document = JSONWriter.text(["access": ["clients": [.string(text)]], "rules": []])
    return ConfigurationLoader.forTests.load(Array(document.utf8), file: "f")
  }

  @Test(
    arguments: [
      ("10.0.0.0/8", "10.0.0.0/8"), ("127.0.0.1", "127.0.0.1"), ("127.0.0.1/32", "127.0.0.1"),
      ("0.0.0.0/0", "0.0.0.0/0"),
      ("::1", "::1"), ("FD00::/8", "fd00::/8"), ("::/0", "::/0"), ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
      ("::ffff:127.0.0.1", "127.0.0.1"), ("2001:db8::/33", "2001:db8::/33"), ("1.2.3.4/31", nil), ("1.2.3.5/31", nil),
    ] as [(String, String?)])
  func readsAddressesAndPrefixes(_ text: String, _ expected: String?) {
    let found = load(text).configuration?.access.clients?.first?.description
    if let expected { #expect(found == expected) } else { #expect((found != nil) == text.hasPrefix("1.2.3.4/")) }
  }

  @Test(arguments: [
    ("10.0.0.1/8", "has bits behind its prefix of 8", "write \"10.0.0.0/8\", or \"10.0.0.1\" for that address alone"),
    ("fd00::1/64", "has bits behind its prefix of 64", "write \"fd00::/64\""),
    ("10.0.0.0/33", "'33' is not a prefix length", "0 to 32 for an IPv4 network"),
    ("fd00::/129", "'129' is not a prefix length", "0 to 128 for an IPv6 network"),
    ("10.0.0.0/", "'' is not a prefix length", "0 to 32"), ("10.0.0.0/08", "'08' is not a prefix length", "0 to 32"),
    ("10.0.0.0/+8", "is not a prefix length", ""), ("10.0.0.0/8/8", "is not a prefix length", ""),
    ("10.0.0.0/255.0.0.0", "is not a prefix length", ""), ("10.0.0/8", "'10.0.0/8' is not a network", ""),
    ("*", "is not a network", "for all addresses write \"0.0.0.0/0\" and \"::/0\""), ("", "is not a network", ""),
    ("localhost", "is not a network", "write \"127.0.0.0/8\" and \"::1\""),
    ("[::1]", "is not a network", "a network has no brackets"),
    ("10.0.0.1:80", "is not a network", "a network has no port"), ("example.com", "is not a network", "names"),
    ("010.0.0.0/8", "is not a network", ""), (" 10.0.0.0/8", "is not a network", ""),
  ])
  func saysWhatIsWrong(_ text: String, _ message: String, _ hint: String) throws {
    let loaded = load(text)
    #expect(loaded.configuration == nil)
    let issue = try #require(loaded.issues.first)
    #expect(loaded.issues.count == 1)
    #expect(issue.code == .invalidNetwork)
    #expect(issue.message.contains(message), "\(issue.message)")
    #expect(issue.hint.contains(hint), "\(issue.hint)")
  }

  @Test func anEntryThatAnotherListBeatsIsReported() throws {
    let text = #"{"access":{"destinations":{"allow":["10.0.0.0/8"],"deny":["10.1.0.0/16","0.0.0.0/0"]}},"rules":[]}"#
    let loaded = ConfigurationLoader.forTests.load(Array(text.utf8), file: "f")
    #expect(loaded.issues.map(\.code) == [.contradictingLists])
    #expect(loaded.issues.first?.pointer.description == "/access/destinations/deny/0")
    #expect(loaded.configuration?.access.destinations.deny.count == 2)
  }
}
