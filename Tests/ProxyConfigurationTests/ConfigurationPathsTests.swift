import ProxyConfiguration
import Testing

@Suite struct ConfigurationPathsTests {
  @Test func withoutEnvironmentThePathsAreTheSystems() {
    let paths = ConfigurationPaths(environment: [:])
    #expect(paths.configuration == ["/etc/footfall/config.json"])
    #expect(paths.stateDirectory == "/var/lib/footfall")
  }

  @Test func aUserHasThePathsOfXDG() {
    let paths = ConfigurationPaths(environment: ["HOME": "/home/u"])
    #expect(paths.configuration == ["/home/u/.config/footfall/config.json", "/etc/footfall/config.json"])
    #expect(paths.stateDirectory == "/home/u/.local/state/footfall")
    let moved = ConfigurationPaths(environment: ["HOME": "/home/u", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"])
    #expect(moved.configuration.first == "/c/footfall/config.json")
    #expect(moved.stateDirectory == "/s/footfall")
  }

  @Test func relativeDirectoriesDoNotCount() {
    let environment = ["HOME": "/home/u", "XDG_STATE_HOME": "s", "XDG_CONFIG_HOME": "", "STATE_DIRECTORY": "x"]
    let paths = ConfigurationPaths(environment: environment)
    #expect(paths.stateDirectory == "/home/u/.local/state/footfall")
    #expect(paths.configuration.first == "/home/u/.config/footfall/config.json")
  }

  @Test func systemdsDirectoriesComeFirst() {
    let environment = [
      "HOME": "/home/u", "STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "CONFIGURATION_DIRECTORY": "/etc/a",
    ]
    let paths = ConfigurationPaths(environment: environment)
    #expect(paths.configuration.first == "/etc/a/config.json")
    #expect(paths.stateDirectory == "/var/lib/a")
  }

  @Test func aNamedFileIsTheOnlyOne() {
    let paths = ConfigurationPaths(environment: ["FOOTFALL_CONFIG": "my.json", "HOME": "/home/u"])
    #expect(paths.configuration == ["my.json"])
  }
}
