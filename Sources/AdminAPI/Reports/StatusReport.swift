/// The state of the running proxy, as `GET /status` tells it; filled in by whoever knows.
///
/// Times are milliseconds since the epoch.
package struct StatusReport: Sendable, Hashable {
  /// Where the process is in its life.
  package enum Phase: String, Sendable, CaseIterable {
    /// Sockets or stores are not open yet.
    case starting
    case running
    /// No new connection is accepted; the open ones may finish until the deadline.
    case draining
  }

  /// What the binary was built from and runs on.
  package struct Versions: Sendable, Hashable {
    package var footfall = ""
    package var commit = ""
    package var swift = ""
    /// Name and version of each C library, in a fixed order.
    package var libraries: [Library] = []

    package struct Library: Sendable, Hashable {
      package var name: String
      package var version: String

      package init(_ name: String, _ version: String) {
        self.name = name
        self.version = version
      }
    }

    package init() {}
  }

  /// The configuration in force and what came of the last attempt to replace it.
  package struct Configuration: Sendable, Hashable {
    package var path = ""
    /// A short digest of the file's content.
    package var hash = ""
    package var loadedAt: Int64 = 0
    package var lastReload: Reload?

    package struct Reload: Sendable, Hashable {
      package var at: Int64
      package var succeeded: Bool
      /// The issues, one line each; errors when it did not succeed, warnings when it did.
      package var issues: [String]

      package init(at: Int64, succeeded: Bool, issues: [String]) {
        self.at = at
        self.succeeded = succeeded
        self.issues = issues
      }
    }

    package init() {}
  }

  /// The proxy's sockets and traffic.
  package struct Traffic: Sendable, Hashable {
    package var listen: [String] = []
    package var workers = 0
    package var clientConnections: Int64 = 0
    /// The most there may be.
    package var connectionLimit: Int64 = 0
    package var upstreamConnections: Int64 = 0
    package var tunnels: Int64 = 0
    package var requests: UInt64 = 0
    /// Exchanges that ended with a proxy error.
    package var failed: UInt64 = 0
    package var bytesFromClients: UInt64 = 0
    package var bytesToClients: UInt64 = 0

    package init() {}
  }

  /// The visitor id feature.
  package struct Visitor: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
      case on
      /// No `visitorID` section in the configuration.
      case off
      /// The section is invalid; the reasons say why.
      case invalid
    }

    package var state = State.off
    /// Why the feature is off, or what of it does not work while it is on.
    package var reasons: [String] = []
    package var header: String?
    /// In full; the rendering masks it.
    package var id: String?
    package var createdAt: Int64?
    package var expiresAt: Int64?
    package var ttlHours: Double?

    package init() {}
  }

  /// One configured rule and how often it mattered since the start.
  package struct Rule: Sendable, Hashable {
    package var name: String
    package var matchers: [String]
    package var effects: [String]
    package var matched: UInt64
    /// Evaluations that ended at a limit or with an error, and so without a match.
    package var failed: UInt64
    /// The flag that it asks, and the value with which it applies, in words; nil for a rule that asks none.
    package var gate: String?
    /// Why the rule, or a condition of it, is off; nil when all of it works.
    package var reason: String?

    package init(
      name: String, matchers: [String], effects: [String], matched: UInt64, failed: UInt64,
      gate: String? = nil, reason: String? = nil
    ) {
      self.name = name
      self.matchers = matchers
      self.effects = effects
      self.matched = matched
      self.failed = failed
      self.gate = gate
      self.reason = reason
    }
  }

  /// The embedded store of events.
  package struct Events: Sendable, Hashable {
    package var file = ""
    package var committed: UInt64 = 0
    package var pending: UInt64 = 0
    /// Dropped because the queue or the disk was full.
    package var droppedFull: UInt64 = 0
    /// Dropped because writing failed.
    package var droppedError: UInt64 = 0
    /// Stored events whose checksum did not hold; they are never handed out.
    package var damaged: UInt64 = 0
    /// Deleted because of the retention limits.
    package var expired: UInt64 = 0
    /// Damaged files that were moved aside.
    package var quarantined: UInt64 = 0
    /// The last attempt to write failed.
    package var isFailing = false
    package var rows: UInt64 = 0
    package var fileBytes: UInt64 = 0
    package var lastError: String?

    package init() {}
  }

  package var phase = Phase.starting
  package var processID: Int32 = 0
  package var startedAt: Int64 = 0
  package var uptimeSeconds: Double = 0
  package var versions = Versions()
  package var configuration = Configuration()
  package var traffic = Traffic()
  package var visitor = Visitor()
  package var rules: [Rule] = []
  /// Nil when nothing is recorded.
  package var events: Events?
  /// Nil when it is not configured.
  package var ahoy: Ahoy?
  /// Nil when it is not configured.
  package var cohorly: Cohorly?
  /// One for each backend that stored events are delivered to.
  package var deliveries: [Delivery] = []

  package init() {}
}
