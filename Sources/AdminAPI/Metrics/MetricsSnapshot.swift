/// The counters and gauges of one moment, added up over all workers; filled in by whoever counts.
///
/// Labels come from closed sets or from the configuration, never from traffic: a client cannot grow the number of time
/// series.
package struct MetricsSnapshot: Sendable, Hashable {
  /// Finished exchanges of one kind.
  package struct RequestCount: Sendable, Hashable {
    /// `forward`, `tunnel` or `local`.
    package var mode: String
    /// The first digit of the status sent to the client; 0 when none was.
    package var statusClass: Int
    package var count: UInt64

    package init(mode: String, statusClass: Int, count: UInt64) {
      self.mode = mode
      self.statusClass = statusClass
      self.count = count
    }
  }

  /// A count under a name from a closed or configured set.
  package struct NamedCount: Sendable, Hashable {
    package var name: String
    package var count: UInt64

    package init(_ name: String, _ count: UInt64) {
      self.name = name
      self.count = count
    }
  }

  /// Durations sorted into buckets.
  package struct Histogram: Sendable, Hashable {
    /// Upper bounds in seconds, rising; the last bucket has none.
    package var bounds: [Double]
    /// Observations per bucket, not added up; one more than there are bounds.
    package var counts: [UInt64]
    /// The sum of all observations in seconds.
    package var sum: Double

    package init(bounds: [Double], counts: [UInt64], sum: Double) {
      self.bounds = bounds
      self.counts = counts
      self.sum = sum
    }
  }

  /// What one rule did.
  package struct RuleCount: Sendable, Hashable {
    package var rule: String
    package var matched: UInt64
    /// Evaluations that ended at a limit or with an error.
    package var failed: UInt64

    package init(rule: String, matched: UInt64, failed: UInt64) {
      self.rule = rule
      self.matched = matched
      self.failed = failed
    }
  }

  /// The operating system's view of the process.
  package struct Process: Sendable, Hashable {
    package var startTimeSeconds: Double = 0
    package var cpuSeconds: Double = 0
    package var residentBytes: UInt64 = 0
    package var openDescriptors: UInt64 = 0
    package var maximumDescriptors: UInt64 = 0

    package init() {}
  }

  package var versions = StatusReport.Versions()
  package var configurationHash = ""
  /// When the configuration in force was read, milliseconds since the epoch.
  package var configurationLoadedAt: Int64 = 0
  /// The last attempt to read a configuration succeeded.
  package var lastReloadSucceeded = true
  package var isReady = false

  package var requests: [RequestCount] = []
  package var requestDuration: Histogram?
  /// Proxy errors by stable code.
  package var errors: [NamedCount] = []
  package var clientConnections: UInt64 = 0
  package var upstreamConnections: UInt64 = 0
  package var tunnels: UInt64 = 0
  package var bytesFromClients: UInt64 = 0
  package var bytesToClients: UInt64 = 0
  package var connectionsAccepted: UInt64 = 0
  package var upstreamConnectionsOpened: UInt64 = 0
  package var upstreamConnectionsReused: UInt64 = 0

  package var rules: [RuleCount] = []
  /// Injected fields by name.
  package var injected: [NamedCount] = []

  /// Nil when nothing is recorded.
  package var events: StatusReport.Events?
  /// The backends that stored events are delivered to.
  package var deliveries: [StatusReport.Delivery] = []
  /// Whether the current visit of Ahoy is registered; nil when Ahoy is not configured.
  package var hasRegisteredVisit: Bool?
  /// Nil when Cohorly is not configured.
  package var cohorly: StatusReport.Cohorly?
  /// The rules that ask a flag.
  package var gates: [GateCount] = []
  package var process: Process?

  package init() {}
}
