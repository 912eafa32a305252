import AdminAPI
import Effects
import Synchronization

/// A context with a value in every place, which records the orders it gets.
final class SampleContext: Sendable {
  static let visitorID = "1f0c9f5e-6a3b-4c1d-8e2f-0123456789ab"

  struct Orders: Sendable, Equatable {
    var resets: [[ResetTarget]] = []
    var reloads = 0
    var testedURLs: [String] = []
    var visits: [[JSONMember]] = []
    var events: [String] = []
    var users: [String?] = []
    var flushes = 0
    var queries: [DeadLetterQuery] = []
    var requeued: [[String]?] = []
    var identified: [String] = []
    var changes: [[PeopleChange]] = []
    var flagReads = 0
    var flagReloads = 0
    var identityResets: [Bool] = []
  }

  private let recorded = Mutex(Orders())
  /// What was ordered so far.
  var orders: Orders { recorded.withLock { $0 } }
  let resetOutcome: ResetResult.Outcome
  let reloadOutcome: ReloadOutcome
  let readiness: [HealthCheck]
  let refusal: OrderRefusal?
  let hasCohorly: Bool

  init(
    resetOutcome: ResetResult.Outcome = .renewed(id: SampleContext.visitorID),
    reloadOutcome: ReloadOutcome = .reloaded(hash: "c0ffee", warnings: ["a warning"]),
    readiness: [HealthCheck] = [HealthCheck("listeners", passes: true), HealthCheck("accepting", passes: true)],
    refusal: OrderRefusal? = nil, hasCohorly: Bool = true
  ) {
    self.hasCohorly = hasCohorly
    self.refusal = refusal
    self.resetOutcome = resetOutcome
    self.reloadOutcome = reloadOutcome
    self.readiness = readiness
  }

  var context: AdminContext {
    AdminContext(
      status: { SampleContext.status },
      metrics: { SampleContext.metrics },
      liveness: { [HealthCheck("loops", passes: true)] },
      readiness: { self.readiness },
      reset: { targets in
        self.recorded.withLock { $0.resets.append(targets) }
        return targets.map { ResetResult($0, self.resetOutcome) }
      },
      reload: {
        self.recorded.withLock { $0.reloads += 1 }
        return self.reloadOutcome
      },
      testRules: { url in
        self.recorded.withLock { $0.testedURLs.append(url) }
        return RuleTestReport(
          url: url, canonical: url, refusal: nil, effects: ["visitorID"],
          rules: [.init(name: "api", matches: true, reasons: ["prefix"], effects: ["visitorID"])])
      }, backends: { [backends] in backends })
  }

  private func result<Value>(_ value: Value) -> Result<Value, OrderRefusal> {
    refusal.map { .failure($0) } ?? .success(value)
  }

