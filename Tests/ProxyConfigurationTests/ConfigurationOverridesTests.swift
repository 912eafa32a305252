import Effects
import ProxyConfiguration
import Testing

@Suite struct ConfigurationOverridesTests {
  private func load(_ overrides: ConfigurationOverrides, _ text: String = #"{"rules": []}"#) -> LoadedConfiguration {
    ConfigurationLoader.forTests.load(Array(text.utf8), file: "/etc/footfall/config.json", overrides: overrides)
  }

  @Test func theEnvironmentCountsMoreThanTheFile() throws {
    let overrides = ConfigurationOverrides(environment: [
      "FOOTFALL_LISTEN": "127.0.0.1:1, [::1]:2", "FOOTFALL_ADMIN_LISTEN": "unix:admin.sock",
      "FOOTFALL_LOG_LEVEL": "debug", "OTHER": "x",
    ])
    let configuration = try #require(load(overrides, #"{"log": {"level": "error"}, "rules": []}"#).configuration)
    #expect(configuration.proxy.listen.map(\.description) == ["127.0.0.1:1", "[::1]:2"])
    // Seen from the working directory, not from the file's folder.
    #expect(configuration.admin.listen == .unix("./admin.sock"))
    #expect(configuration.log.level == .debug)
  }

  @Test func theAdminEndpointCanBeTurnedOff() throws {
    let loaded = load(ConfigurationOverrides(environment: ["FOOTFALL_ADMIN_LISTEN": "off"]))
    #expect(try #require(loaded.configuration).admin.listen == nil)
  }

  @Test func emptyVariablesAreNone() throws {
    let loaded = load(ConfigurationOverrides(environment: ["FOOTFALL_LISTEN": "", "FOOTFALL_LOG_LEVEL": ""]))
    #expect(try #require(loaded.configuration).proxy.listen.map(\.description) == ["127.0.0.1:8080"])
  }

  @Test func theCommandLineCountsMost() throws {
    var overrides = ConfigurationOverrides(environment: ["FOOTFALL_LOG_LEVEL": "debug"])
    overrides.set(.logLevel, "error", source: "--log-level")
    #expect(try #require(load(overrides).configuration).log.level == .error)
  }

  @Test func mistakesNameTheirSource() {
    var overrides = ConfigurationOverrides(environment: [
      "FOOTFALL_LISTEN": "127.0.0.1:1,localhost:2", "FOOTFALL_ADMIN_LISTEN": "8081",
    ])
    overrides.set(.logLevel, "loud", source: "--log-level")
    let loaded = load(overrides)
    #expect(loaded.configuration == nil)
    #expect(
      loaded.issues.map(\.description) == [
        "FOOTFALL_LISTEN:1:1: error /proxy/listen/1: 'localhost:2' is not an address with a port: "
          + "write \"127.0.0.1:2\" or \"[::1]:2\"",
        "FOOTFALL_ADMIN_LISTEN:1:1: error /admin/listen: '8081' has no port: add an address: \"127.0.0.1:8081\"",
        "--log-level:1:1: error /log/level: 'loud' is not a choice: known: error, warning, info, debug",
      ])
  }

  @Test func checksOfOverriddenValuesNameTheirSource() {
    let loaded = load(ConfigurationOverrides(environment: ["FOOTFALL_ADMIN_LISTEN": "127.0.0.1:8080"]))
    #expect(loaded.issues.map(\.file) == ["FOOTFALL_ADMIN_LISTEN"])
    #expect(loaded.issues.map(\.code) == [.addressInUse])
  }
}
