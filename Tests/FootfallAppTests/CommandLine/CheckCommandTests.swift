import Effects
import FootfallApp
import Testing

@Suite struct CheckCommandTests {
  private let good = #"{"rules": [{"name": "api", "match": {"prefix": "http://h.example/"}}]}"#

  @Test func aFaultlessFileIsFine() {
    let run = CommandRun(["check"], configuration: good)
    #expect(run.code == .ok)
    #expect(run.output == "/conf/footfall.json: no issues\n")
    let json = CommandRun(["check", "--format", "json"], configuration: good)
    #expect(json.code == .ok)
    #expect(json.output == "[]\n")
  }

  @Test func reportsEveryIssueWithItsSourceLine() {
    let run = CommandRun(
      ["check"],
      configuration: """
        {
          "proxy": { "wrokers": 2 },
          "rules": [
            { "match": { "regex": "(" } }
          ]
        }
        """)
    #expect(run.code == .configuration)
    #expect(run.output.contains("/conf/footfall.json:2:14: error /proxy/wrokers: "))
    #expect(run.output.contains("    2 |   \"proxy\": { \"wrokers\": 2 },\n      |              ^\n"))
    #expect(run.output.contains("/conf/footfall.json:4:"))
    #expect(run.output.hasSuffix("/conf/footfall.json: 2 errors\n"))
    #expect(run.error.isEmpty)
  }

  @Test func warningsAloneDoNotFail() {
    let run = CommandRun(["check"], configuration: #"{"rules": [{"match": {"prefix": "http://h.example/a"}}]}"#)
    #expect(run.code == .ok)
    #expect(run.output.contains("warning"))
    #expect(run.output.hasSuffix(": 1 warning\n"))
  }

  @Test func anHTTPSRuleIsAWarning() {
    let run = CommandRun(["check"], configuration: #"{"rules": [{"match": {"prefix": "https://h.example/"}}]}"#)
    #expect(run.code == .ok)
    #expect(run.output.contains("tunnels that this version does not open: this rule injects nothing"))
  }

  @Test func jsonHasTheSameIssues() throws {
    let run = CommandRun(["check", "-f", "json"], configuration: #"{"rules": [], "admin": {"listen": 1}, "x": 1}"#)
    #expect(run.code == .configuration)
    let issues = try #require(try JSONReader().value(run.output).array)
    #expect(issues.contains { $0["pointer"] == "/admin/listen" })
    let names = ["file", "line", "column", "pointer", "code", "severity", "message", "hint"]
    for issue in issues { #expect((issue.members ?? []).map(\.name) == names) }
  }

  @Test func environmentMistakesAreReportedWithoutASourceLine() {
    var world = CommandRun.World()
    world.variables = ["FOOTFALL_LISTEN": "nowhere"]
    let run = CommandRun(["check"], configuration: good, world)
    #expect(run.code == .configuration)
    #expect(run.output.hasPrefix("FOOTFALL_LISTEN: 'nowhere' has no port: write "))
    let start = CommandRun(["run"], configuration: good, world)
    #expect(start.code == .configuration)
    #expect(!start.error.contains("source lines"))
    #expect(!run.output.contains(" | "))
  }

  @Test func hostileTextInTheFileDoesNotReachTheTerminal() {
    let run = CommandRun(["check"], configuration: "{\"rules\": [], \"\\u001b[31m\u{202e}\": \"\u{9b}2J\"}")
    #expect(run.code == .configuration)
    #expect(!run.output.unicodeScalars.contains { [0x1b, 0x9b, 0x202e].contains($0.value) })
  }

  @Test func anUnknownFormatIsWrongUse() {
    #expect(CommandRun(["check", "--format", "yaml"], configuration: good).code == .usage)
  }

  @Test func readsTheFilesWithSecrets() {
    let configuration = #"{"upstream": {"proxy": "http://p:1", "credentialsFile": "parent"}, "rules": []}"#
    let missing = CommandRun(["check"], configuration: configuration)
    #expect(missing.code == .configuration)
    #expect(missing.output.contains("/upstream/credentialsFile: cannot read /conf/parent: it does not exist"))
    var world = CommandRun.World()
    world.files["/conf/parent"] = "me:secret\n"
    #expect(CommandRun(["check"], configuration: configuration, world).code == .ok)
    world.files["/conf/parent"] = "secret"
    let wrong = CommandRun(["check"], configuration: configuration, world)
    #expect(wrong.code == .configuration)
    #expect(wrong.output.contains("does not hold one line user:password"))
    // The others need not be able to read them.
    world.deniedFiles = ["/conf/parent"]
    #expect(CommandRun(["rules", "list"], configuration: configuration, world).code == .ok)
    #expect(CommandRun(["run"], configuration: configuration, world).code == .configuration)
  }
}
