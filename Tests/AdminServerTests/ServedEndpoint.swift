import AdminAPI
import AdminServer
import Effects
import LoopRuntime
import Synchronization
import TestKit

/// An admin endpoint on a loop and thread of its own, with a context that counts its orders.
final class ServedEndpoint: Sendable {
  private struct Running: Sendable {
    var thread: NativeThread
    var mailbox: LoopMailbox
    var bound: LoopBound<(EventLoop, AdminServer)>
  }

  private final class Counters: Sendable {
    let resets = Atomic(0)
  }

  private let counters: Counters
  private let running: Running
  let endpoint: Endpoint?

  /// How often a reset was ordered.
  var resets: Int { counters.resets.load(ordering: .acquiring) }

  init(
    at place: AdminServer.Place = .tcp(Endpoint(IPAddress(v4: 0x7f00_0001), port: 0)), token: String? = nil,
    options: AdminServerOptions = AdminServerOptions(), metricsRules: Int = 0,
    backends: BackendOrders = .notConfigured
  ) throws {
    let counters = Counters()
    let context = AdminContext(
      status: { StatusReport() },
      metrics: {
        var snapshot = MetricsSnapshot()
        snapshot.rules = (0..<metricsRules).map { .init(rule: "rule-\($0)", matched: 1, failed: 0) }
        return snapshot
      },
      liveness: { [] }, readiness: { [] },
      reset: { targets in
        counters.resets.add(1, ordering: .acquiringAndReleasing)
        return targets.map { ResetResult($0, .cleared) }
      },
      reload: { .draining },
      testRules: { RuleTestReport(url: $0, canonical: nil, refusal: nil, effects: [], rules: []) },
      backends: { backends })
    typealias Started = Result<(LoopMailbox, LoopBound<(EventLoop, AdminServer)>, Endpoint?), SystemError>
    let started = Handover<Started>()
    let thread = try NativeThread(name: "admin-test") {
      do throws(SystemError) {
        let loop = try EventLoop()
        let server = try AdminServer(
          loop, at: place, token: token, context: context, clock: ManualClock(), options: options)
        started.put(.success((loop.mailbox, LoopBound((loop, server), on: loop), server.endpoint)))
        loop.run()
        server.close()
      } catch {
        started.put(.failure(error))
      }
    }
    switch started.take() {
    case .success(let (mailbox, bound, endpoint)):
      running = Running(thread: thread, mailbox: mailbox, bound: bound)
      self.endpoint = endpoint
      self.counters = counters
    case .failure(let error):
      thread.join()
      throw error
    }
  }

  /// Ends the loop and the server; no call may follow.
  func stop() {
    let bound = running.bound
    running.mailbox.post { bound.value.0.stop() }
    running.thread.join()
  }

  /// The number of open connections, asked on the loop.
  func connectionCount() -> Int {
    let answer = Handover<Int>()
    let bound = running.bound
    running.mailbox.post { answer.put(bound.value.1.connectionCount) }
    return answer.take()
  }
}
