import AdminAPI
import Effects
import FootfallApp
import Synchronization
import Testing

/// The commands that drive Ahoy and the delivery, against a real admin endpoint.
@Suite struct BackendCommandTests {
  private final class Asked: Sendable {
    let lines = Mutex<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  private static let eventID = "0199f0c2-5d3a-7e11-8a55-0123456789ab"

  private static func orders(_ asked: Asked, isComplete: Bool = true, letters: Int = 1) -> BackendOrders {
    BackendOrders(
      trackVisit: { params, reply in
        asked.note("visit \(JSONWriter.text(.object(params)))")
        reply(
          .success(
            VisitReport(
              visitToken: RunningAdmin.visitorID, visitorToken: RunningAdmin.visitorID, isRegistered: true,
              createdAt: 0,
              expiresAt: 14_400_000)))
      },
      track: { name, properties, reply in
        asked.note("track \(name) \(JSONWriter.text(.object(properties)))")
        reply(.success(eventID))
      },
      attach: { user, reply in
        asked.note("attach \(user ?? "nobody")")
        reply(.success(()))
      },
      flush: { reply in
        asked.note("flush")
        reply(
          .success([
            FlushOutcome(
              backend: "ahoy", sent: 1200, dead: isComplete ? 0 : 2, remaining: isComplete ? 0 : 5,
              isComplete: isComplete, obstacle: isComplete ? nil : "status 503")
          ]))
      },
      deadLetters: { query, reply in
        asked.note("letters \(query.backend ?? "all") \(query.limit)")
        let letter = DeadLetterPage.Letter(
          number: 1, backend: "ahoy", id: eventID, time: 0, diedAt: 1000, reason: "too large\u{1b}[31m",
          isQueued: false,
          payload: "{}")
        reply(.success(DeadLetterPage(letters: letters == 0 ? [] : [letter], total: UInt64(letters))))
      },
      requeue: { ids, backend, reply in
        asked.note("requeue \(ids?.joined(separator: ",") ?? "all") \(backend ?? "all")")
        reply(.success(UInt64(ids?.count ?? 7)))
      })
  }

  private func run(_ arguments: [String], _ asked: Asked = Asked(), isComplete: Bool = true, letters: Int = 1) throws
    -> CommandRun
  {
    let admin = try RunningAdmin(backends: Self.orders(asked, isComplete: isComplete, letters: letters))
    defer { admin.stop() }
    return CommandRun(arguments, configuration: admin.configuration())
  }

  @Test func registersAVisitWithItsParameters() throws {
    let asked = Asked()
    let run = try run(["visit", "-p", "utm_source=news", "--param=referrer=https://a.example/?x=1"], asked)
    #expect(run.code == .ok)
    #expect(run.output == "the visit 1f0c9f5e… is registered (until 1970-01-01T04:00:00.000Z)\n")
    #expect(asked.all == [#"visit {"utm_source":"news","referrer":"https://a.example/?x=1"}"#])
    #expect(try self.run(["visit", "--ids"]).output.contains(RunningAdmin.visitorID))
    #expect(try JSONReader().value(self.run(["visit", "--json"]).output)["registered"] == true)
  }

  @Test func queuesAnEventWithTypedProperties() throws {
    let asked = Asked()
    let run = try run(
      ["track", "Signed up", "--properties", #"{"price": 12.5, "ok": true}"#, "-p", "plan=pro"], asked)
    #expect(run.code == .ok)
    #expect(run.output == "the event \(Self.eventID) is stored\n")
    #expect(asked.all == [#"track Signed up {"price":12.5,"ok":true,"plan":"pro"}"#])
  }

  @Test(arguments: [
    ["track"], ["track", "a", "b"], ["track", "a", "--properties", "[1]"], ["track", "a", "--properties", "{"],
    ["track", "a", "-p", "x"], ["track", "a", "-p", "=x"], ["visit", "-p", "x=1", "-p", "x=2"], ["attach"],
    ["deadletters", "requeue"], ["deadletters", "requeue", "--all", "x"], ["deadletters", "list", "-n", "0"],
    ["deadletters", "list", "--backend", "a&b"],
  ])
  func wrongUseAsksNobody(arguments: [String]) throws {
    let asked = Asked()
    #expect(try run(arguments, asked).code == .usage)
    #expect(asked.all.isEmpty)
  }

  @Test func attachesAndDetaches() throws {
    let asked = Asked()
    #expect(try run(["attach", "42"], asked).output == "the user 42… is attached\n")
    #expect(try run(["detach"], asked).output == "no user is attached\n")
    #expect(asked.all == ["attach 42", "attach nobody"])
  }

  @Test func aFlushThatStoppedHalfwayIsAFailure() throws {
    let whole = try run(["flush"])
    #expect(whole.code == .ok)
    #expect(whole.output == "ahoy: 1,200 sent, 0 waiting\n")
    let part = try run(["flush"], isComplete: false)
    #expect(part.code == .unavailable)
    #expect(part.output == "ahoy: 1,200 sent, 2 dead, 5 waiting: status 503\n")
  }

  @Test func showsDeadLettersAndQueuesThemAgain() throws {
    let asked = Asked()
    let list = try run(["deadletters", "list", "--backend", "ahoy", "-n", "5"], asked)
    #expect(list.code == .ok)
    #expect(list.output.contains(Self.eventID))
    #expect(!list.output.contains("\u{1b}"))
    #expect(try run(["deadletters", "list"], letters: 0).output == "there are no dead letters\n")
    #expect(try run(["deadletters", "list"], letters: 1200).error.contains("1,200 in all"))
    #expect(try run(["deadletters", "requeue", "--all"], asked).output == "7 events queued again\n")
    #expect(
      try run(["deadletters", "requeue", Self.eventID, "--backend", "ahoy"], asked).output == "1 event queued again\n")
    #expect(asked.all == ["letters ahoy 5", "requeue all all", "requeue \(Self.eventID) ahoy"])
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
    #expect(run.error.contains("Ahoy is not configured"))
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