  private var backends: BackendOrders {
    BackendOrders(
      trackVisit: { params, reply in
        self.recorded.withLock { $0.visits.append(params) }
        reply(
          self.result(
            VisitReport(
              visitToken: SampleContext.visitorID, visitorToken: "9e107d9d-372b-4b1c-9d0c-0123456789ab",
              isRegistered: true, createdAt: 1_796_022_323_120, expiresAt: 1_796_036_723_120)))
      },
      track: { name, _, reply in
        self.recorded.withLock { $0.events.append(name) }
        reply(self.result("0199f0c2-5d3a-7e11-8a55-0123456789ab"))
      },
      attach: { user, reply in
        self.recorded.withLock { $0.users.append(user) }
        reply(self.result(()))
      },
      flush: { reply in
        self.recorded.withLock { $0.flushes += 1 }
        reply(
          self.result([
            FlushOutcome(backend: "ahoy", sent: 3, dead: 1, remaining: 2, isComplete: false, obstacle: "status 503")
          ]))
      },
      deadLetters: { query, reply in
        self.recorded.withLock { $0.queries.append(query) }
        let letter = DeadLetterPage.Letter(
          number: 7, backend: "ahoy", id: "0199f0c2-5d3a-7e11-8a55-0123456789ab", time: 1_796_022_323_120,
          diedAt: 1_796_022_330_000, reason: "too large", isQueued: false, payload: #"{"event":"x"}"#)
        reply(self.result(DeadLetterPage(letters: [letter], total: 1)))
      },
      requeue: { ids, _, reply in
        self.recorded.withLock { $0.requeued.append(ids) }
        reply(self.result(2))
      }, cohorly: hasCohorly ? cohorly : nil)
  }

  private var cohorly: CohorlyOrders {
    CohorlyOrders(
      identify: { id, reply in
        self.recorded.withLock { $0.identified.append(id) }
        reply(
          self.result(
            IdentityReport(
              distinctID: id, deviceID: SampleContext.visitorID, isAnonymous: false, isChanged: id != "same")))
      },
      people: { changes, reply in
        self.recorded.withLock { $0.changes.append(changes) }
        reply(self.result(changes.count))
      },
      flags: { reply in
        self.recorded.withLock { $0.flagReads += 1 }
        reply(self.result(SampleContext.flags))
      },
      reloadFlags: { reply in
        self.recorded.withLock { $0.flagReloads += 1 }
        reply(self.result(SampleContext.flags))
      },
      reset: { flushFirst, reply in
        self.recorded.withLock { $0.identityResets.append(flushFirst) }
        reply(self.result(IdentityReset(distinctID: SampleContext.visitorID, discarded: flushFirst ? 0 : 12)))
      })
  }

  /// A router for the endpoint on 127.0.0.1:8081.
  func router(token: String? = nil) -> AdminRouter {
    AdminRouter(policy: .tcp(address: "127.0.0.1", port: 8081, token: token), context: context)
  }

  static var status: StatusReport {
    var report = StatusReport()
    report.phase = .running
    report.processID = 4711
    report.startedAt = 1_796_022_323_120
    report.uptimeSeconds = 12.5
    report.versions = versions
    report.configuration.path = "/etc/footfall/config.json"
    report.configuration.hash = "c0ffee"
    report.configuration.loadedAt = 1_796_022_323_000
    report.configuration.lastReload = .init(at: 1_796_022_400_000, succeeded: false, issues: ["an issue"])
    report.traffic.listen = ["127.0.0.1:8080"]
    report.traffic.workers = 2
    report.visitor.state = .on
    report.visitor.header = "x-visitor-id"
    report.visitor.id = visitorID
    report.visitor.createdAt = 1_796_022_323_120
    report.visitor.expiresAt = 1_796_108_723_120
    report.visitor.ttlHours = 24
    report.rules = [.init(name: "api", matchers: ["prefix"], effects: ["visitorID"], matched: 3, failed: 1)]
    report.events = events
    report.ahoy = ahoy
    report.cohorly = cohorly
    report.deliveries = [delivery]
    return report
  }

  static var versions: StatusReport.Versions {
    var versions = StatusReport.Versions()
    versions.footfall = "0.1.0"
    versions.commit = "abc1234"
    versions.swift = "6.3.1"
    versions.libraries = [.init("libevent", "2.1.12-stable"), .init("PCRE2", "10.42")]
    return versions
  }

  static var ahoy: StatusReport.Ahoy {
    var ahoy = StatusReport.Ahoy()
    ahoy.baseURL = "https://app.example.com"
    ahoy.userAgent = "AhoySwift/1.0 (X11; Linux x86_64)"
    ahoy.visitToken = "5f0c9f5e-6a3b-4c1d-8e2f-0123456789ab"
    ahoy.visitorToken = visitorID
    ahoy.isRegistered = true
    ahoy.createdAt = 1_796_022_323_120
    ahoy.expiresAt = 1_796_036_723_120
    ahoy.userID = "user-4711-of-north"
    ahoy.lastError = "status 503"
    return ahoy
  }

  static var cohorly: StatusReport.Cohorly {
    var cohorly = StatusReport.Cohorly()
    cohorly.apiHost = "https://cohorly.example.com"
    cohorly.hasToken = true
    cohorly.distinctID = "user-4711-of-north"
    cohorly.deviceID = visitorID
    cohorly.isAnonymous = false
    cohorly.flagPolicy = "networkFirst"
    cohorly.flagsAreLoaded = true
    cohorly.flagSource = .network
    cohorly.flagCount = 3
    cohorly.flagsEvaluatedAt = 1_796_022_323_120
    cohorly.flagEvaluations = 5
    cohorly.flagFailures = 2
    cohorly.refusedOperations = 1
    cohorly.failedAliases = 1
    cohorly.lastError = "status 429"
    cohorly.lastErrorAt = 1_796_022_400_000
    return cohorly
  }

  static var flags: FlagsReport {
    FlagsReport(
      policy: "networkFirst", distinctID: "user-4711-of-north", isLoaded: true, evaluatedAt: 1_796_022_323_120,
      lastError: "status 429",
      flags: [
        .init(
          key: "banner", value: .text("blue"), isEnabled: true, variant: "blue", payload: ["color": "#00f"],
          source: .persistence, persistedAt: 1_796_022_323_120, ttlMilliseconds: 86_400_000),
        .init(key: "checkout", value: .bool(true), isEnabled: true, source: .network),
      ],
      gates: [
        .init(
          rule: "api", flag: "checkout", expected: .bool(true), fallback: .bool(false), value: .bool(true),
          source: .network, applies: true),
        .init(
          rule: "web", flag: "nope", expected: .text("blue"), fallback: .text("red"), value: .text("red"),
          source: .fallback, applies: false),
      ])
  }

  static var delivery: StatusReport.Delivery {
    var delivery = StatusReport.Delivery(backend: "ahoy")
    delivery.state = .retrying
    delivery.depth = 12
    delivery.oldestAgeSeconds = 3.5
    delivery.sent = 100
    delivery.retried = 4
    delivery.dropped = 1
    delivery.dead = 2
    delivery.requests = 11
    delivery.inFlight = 1
    delivery.lastError = "status 503"
    delivery.lastErrorAt = 1_796_022_400_000
    delivery.nextTryAt = 1_796_022_401_000
    return delivery
  }

  static var events: StatusReport.Events {
    var events = StatusReport.Events()
    events.file = "/var/lib/footfall/events.sqlite3"
    events.committed = 10
    events.droppedFull = 2
    return events
  }

  static var metrics: MetricsSnapshot {
    var snapshot = MetricsSnapshot()
    snapshot.versions = versions
    snapshot.configurationHash = "c0ffee"
    snapshot.configurationLoadedAt = 1_796_022_323_500
    snapshot.isReady = true
    snapshot.requests = [
      .init(mode: "forward", statusClass: 2, count: 7), .init(mode: "tunnel", statusClass: 0, count: 1),
    ]
    snapshot.requestDuration = .init(bounds: [0.001, 0.01], counts: [3, 2, 1], sum: 0.25)
    snapshot.errors = [.init("connectionRefused", 1)]
    snapshot.rules = [.init(rule: "with \"quotes\"", matched: 3, failed: 1)]
    snapshot.injected = [.init("x-visitor-id", 3)]
    snapshot.events = events
    snapshot.deliveries = [delivery]
    snapshot.hasRegisteredVisit = true
    snapshot.cohorly = cohorly
    snapshot.gates = [
      .init(rule: "api", flag: "checkout", value: "true", count: 7),
      .init(rule: "api", flag: "checkout", value: "false", count: 2),
    ]
    snapshot.process = MetricsSnapshot.Process()
    return snapshot
  }
}

extension AdminRequest {
  /// A request as a well-behaved client on this machine sends it.
  static func local(
    _ method: String, _ target: String, body: String? = nil, fields: [Field] = []
  ) -> AdminRequest {
    var all = [Field("host", "127.0.0.1:8081")] + fields
    if method == "POST", !fields.contains(where: { $0.name == "content-type" }) {
      all.append(Field("content-type", "application/json"))
    }
    return AdminRequest(method: method, target: target, fields: all, body: Array((body ?? "").utf8))
  }
}

extension AdminResponse {
  /// The body as JSON.
  func json() throws -> JSONValue { try JSONReader().value(body) }

  /// The code of an error answer.
  var errorCode: String? { (try? json())?["error"]?["code"]?.string }
}

extension AdminRouter {
  /// The answer, also of an operation that answers later: the sample answers at once.
  func answer(_ request: AdminRequest) -> AdminResponse {
    switch respond(to: request) {
    case .ready(let response): return response
    case .later(let start):
      let arrived = Arrival()
      start { response in arrived.response.withLock { $0 = response } }
      return arrived.response.withLock { $0 } ?? AdminResponse.json([:], status: 599)
    }
  }

  private final class Arrival: Sendable {
    let response = Mutex<AdminResponse?>(nil)
  }
}
