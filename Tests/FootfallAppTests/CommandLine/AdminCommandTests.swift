import AdminAPI
import Effects
import FootfallApp
import Foundation
import Testing

/// The commands that ask a running proxy, against a real admin endpoint.
@Suite struct AdminCommandTests {
  @Test func reloadsOrShowsTheIssues() throws {
    let admin = try RunningAdmin(reload: .reloaded(hash: "c0ffee", warnings: ["a warning"]))
    let run = CommandRun(["reload"], configuration: admin.configuration())
    let json = CommandRun(["reload", "--json"], configuration: admin.configuration())
    admin.stop()
    #expect(run.code == .ok)
    #expect(run.output == "/etc/footfall/config.json was read again and is in force\n")
    #expect(run.error == "warning: a warning\n")
    #expect(try JSONReader().value(json.output)["hash"] == "c0ffee")
    #expect(json.error.isEmpty)

    let refusing = try RunningAdmin(reload: .refused(issues: ["a:1:1: error one", "a:2:1: error two"]))
    let refused = CommandRun(["reload"], configuration: refusing.configuration())
    refusing.stop()
    #expect(refused.code == .configuration)
    #expect(refused.error.contains("  a:1:1: error one\n  a:2:1: error two\n"))

    let draining = try RunningAdmin(reload: .draining)
    #expect(CommandRun(["reload"], configuration: draining.configuration()).code == .temporary)
    draining.stop()
  }

  @Test func bearsTheToken() throws {
    let admin = try RunningAdmin(token: "secret")
    defer { admin.stop() }
    var world = CommandRun.World()
    world.files = ["/conf/token": "secret\n", "/conf/wrong": "other\n"]
    #expect(CommandRun(["status"], configuration: admin.configuration(tokenFile: "token"), world).code == .ok)
    for file in [nil, "wrong"] as [String?] {
      let run = CommandRun(["status"], configuration: admin.configuration(tokenFile: file), world)
      #expect(run.code == .permission)
      #expect(run.error.contains("token"))
      #expect(!run.error.contains("secret"))
    }
    let missing = CommandRun(["status"], configuration: admin.configuration(tokenFile: "absent"), world)
    #expect(missing.code == .configuration)
  }

  @Test func talksOverAUnixSocket() throws {
    let path = "/tmp/footfall-\(UUID().uuidString.prefix(8)).sock"
    let admin = try RunningAdmin(unixPath: path)
    #expect(CommandRun(["status"], configuration: admin.configuration()).code == .ok)
    admin.stop()
    let gone = CommandRun(["status"], configuration: admin.configuration())
    #expect(gone.code == .unavailable)
    #expect(gone.error.contains("unix:\(path)"))
  }

  @Test(arguments: [["status"], ["reset"], ["reload"]])
  func anAddressGivenByHandNeedsNoConfiguration(_ command: [String]) throws {
    let admin = try RunningAdmin()
    defer { admin.stop() }
    let arguments = command + ["--admin-listen", admin.address]
    #expect(CommandRun(arguments).code == .ok)
    #expect(CommandRun(arguments, configuration: #"{"rules": [}, "log": 1"#).code == .ok)
    var world = CommandRun.World()
    world.variables = ["FOOTFALL_ADMIN_LISTEN": admin.address]
    #expect(CommandRun(command, world).code == .ok)
    #expect(CommandRun(command + ["--admin-listen", "foo"]).code == .usage)
  }

  @Test func anAddressGivenByHandStillGetsTheTokenThatCanBeRead() throws {
    let admin = try RunningAdmin(token: "secret")
    defer { admin.stop() }
    var world = CommandRun.World()
    world.files = ["/conf/token": "secret\n"]
    let broken = #"{"admin": {"tokenFile": "token"}, "log": 1, "rules": []}"#
    #expect(CommandRun(["status", "--admin-listen", admin.address], configuration: broken, world).code == .ok)
    world.files = [:]
    let without = CommandRun(["status", "--admin-listen", admin.address], configuration: broken, world)
    #expect(without.code == .permission)
    #expect(without.error.contains("no token is sent"))
  }

  @Test func theAddressCanBeNamedOnTheCommandLine() throws {
    let admin = try RunningAdmin()
    defer { admin.stop() }
    let run = CommandRun(["status", "--admin-listen", admin.address], configuration: #"{"rules": []}"#)
    #expect(run.code == .ok)
  }
}
