import Effects
import FootfallApp
import ProxyConfiguration
import Synchronization
import Testing

/// Which file a command takes, and what counts more than it.
@Suite struct ConfigurationFileTests {
  private let good = #"{"rules": [{"match": {"prefix": "http://h.example/"}}]}"#
  private let bad = #"{"rules": []"#

  @Test func takesTheFirstOfTheUsualPlacesThatExists() {
    var world = CommandRun.World()
    world.variables = ["HOME": "/home/u"]
    world.files = ["/etc/footfall/config.json": good, "/home/u/.config/footfall/config.json": bad]
    #expect(CommandRun(["check"], world).code == .configuration)
    world.files["/home/u/.config/footfall/config.json"] = nil
    #expect(CommandRun(["check"], world).output == "/etc/footfall/config.json: no issues\n")
    world.variables["FOOTFALL_CONFIG"] = "/elsewhere.json"
    #expect(CommandRun(["check"], world).code == .noInput)
    world.files["/named.json"] = good
    #expect(CommandRun(["check", "--config=/named.json"], world).code == .ok)
  }

  @Test func tellsWhereItLooked() {
    let run = CommandRun(["check"])
    #expect(run.code == .noInput)
    #expect(run.error.contains("/etc/footfall/config.json"))
    let named = CommandRun(["check", "-c", "/nowhere.json"])
    #expect(named.code == .noInput)
    #expect(named.error.contains("/nowhere.json"))
  }

  @Test func aFileThatMayNotBeReadIsAQuestionOfPermission() {
    var world = CommandRun.World()
    world.deniedFiles = ["/conf/secret.json"]
    #expect(CommandRun(["check", "-c", "/conf/secret.json"], world).code == .permission)
  }

  @Test func runGetsTheFileWithItsOverrides() throws {
    let seen = Mutex<ConfigurationFile?>(nil)
    var world = CommandRun.World()
    world.variables = ["FOOTFALL_LISTEN": "127.0.0.1:1", "FOOTFALL_ADMIN_LISTEN": "off", "STATE_DIRECTORY": "/state"]
    world.runProxy = { file in
      seen.withLock { $0 = file }
      return .temporary
    }
    let run = CommandRun(["run", "--listen", "127.0.0.1:2"], configuration: good, world)
    #expect(run.code == .temporary)
    let file = try #require(seen.withLock { $0 })
    #expect(file.loaded.configuration?.proxy.listen.map(\.description) == ["127.0.0.1:2"])
    #expect(file.loaded.configuration?.admin.listen == nil)
    #expect(file.stateDirectory == "/state")
    let again = try file.reread { _ in .content(Array(#"{"rules": [], "state": {"directory": "/other"}}"#.utf8)) }
    #expect(again.loaded.configuration?.proxy.listen.map(\.description) == ["127.0.0.1:2"])
    #expect(again.stateDirectory == "/other")
  }

  @Test func runStartsWithAFeatureOffButNotWithAMistakeElsewhere() {
    let started = Mutex(0)
    var world = CommandRun.World()
    world.runProxy = { _ in
      started.withLock { $0 += 1 }
      return .ok
    }
    let degraded =
      #"{"visitorID": {"header": "x-id", "ttlHours": 0}, "rules": [{"match": {"prefix": "http://h.example/"}}]}"#
    let run = CommandRun(["run"], configuration: degraded, world)
    #expect(run.code == .ok)
    #expect(run.error.contains("/visitorID/ttlHours"))
    #expect(started.withLock { $0 } == 1)
    let fatal = #"{"proxy": {"listen": 1}, "rules": []}"#
    #expect(CommandRun(["run"], configuration: fatal, world).code == .configuration)
    #expect(started.withLock { $0 } == 1)
  }
}
