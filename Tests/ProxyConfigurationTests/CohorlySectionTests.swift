import Effects
import ProxyConfiguration
import Testing

@Suite struct CohorlySectionTests {
  private func load(_ text: String) -> LoadedConfiguration {
    ConfigurationLoader.forTests.load(Array(text.utf8), file: "/conf/f.json")
  }

  @Test func withoutTheSectionTheFeatureIsOff() throws {
    for text in [#"{"rules": []}"#, #"{"cohorly": null, "rules": []}"#] {
      let loaded = load(text)
      #expect(loaded.issues.isEmpty)
      #expect(try #require(loaded.configuration).cohorly == nil)
    }
  }

  @Test func theDefaultsAreThoseOfTheContract() throws {
    let loaded = load(#"{"cohorly": {"tokenFile": "t"}, "rules": []}"#)
    #expect(loaded.issues.isEmpty)
    let cohorly = try #require(loaded.configuration?.cohorly)
    #expect(cohorly.apiHost.description == "https://cohorly-service.velloalabs.com")
    #expect(cohorly.flagPersistence == .persistenceUntilNetworkSuccess)
    #expect(cohorly.flagCacheTTLHours == 24)
    #expect(cohorly.flagReloadSeconds == 300)
    #expect(cohorly.events.name == "proxy.request")
    #expect(cohorly.events.properties == Configuration.ExchangeProperty.usual)
    #expect(cohorly.superProperties.isEmpty)
    #expect(cohorly.headers.isEmpty)
    #expect(cohorly.certificateFiles.isEmpty)
    #expect(cohorly.token == nil)
  }

  @Test func everyKeyIsRead() throws {
    let loaded = load(
      #"""
      {"cohorly": {"apiHost": "http://127.0.0.1:8600/base//", "tokenFile": "t", "flagPersistence": "networkOnly",
        "flagReloadSeconds": 5, "events": {"name": "e", "properties": ["status", "duration_ms"]},
        "superProperties": {"env": "ci", "level": 3, "ratio": 0.5, "test": false}, "headers": {"X-Tenant": "north"},
        "certificateFiles": ["ca.pem", "/etc/other.pem"]}, "rules": []}
      """#)
    #expect(loaded.issues.isEmpty)
    let cohorly = try #require(loaded.configuration?.cohorly)
    #expect(cohorly.apiHost.appending("track") == "http://127.0.0.1:8600/base/track")
    #expect(cohorly.tokenFile == "/conf/t")
    #expect(cohorly.flagPersistence == .networkOnly)
    #expect(cohorly.flagReloadSeconds == 5)
    #expect(cohorly.events.name == "e")
    #expect(cohorly.events.properties == [.status, .durationMilliseconds])
    #expect(
      cohorly.superProperties == [
        JSONMember("env", "ci"), JSONMember("level", 3), JSONMember("ratio", 0.5), JSONMember("test", false),
      ])
    #expect(cohorly.headers == [OutboundField("X-Tenant", "north")])
    #expect(cohorly.certificateFiles == ["/conf/ca.pem", "/etc/other.pem"])
  }

  @Test(arguments: Configuration.FlagPersistence.allCases)
  func thePoliciesHaveTheNamesOfTheContract(policy: Configuration.FlagPersistence) throws {
    let loaded = load(#"{"cohorly": {"tokenFile": "t", "flagPersistence": "\#(policy.rawValue)"}, "rules": []}"#)
    #expect(loaded.issues.isEmpty)
    #expect(try #require(loaded.configuration?.cohorly).flagPersistence == policy)
    #expect(["networkOnly", "networkFirst", "persistenceUntilNetworkSuccess"].contains(policy.rawValue))
  }

  @Test(arguments: [
    ("distinct_id", "reserved-name"), ("time", "reserved-name"), ("token", "reserved-name"),
    ("$insert_id", "invalid-text"), ("$feature/x", "invalid-text"), ("", "invalid-text"), ("a\\u007f", "invalid-text"),
    (String(repeating: "n", count: 129), "invalid-text"),
  ])
  func namesThatEventsHaveAnywayAreRefused(name: String, code: String) {
    let loaded = load(#"{"cohorly": {"tokenFile": "t", "superProperties": {"\#(name)": 1}}, "rules": []}"#)
    #expect(loaded.issues.map(\.code.rawValue) == [code])
    #expect(loaded.issues.allSatisfy { !$0.hint.isEmpty })
    #expect(loaded.configuration == nil)
  }

  @Test func aMistakeOfTheSectionKeepsTheProxyFromStarting() {
    let loaded = load(#"{"cohorly": {"tokenFile": "t", "flagReloadSeconds": -1}, "rules": []}"#)
    #expect(loaded.issues.map(\.impact) == [.fatal])
    #expect(loaded.configuration == nil)
  }
}
