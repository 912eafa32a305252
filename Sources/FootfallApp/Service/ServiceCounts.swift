import AdminAPI
import Effects
import ProxyCore
import ProxyServer
import Recording
import Storage

/// The workers' counts in the words of the admin endpoint.
struct ServiceCounts {
  let counters: WorkerCounters
  /// Workers that answered in time, of how many.
  let answered: Int
  let workers: Int

  var isAlive: Bool { answered == workers }

  func fill(_ traffic: inout StatusReport.Traffic) {
    traffic.clientConnections = Int64(counters.clientsOpen)
    traffic.upstreamConnections = Int64(counters.upstreamsOpen)
    traffic.tunnels = Int64(counters.tunnelsOpen)
    traffic.requests = UInt64(clamping: counters.requests)
    traffic.failed = UInt64(clamping: counters.errors.reduce(0, +))
    traffic.bytesFromClients = UInt64(clamping: counters.bytesFromClients)
    traffic.bytesToClients = UInt64(clamping: counters.bytesToClients)
  }

  func fill(_ metrics: inout MetricsSnapshot) {
    for mode in [ExchangeRecord.Mode.forward, .tunnel, .local] {
      // 0: the client was gone before a status could be sent.
      for statusClass in 0...5 {
        let count = counters.responses[WorkerCounters.slot(mode, status: statusClass * 100)]
        metrics.requests.append(.init(mode: mode.name, statusClass: statusClass, count: UInt64(clamping: count)))
      }
    }
    metrics.requestDuration = .init(
      bounds: WorkerCounters.durationBounds.map { Double($0) / 1_000_000 },
      counts: counters.durations.map { UInt64(clamping: $0) }, sum: Double(counters.durationMicroseconds) / 1_000_000)
    metrics.errors = ProxyError.allCases.map { .init($0.code, UInt64(clamping: counters.errors[Int($0.rawValue)])) }
    metrics.clientConnections = UInt64(clamping: counters.clientsOpen)
    metrics.upstreamConnections = UInt64(clamping: counters.upstreamsOpen)
    metrics.tunnels = UInt64(clamping: counters.tunnelsOpen)
    metrics.bytesFromClients = UInt64(clamping: counters.bytesFromClients)
    metrics.bytesToClients = UInt64(clamping: counters.bytesToClients)
    metrics.connectionsAccepted = UInt64(clamping: counters.clientsAccepted)
    metrics.upstreamConnectionsOpened = UInt64(clamping: counters.dials)
    metrics.upstreamConnectionsReused = UInt64(clamping: counters.reuses)
  }

  func matched(_ rule: Int) -> UInt64 {
    rule < counters.ruleMatches.count ? UInt64(clamping: counters.ruleMatches[rule]) : 0
  }

  func failed(_ rule: Int) -> UInt64 {
    rule < counters.ruleFailures.count ? UInt64(clamping: counters.ruleFailures[rule]) : 0
  }
}

extension ServiceCounts {
  /// What the workers of the service count now.
  init(_ service: ProxyService) {
    let (counters, answered, workers) = service.counters(waitMilliseconds: 500)
    self.init(counters: counters, answered: answered, workers: workers)
  }
}

extension StatusReport.Events {
  /// The store's state in the words of the admin endpoint.
  ///
  /// - Parameter unrecorded: exchanges that never reached the store because the recorder fell behind.
  init(_ status: EventDatabaseStatus, file: String, unrecorded: Int64) {
    self.init()
    self.file = file
    committed = UInt64(clamping: status.committed)
    pending = UInt64(clamping: status.pending)
    droppedFull = UInt64(clamping: status.droppedFull &+ unrecorded)
    droppedError = UInt64(clamping: status.droppedError &+ status.droppedClosed)
    damaged = UInt64(clamping: status.damaged)
    expired = UInt64(clamping: status.expired)
    quarantined = UInt64(clamping: status.quarantined)
    isFailing = status.isFailing
    rows = UInt64(clamping: status.rows)
    fileBytes = UInt64(clamping: status.fileBytes)
    lastError = status.lastError?.description
  }
}
