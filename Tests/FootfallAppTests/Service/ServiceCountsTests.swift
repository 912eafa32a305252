import AdminAPI
import Effects
import ProxyCore
import ProxyServer
import Recording
import Storage
import Testing

@testable import FootfallApp

@Suite struct ServiceCountsTests {
  private func counts(answered: Int = 2, _ change: (inout WorkerCounters) -> Void) -> ServiceCounts {
    var counters = WorkerCounters()
    change(&counters)
    return ServiceCounts(counters: counters, answered: answered, workers: 2)
  }

  @Test func fillsTheTrafficOfTheStatus() {
    var traffic = StatusReport.Traffic()
    counts {
      $0.requests = 1
      $0.clientsOpen = 2
      $0.upstreamsOpen = 3
      $0.tunnelsOpen = 4
      $0.bytesFromClients = 5
      $0.bytesToClients = 6
      $0.errors[Int(ProxyError.nameNotFound.rawValue)] = 7
      $0.errors[Int(ProxyError.internalError.rawValue)] = 8
    }.fill(&traffic)
    var expected = StatusReport.Traffic()
    expected.requests = 1
    expected.clientConnections = 2
    expected.upstreamConnections = 3
    expected.tunnels = 4
    expected.bytesFromClients = 5
    expected.bytesToClients = 6
    expected.failed = 15
    #expect(traffic == expected)
  }

  @Test func fillsTheMetricsOfConnections() {
    var metrics = MetricsSnapshot()
    counts {
      $0.clientsOpen = 1
      $0.upstreamsOpen = 2
      $0.tunnelsOpen = 3
      $0.bytesFromClients = 4
      $0.bytesToClients = 5
      $0.clientsAccepted = 6
      $0.dials = 7
      $0.reuses = 8
    }.fill(&metrics)
    #expect(metrics.clientConnections == 1)
    #expect(metrics.upstreamConnections == 2)
    #expect(metrics.tunnels == 3)
    #expect(metrics.bytesFromClients == 4)
    #expect(metrics.bytesToClients == 5)
    #expect(metrics.connectionsAccepted == 6)
    #expect(metrics.upstreamConnectionsOpened == 7)
    #expect(metrics.upstreamConnectionsReused == 8)
  }

  @Test(arguments: [ExchangeRecord.Mode.forward, .tunnel, .local], 0...5)
  func namesEachModeAndClassOfStatus(_ mode: ExchangeRecord.Mode, _ statusClass: Int) {
    var metrics = MetricsSnapshot()
    counts { $0.responses[WorkerCounters.slot(mode, status: statusClass * 100)] = 9 }.fill(&metrics)
    #expect(metrics.requests.filter { $0.count > 0 } == [.init(mode: mode.name, statusClass: statusClass, count: 9)])
  }

  @Test func losesNoFinishedExchange() {
    var metrics = MetricsSnapshot()
    counts { counters in
      for slot in counters.responses.indices { counters.responses[slot] = 1 << slot }
    }.fill(&metrics)
    #expect(metrics.requests.map(\.count).reduce(0, |) == (1 << 18) - 1)
    #expect(Set(metrics.requests.map { "\($0.mode) \($0.statusClass)" }).count == 18)
  }

  @Test(arguments: ProxyError.allCases)
  func namesEachErrorByItsCode(_ error: ProxyError) {
    var metrics = MetricsSnapshot()
    counts { $0.errors[Int(error.rawValue)] = 3 }.fill(&metrics)
    #expect(metrics.errors.filter { $0.count > 0 } == [.init(error.code, 3)])
    #expect(metrics.errors.count == ProxyError.allCases.count)
  }

  @Test func tellsDurationsInSeconds() throws {
    var metrics = MetricsSnapshot()
    counts {
      $0.durations = Array(1...8)
      $0.durationMicroseconds = 2_500_000
    }.fill(&metrics)
    let histogram = try #require(metrics.requestDuration)
    #expect(histogram.bounds == [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10])
    #expect(histogram.counts == Array(1...8))
    #expect(histogram.sum == 2.5)
  }

  @Test func answersForRulesThatNoWorkerHasSeen() {
    let counts = counts {
      $0.ruleMatches = [4, 5]
      $0.ruleFailures = [6]
    }
    #expect((0..<3).map(counts.matched) == [4, 5, 0])
    #expect((0..<3).map(counts.failed) == [6, 0, 0])
  }

  @Test func isAliveOnlyWhenAllWorkersAnswer() {
    #expect(counts(answered: 2) { _ in }.isAlive)
    #expect(!counts(answered: 1) { _ in }.isAlive)
  }

  @Test func countsEveryEventThatWasNotStored() {
    var status = EventDatabaseStatus()
    status.committed = 1
    status.pending = 2
    status.droppedFull = 3
    status.droppedError = 4
    status.droppedClosed = 5
    status.expired = 6
    status.damaged = 7
    status.quarantined = 8
    status.rows = 9
    status.fileBytes = 10
    status.isFailing = true
    status.lastError = StoreError(.full, "no space")
    let report = StatusReport.Events(status, file: "/state/events.sqlite3", unrecorded: 100)
    var expected = StatusReport.Events()
    expected.file = "/state/events.sqlite3"
    expected.committed = 1
    expected.pending = 2
    expected.droppedFull = 103
    expected.droppedError = 9
    expected.expired = 6
    expected.damaged = 7
    expected.quarantined = 8
    expected.rows = 9
    expected.fileBytes = 10
    expected.isFailing = true
    expected.lastError = "full: no space"
    #expect(report == expected)
  }
}
