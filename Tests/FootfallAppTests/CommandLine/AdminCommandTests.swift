import AdminAPI
import Effects
import FootfallApp
import Foundation
import Testing

/// The commands that ask a running proxy, against a real admin endpoint.
@Suite struct AdminCommandTests {
  @Test(arguments: [["reset"], ["reset", "visitorID"], ["reset", "visitorID", "visitorID"]])
  func resetsAndTellsTheNewID(arguments: [String]) throws {
    let admin = try RunningAdmin()
    defer { admin.stop() }
    let run = CommandRun(arguments, configuration: admin.configuration())
    #expect(run.code == .ok)
    #expect(run.output == "visitorID: the new id 1f0c9f5e… is in force\n")
  }

  @Test func tellsThatNothingIsInForceWhenTheFeatureIsOff() throws {
    let admin = try RunningAdmin(reset: .cleared)
    defer { admin.stop() }
    let run = CommandRun(["reset"], configuration: admin.configuration())
    #expect(run.code == .ok)
    #expect(run.output.contains("the feature is off"))
  }

  @Test func aResetThatFailedIsAFailure() throws {
    let admin = try RunningAdmin(reset: .failed(reason: "full: no space"))
    defer { admin.stop() }
    let run = CommandRun(["reset"], configuration: admin.configuration())
    #expect(run.code == .inputOutput)
    #expect(run.output.isEmpty)
    #expect(run.error.contains("no space"))
  }

  @Test(arguments: [
    ("visitor", "Did you mean \"visitorID\"?"), ("visits", "Did you mean \"visit\"?"),
    ("everything", "Known: visitorID, visit, cohorly."), ("cohorli", "Did you mean \"cohorly\"?"),
  ])
  func unknownNamesAreWrongUse(name: String, hint: String) {
    let run = CommandRun(["reset", name])
    #expect(run.code == .usage)
    #expect(run.error.contains(hint))
  }

  @Test func resetsTheIdentityOfCohorlyAndTellsTheLoss() throws {
    let asked = OrderedBackends.Asked()
    let run = try OrderedBackends.run(["reset", "cohorly"], asked)
    #expect(run.code == .ok)
    #expect(run.output == "cohorly: the new id 1f0c9f5e… is in force, 1,200 unsent records discarded\n")
    let flushed = try OrderedBackends.run(["reset", "visitorID", "cohorly", "--flush"], asked)
    #expect(flushed.code == .ok)
    #expect(
      flushed.output
        == "visitorID: the new id 1f0c9f5e… is in force\ncohorly: the new id 1f0c9f5e… is in force\n")
    #expect(asked.all == ["reset cohorly", "reset cohorly flush"])
    #expect(try OrderedBackends.run(["reset", "visit", "--flush"], asked).code == .usage)
    #expect(asked.all.count == 2)
    let admin = try RunningAdmin()
    defer { admin.stop() }
    let without = CommandRun(["reset", "cohorly"], configuration: admin.configuration())
    #expect(without.code == .configuration)
    #expect(without.error.contains("Cohorly is not configured"))
  }

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
