import AdminAPI
import AdminServer
import Effects
import LoopRuntime
import Storage
import TestKit

/// An admin endpoint on a thread of its own, for commands to talk to.
final class RunningAdmin: Sendable {
  static let visitorID = "1f0c9f5e-6a3b-4c1d-8e2f-0123456789ab"

  private let thread: NativeThread
  private let mailbox: LoopMailbox
  private let bound: LoopBound<(EventLoop, AdminServer)>
  /// The address as `admin.listen` names it.
  let address: String

  init(
    unixPath: String? = nil, token: String? = nil,
    reset: ResetResult.Outcome = .renewed(id: RunningAdmin.visitorID),
    reload: ReloadOutcome = .reloaded(hash: "c0ffee", warnings: []), status: StatusReport = RunningAdmin.status,
    backends: BackendOrders = .notConfigured
  ) throws {
    let context = AdminContext(
      status: { status }, metrics: { MetricsSnapshot() }, liveness: { [] }, readiness: { [] },
      reset: { $0.map { ResetResult($0, reset) } }, reload: { reload },
      testRules: { RuleTestReport(url: $0, canonical: nil, refusal: nil, effects: [], rules: []) },
      backends: { [backends] in backends })
    typealias Started = (LoopMailbox, LoopBound<(EventLoop, AdminServer)>, Endpoint?)
    let started = Handover<Result<Started, SystemError>>()
    thread = try NativeThread(name: "admin-test") {
      do throws(SystemError) {
        let loop = try EventLoop()
        let place: AdminServer.Place =
          unixPath.map { .unix(path: $0) } ?? .tcp(Endpoint(IPAddress(v4: 0x7f00_0001), port: 0))
        let server = try AdminServer(loop, at: place, token: token, context: context, clock: SystemWallClock())
        let bound = LoopBound((loop, server), on: loop)
        let endpoint = server.endpoint
        started.put(.success((loop.mailbox, bound, endpoint)))
        loop.run()
        server.close()
      } catch {
        started.put(.failure(error))
      }
    }
    let endpoint: Endpoint?
    (mailbox, bound, endpoint) = try started.take().get()
    address = endpoint?.description ?? "unix:\(unixPath ?? "")"
  }

  func stop() {
    let bound = bound
    mailbox.post { bound.value.0.stop() }
    thread.join()
  }

  /// A configuration that names the endpoint.
  func configuration(tokenFile: String? = nil) -> String {
    let token = tokenFile.map { #", "tokenFile": "\#($0)""# } ?? ""
    return #"{"admin": {"listen": "\#(address)"\#(token)}, "rules": []}"#
  }

  static var status: StatusReport {
    var report = StatusReport()
    report.phase = .running
    report.processID = 4711
    report.uptimeSeconds = 11_520
    report.versions.footfall = "0.1.0"
    report.configuration.path = "/etc/footfall/config.json"
    report.configuration.lastReload = .init(at: 0, succeeded: false, issues: ["config.json:1:1: error\u{1b}[31m"])
    report.traffic.listen = ["127.0.0.1:8080"]
    report.traffic.workers = 2
    report.traffic.requests = 12_345
    report.visitor.state = .on
    report.visitor.header = "x-visitor-id"
    report.visitor.id = visitorID
    report.rules = [.init(name: "api", matchers: [], effects: ["visitorID"], matched: 1200, failed: 1)]
    var events = StatusReport.Events()
    events.file = "/var/lib/footfall/events.sqlite3"
    events.droppedFull = 3
    report.events = events
    return report
  }
}
