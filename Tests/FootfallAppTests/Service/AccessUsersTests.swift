import Effects
import ProxyConfiguration
import ProxyCore
import Testing

@testable import FootfallApp

@Suite struct AccessUsersTests {
  private static let hash = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"

  private func load(_ reading: FileReading, mode: UInt32? = 0o600) -> AccessUsers {
    var configuration = Configuration()
    var section = Configuration.Users()
    section.file = "/etc/users"
    section.realm = "here"
    configuration.access.users = section
    return AccessUsers.load(configuration, { $0 == "/etc/users" ? reading : .missing }, permissions: { _ in mode })
  }

  @Test func makesATableOfASoundFile() {
    let access = load(.content(Array("ada:\(Self.hash)\n".utf8)))
    #expect(access.issues.isEmpty && !access.hasErrors)
    #expect(access.table?.hash(of: Array("ada".utf8)) == Self.hash)
    #expect(access.table?.realm == "here")
  }

  @Test func asksForNothingWithoutASection() {
    let access = AccessUsers.load(Configuration(), { _ in .missing })
    #expect(access.table == nil)
    #expect(access.issues.isEmpty)
  }

  @Test(
    arguments: [
      (.missing, "does not exist"), (.denied(reason: "no"), "cannot be read: no"), (.failed(reason: "I/O"), "I/O"),
      (.content(Array("ada:plain".utf8)), "not a hash"),
    ] as [(FileReading, String)])
  func refusesAFileThatIsNotSound(reading: FileReading, reason: String) {
    let access = load(reading)
    #expect(access.hasErrors)
    #expect(access.table == nil)
    #expect(access.issues.count == 1)
    #expect(access.issues.first?.description.hasPrefix("/etc/users:1:1: error: ") == true)
    #expect(access.issues.first?.message.contains(reason) == true)
  }

  @Test(
    arguments: [
      (0o600, nil), (0o640, nil), (0o440, nil), (0o644, .warning), (0o604, .warning), (0o620, .error), (0o602, .error),
      (0o666, .error),
    ] as [(UInt32, ConfigurationIssue.Severity?)])
  func looksWhoElseMayUseTheFile(mode: UInt32, severity: ConfigurationIssue.Severity?) {
    let access = load(.content(Array("ada:\(Self.hash)".utf8)), mode: mode)
    #expect(access.issues.map(\.severity) == (severity.map { [$0] } ?? []))
    #expect((access.table == nil) == (severity == .error))
  }

  @Test func checkReportsTheFileAndFails() {
    let text = #"{"rules": [], "access": {"users": {"file": "u"}}}"#
    var world = CommandRun.World()
    let missing = CommandRun(["check"], configuration: text, world)
    #expect(missing.code == .configuration)
    #expect(missing.output.contains("/conf/u:1:1: error: the file of users does not exist"))
    world.files["/conf/u"] = "# one\nada:x\n"
    let wrong = CommandRun(["check"], configuration: text, world)
    #expect(wrong.code == .configuration)
    #expect(wrong.output.contains("/conf/u:2:1: error: 'ada': what follows the name is not a hash"))
    world.files["/conf/u"] = "ada:\(Self.hash)\n"
    #expect(CommandRun(["check"], configuration: text, world).code == .ok)
  }
}
