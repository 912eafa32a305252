import AdminAPI
import Effects
import FootfallApp
import Testing

/// `footfall status` against a real admin endpoint.
@Suite struct StatusTextTests {
  @Test func showsTheStateInColumns() throws {
    let admin = try RunningAdmin()
    defer { admin.stop() }
    let run = CommandRun(["status"], configuration: admin.configuration())
    #expect(run.code == .ok)
    #expect(run.error.isEmpty)
    #expect(run.output.contains("state          running for 3 h 12 min (process 4711)\n"))
    #expect(run.output.contains("proxy          127.0.0.1:8080: 2 workers, 0 clients"))
    #expect(run.output.contains("12,345 requests, 0 failed"))
    #expect(run.output.contains("visitor id     on, x-visitor-id: 1f0c9f5e…"))
    #expect(run.output.contains("3 dropped"))
    #expect(run.output.contains("RULE  MATCHED  FAILED  EFFECTS\napi     1,200       1  visitorID\n"))
    #expect(run.output.contains("config.json:1:1: error"))
    #expect(!run.output.contains("\u{1b}"))
    #expect(!run.output.contains(RunningAdmin.visitorID))
  }

  @Test func showsIdentifiersInFullOnlyWhenAsked() throws {
    let admin = try RunningAdmin()
    defer { admin.stop() }
    #expect(
      CommandRun(["status", "--ids"], configuration: admin.configuration()).output.contains(RunningAdmin.visitorID))
    let json = CommandRun(["status", "--json"], configuration: admin.configuration())
    #expect(try JSONReader().value(json.output) == RunningAdmin.status.json(ids: .masked))
    let full = CommandRun(["status", "--json", "--ids"], configuration: admin.configuration())
    #expect(try JSONReader().value(full.output) == RunningAdmin.status.json(ids: .full))
    #expect(!full.output.contains("\u{1b}"))
  }

  @Test func rulesThatAreOffStayInTheTable() throws {
    var status = RunningAdmin.status
    status.rules = [
      .init(name: "half", matchers: ["prefix http://a/"], effects: ["record"], matched: 1, failed: 0, reason: "one"),
      .init(name: "bad", matchers: [], effects: [], matched: 0, failed: 0, reason: "two"),
    ]
    let admin = try RunningAdmin(status: status)
    defer { admin.stop() }
    let output = CommandRun(["status"], configuration: admin.configuration()).output
    #expect(output.contains("half        1       0  record; a condition is off: one\n"))
    #expect(output.contains("bad         0       0  off: two\n"))
  }

  @Test func anEmptyStatusIsShownToo() throws {
    let admin = try RunningAdmin(status: StatusReport())
    defer { admin.stop() }
    let run = CommandRun(["status"], configuration: admin.configuration())
    #expect(run.code == .ok)
    #expect(run.output.contains("state          starting"))
    #expect(run.output.contains("events         not recorded"))
  }
}
