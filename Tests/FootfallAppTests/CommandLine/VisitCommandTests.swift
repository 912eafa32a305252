import AdminAPI
import Effects
import FootfallApp
import Testing

/// The commands that drive Ahoy, against a real admin endpoint.
@Suite struct VisitCommandTests {
  @Test func registersAVisitWithItsParameters() throws {
    let asked = OrderedBackends.Asked()
    let run = try OrderedBackends.run(
      ["visit", "-p", "utm_source=news", "--param=referrer=https://a.example/?x=1"], asked)
    #expect(run.code == .ok)
    #expect(run.output == "the visit 1f0c9f5e… is registered (until 1970-01-01T04:00:00.000Z)\n")
    #expect(asked.all == [#"visit {"utm_source":"news","referrer":"https://a.example/?x=1"}"#])
    #expect(try OrderedBackends.run(["visit", "--ids"]).output.contains(RunningAdmin.visitorID))
    #expect(try JSONReader().value(OrderedBackends.run(["visit", "--json"]).output)["registered"] == true)
  }

  @Test func queuesAnEventWithTypedProperties() throws {
    let asked = OrderedBackends.Asked()
    let run = try OrderedBackends.run(
      ["track", "Signed up", "--properties", #"{"price": 12.5, "ok": true}"#, "-p", "plan=pro"], asked)
    #expect(run.code == .ok)
    #expect(run.output == "the event \(OrderedBackends.eventID) is stored\n")
    #expect(asked.all == [#"track Signed up {"price":12.5,"ok":true,"plan":"pro"}"#])
  }

  @Test(arguments: [
    ["track"], ["track", "a", "b"], ["track", "a", "--properties", "[1]"], ["track", "a", "--properties", "{"],
    ["track", "a", "-p", "x"], ["track", "a", "-p", "=x"], ["visit", "-p", "x=1", "-p", "x=2"], ["attach"],
    ["deadletters", "requeue"], ["deadletters", "requeue", "--all", "x"], ["deadletters", "list", "-n", "0"],
    ["deadletters", "list", "--backend", "a&b"],
  ])
  func wrongUseAsksNobody(arguments: [String]) throws {
    let asked = OrderedBackends.Asked()
    #expect(try OrderedBackends.run(arguments, asked).code == .usage)
    #expect(asked.all.isEmpty)
  }

  @Test func attachesAndDetaches() throws {
    let asked = OrderedBackends.Asked()
    #expect(try OrderedBackends.run(["attach", "42"], asked).output == "the user 4… is attached\n")
    #expect(try OrderedBackends.run(["detach"], asked).output == "no user is attached\n")
    #expect(asked.all == ["attach 42", "attach nobody"])
  }

  @Test(arguments: [
    ["visit"], ["track", "x"], ["attach", "1"], ["detach"], ["flush"], ["deadletters", "list"],
    ["deadletters", "requeue", "--all"],
  ])
  func withoutTheSectionTheConfigurationIsToBlame(arguments: [String]) throws {
    let admin = try RunningAdmin()
    defer { admin.stop() }
    let run = CommandRun(arguments, configuration: admin.configuration())
    #expect(run.code == .configuration)
    let isAhoys = ["visit", "attach", "detach"].contains(arguments[0])
    #expect(run.error.contains(isAhoys ? "Ahoy is not configured" : "Neither Ahoy nor Cohorly is configured"))
    #expect(run.error.contains("\"ahoy\""))
  }

  @Test func aBackendThatFailsIsNamed() throws {
    var orders = BackendOrders.notConfigured
    orders.trackVisit = { _, reply in reply(.failure(.backend(reason: "status 503"))) }
    let admin = try RunningAdmin(backends: orders)
    defer { admin.stop() }
    let run = CommandRun(["visit"], configuration: admin.configuration())
    #expect(run.code == .unavailable)
    #expect(run.error.contains("status 503"))
  }

  @Test func theStatusShowsVisitAndDelivery() throws {
    var status = RunningAdmin.status
    var ahoy = StatusReport.Ahoy()
    ahoy.baseURL = "https://app.example.com"
    ahoy.visitToken = RunningAdmin.visitorID
    ahoy.isRegistered = true
    ahoy.expiresAt = 14_400_000
    ahoy.lastError = "status 503"
    status.ahoy = ahoy
    var delivery = StatusReport.Delivery(backend: "ahoy")
    delivery.state = .retrying
    delivery.depth = 1234
    delivery.oldestAgeSeconds = 120
    delivery.sent = 50
    delivery.dead = 2
    delivery.lastError = "status 500"
    delivery.nextTryAt = 1000
    status.deliveries = [delivery]
    let admin = try RunningAdmin(status: status)
    defer { admin.stop() }
    let output = CommandRun(["status"], configuration: admin.configuration()).output
    #expect(output.contains("https://app.example.com, visit 1f0c9f5e… registered (until 1970-01-01T04:00:00.000Z)\n"))
    #expect(output.contains("retrying, 1,234 waiting (the oldest for 2 min"))
    #expect(output.contains("50 sent, 2 dead\n"))
    #expect(output.contains("last failure: status 500\n"))
    #expect(output.contains("next try at 1970-01-01T00:00:01.000Z\n"))
    #expect(!output.contains(RunningAdmin.visitorID))
  }
}
