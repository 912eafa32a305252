import Effects
import ProxyConfiguration
import ProxyCore
import Testing

@Suite struct UpstreamChecksTests {
  private func load(_ reading: NamedFileReading) -> LoadedConfiguration {
    let loader = ConfigurationLoader(
      patterns: ConfigurationLoader.testPatterns, hostNames: ConfigurationLoader.testHostNames,
      readSecret: { path in path == "/conf/parent" ? reading : .unreadable(reason: "wrong path") })
    let text = #"{"upstream": {"proxy": "http://p:1", "credentialsFile": "parent"}, "rules": []}"#
    return loader.load(Array(text.utf8), file: "/conf/f.json")
  }

  @Test(arguments: ["me:secret", "me:secret\n", "me:secret\r\n"])
  func readsTheCredentials(content: String) throws {
    let loaded = load(.content(Array(content.utf8)))
    #expect(loaded.issues.isEmpty)
    #expect(
      try #require(loaded.configuration).upstream.credentials == BasicCredentials(userAndPassword: "me:secret".utf8))
  }

  @Test(arguments: [
    (NamedFileReading.exposed(mode: 0o644), "exposed-secret", "has mode 0644"),
    (.unreadable(reason: "it does not exist"), "unreadable-file", "it does not exist"),
    (.content(Array("nocolon\n".utf8)), "invalid-secret", "one line user:password"),
    (.content(Array("a:b\nc:d\n".utf8)), "invalid-secret", "one line"),
    (.content(Array(":b".utf8)), "invalid-secret", "one line"), (.content([]), "invalid-secret", "one line"),
    (.content([UInt8](repeating: 0x3a, count: 2000)), "invalid-secret", "at most 1024"),
  ])
  func refusesToRunWithoutThem(reading: NamedFileReading, code: String, words: String) {
    let loaded = load(reading)
    #expect(loaded.issues.map(\.code.rawValue) == [code])
    #expect(loaded.issues.first?.description.contains(words) ?? false)
    #expect(loaded.issues.first?.pointer.description == "/upstream/credentialsFile")
    #expect(!(loaded.issues.first?.description.contains("c:d") ?? true))
    #expect(loaded.configuration == nil)
  }
}
