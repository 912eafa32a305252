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
        "FOOTFALL_LISTEN: 'localhost:2' is not an address with a port: "
          + "write \"127.0.0.1:2\" or \"[::1]:2\"",
        "FOOTFALL_ADMIN_LISTEN: '8081' has no address: write \"127.0.0.1:8081\"",
        "--log-level: 'loud' is not a choice: known: error, warning, info, debug",
      ])
  }

  @Test(arguments: [
    ("foo", "'foo' has no port: write \"127.0.0.1:8080\""),
    ("10.0.0.1", "'10.0.0.1' has no port: write \"10.0.0.1:8080\""),
  ])
  func aMissingPortIsToldWithAnAddressThatHasOne(_ text: String, _ message: String) {
    var overrides = ConfigurationOverrides()
    overrides.set(.listen, text, source: "--listen")
    #expect(load(overrides).issues.map(\.description) == ["--listen: \(message)"])
  }

  @Test func theAdminEndpointIsKnownWithoutAFile() throws {
    #expect(ConfigurationOverrides(environment: ["FOOTFALL_LISTEN": "127.0.0.1:1"]).adminEndpoint() == nil)
    var overrides = ConfigurationOverrides(environment: [
      "FOOTFALL_ADMIN_LISTEN": "unix:/run/a", "FOOTFALL_LISTEN": "x",
    ])
    let named = try #require(overrides.adminEndpoint())
    #expect(named.address == .unix("/run/a"))
    #expect(named.issues.isEmpty)
    overrides.set(.adminListen, "off", source: "--admin-listen")
    #expect(try #require(overrides.adminEndpoint()).address == nil)
    overrides.set(.adminListen, "8081", source: "--admin-listen")
    #expect(try #require(overrides.adminEndpoint()).issues.map(\.file) == ["--admin-listen"])
  }

  @Test func checksOfOverriddenValuesNameTheirSource() {
    let loaded = load(ConfigurationOverrides(environment: ["FOOTFALL_ADMIN_LISTEN": "127.0.0.1:8080"]))
    #expect(loaded.issues.map(\.file) == ["FOOTFALL_ADMIN_LISTEN"])
    #expect(loaded.issues.map(\.code) == [.addressInUse])
  }
}
