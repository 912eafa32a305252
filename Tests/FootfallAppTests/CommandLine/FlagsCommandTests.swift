import AdminAPI
import Effects
import FootfallApp
import Testing

/// What shows the flags, against a real admin endpoint.
@Suite struct FlagsCommandTests {
  @Test func showsFlagsAndTheRulesThatAskThem() throws {
    let asked = OrderedBackends.Asked()
    let run = try OrderedBackends.run(["flags"], asked)
    #expect(run.code == .ok)
    #expect(
      run.output == """
        2 flags for 1f0c9f5e…, evaluated at 1970-01-01T00:00:01.000Z (networkFirst)
          last failure: status 429\u{fffd}[31m

        FLAG           VALUE  SOURCE       STORED
        banner         blue   persistence  1970-01-01T00:00:00.000Z
        checkout\u{fffd}[31m  true   network

        RULE  WHEN    IS    VALUE            APPLIES
        api   banner  blue  blue             yes
        web   nope    true  false (unknown)  no

        """)
    #expect(asked.all == ["flags"])
    #expect(try OrderedBackends.run(["flags", "--ids"]).output.contains(RunningAdmin.visitorID))
  }

  @Test func evaluatesThemWhenToldTo() throws {
    let asked = OrderedBackends.Asked()
    #expect(try OrderedBackends.run(["flags", "reload"], asked).output.hasPrefix("2 flags for 1f0c9f5e…, evaluated"))
    #expect(asked.all == ["reload flags"])
    #expect(try OrderedBackends.run(["flags", "relaod"], asked).code == .usage)
    #expect(try OrderedBackends.run(["flags", "reload", "x"], asked).code == .usage)
    #expect(asked.all == ["reload flags"])
  }

  @Test(arguments: [["flags", "--json"], ["flags", "reload", "--json", "--ids"]])
  func printsTheAnswerAsJSON(arguments: [String]) throws {
    let json = try JSONReader().value(OrderedBackends.run(arguments).output)
    #expect(json["flags"]?.array?.first?["payload"] == ["color": "#00f"])
    #expect(json["gates"]?.array?.last?["applies"] == false)
  }

  @Test(arguments: [["flags"], ["flags", "reload"], ["identify", "x"], ["people", "--delete"]])
  func withoutTheSectionTheConfigurationIsToBlame(arguments: [String]) throws {
    let admin = try RunningAdmin()
    defer { admin.stop() }
    let run = CommandRun(arguments, configuration: admin.configuration())
    #expect(run.code == .configuration)
    #expect(run.error.contains("Cohorly is not configured"))
    #expect(run.error.contains("\"cohorly\""))
  }

  @Test func anEvaluationThatFailedIsAFailure() throws {
    var orders = BackendOrders.notConfigured
    var cohorly = OrderedBackends.cohorly(OrderedBackends.Asked())
    cohorly.reloadFlags = { $0(.failure(.backend(reason: "status 429"))) }
    orders.cohorly = cohorly
    let admin = try RunningAdmin(backends: orders)
    defer { admin.stop() }
    let run = CommandRun(["flags", "reload"], configuration: admin.configuration())
    #expect(run.code == .unavailable)
    #expect(run.error.contains("status 429"))
  }

  @Test func theStatusShowsIdentityAndFlags() throws {
    var status = RunningAdmin.status
    var cohorly = StatusReport.Cohorly()
    cohorly.apiHost = "https://cohorly.example.com"
    cohorly.distinctID = RunningAdmin.visitorID
    cohorly.flagSource = .persistence
    cohorly.flagCount = 3
    cohorly.refusedOperations = 2
    cohorly.failedAliases = 1
    cohorly.lastError = "status 401"
    status.cohorly = cohorly
    status.rules[0].gate = "checkout is true"
    let admin = try RunningAdmin(status: status)
    defer { admin.stop() }
    let output = CommandRun(["status"], configuration: admin.configuration()).output
    #expect(output.contains("https://cohorly.example.com, anonymous 1f0c9f5e…, without a token\n"))
    #expect(output.contains("  3 flags from persistence\n"))
    #expect(output.contains("  2 changes of profiles refused\n"))
    #expect(output.contains("  1 not tied to the identity before\n"))
    #expect(output.contains("  last failure: status 401\n"))
    #expect(output.contains("visitorID, when checkout is true\n"))
    #expect(!output.contains(RunningAdmin.visitorID))
  }
}
