package import Effects
package import HTTPWire

/// How long the proxy waits, in nanoseconds.
package struct ProxyTimeouts: Sendable, Equatable {
  /// From the first byte of a request head to its last.
  package var head: UInt64 = 10_000_000_000
  /// A client connection without a request, and a pooled one to an origin.
  package var idle: UInt64 = 60_000_000_000
  /// Name resolution and connecting together.
  package var connect: UInt64 = 10_000_000_000
  /// Between two steps of an exchange: the next bytes of a body, the first of a response, room for the next write.
  package var read: UInt64 = 60_000_000_000
  /// A tunnel through which nothing passes.
  package var tunnel: UInt64 = 600_000_000_000
  /// An origin that says nothing to `Expect: 100-continue`: then the proxy lets the client send its body. Not
  /// configurable; clients that wait by themselves wait about as long.
  package var expectation: UInt64 = 1_000_000_000

  package init() {}
}

/// How much the proxy takes.
package struct ProxyLimits: Sendable, Equatable {
  package var head = HeadLimits()
  /// The largest request body in bytes; nil for no limit.
  package var requestBody: Int64?
  /// Client connections of the whole process.
  package var connections = 10_000
  /// Client connections of one address; nil for no limit.
  package var connectionsPerClient: Int?
  /// Requests of one address each second, on average over a second; nil for no limit.
  package var requestsPerSecondPerClient: Int?
  /// Bytes that the process holds for its peers, in buffers of its own; nil for no limit.
  package var memory: Int?
  /// How fast a client must at least send a body or take an answer, over `timeouts.read`; nil for no limit.
  package var minimumBytesPerSecond: Int? = 500
  /// Idle connections kept for one origin by one worker.
  package var idlePerOrigin = 64
  /// Names whose addresses one worker remembers.
  package var resolverCache = 1024
  /// Connections of the whole process to one origin; tunnels and those to a parent proxy do not count.
  package var connectionsPerOrigin = 256
  /// Requests of one worker that wait until one of those is free. Far more than anyone lets in: many clients of one
  /// origin are no fault, and who waits too long is refused when `timeouts.connect` is over.
  package var waitingPerOrigin = 65_536

  package init() {}

  /// What one of several workers may have of a number for all: together not more, but each at least one.
  package static func share(of total: Int, worker: Int, of workers: Int) -> Int {
    let workers = max(workers, 1)
    return max(total / workers &+ (worker < total % workers ? 1 : 0), 1)
  }
}

/// Which finished exchanges become records.
package enum RecordingScope: Sendable, Equatable {
  case all, matched, none
}

/// What is done with trailer fields.
package enum TrailerPolicy: Sendable, Equatable {
  case forward, drop
}

/// Ports that CONNECT may name.
package enum TunnelPorts: Sendable, Equatable {
  /// 80, 443 and those from 1024: not those of mail, shells and other services that were never meant to be proxied.
  case usual
  case any
  /// These ranges.
  case only([ClosedRange<UInt16>])

  /// Whether a tunnel to that port may be made.
  package func allow(_ port: UInt16) -> Bool {
    switch self {
    case .usual: port == 80 || port == 443 || port >= 1024
    case .any: true
    case .only(let ranges): ranges.contains { $0.contains(port) }
    }
  }
}

/// Everything the operator sets about proxying itself.
package struct ProxySettings: Sendable {
  package var timeouts = ProxyTimeouts()
  package var limits = ProxyLimits()
  package var trailers = TrailerPolicy.forward
  package var recording = RecordingScope.all
  /// Whether records keep the query of a URL.
  package var keepsQuery = false
  package var destinations = DestinationPolicy()
  /// Where clients may come from; nil for everywhere.
  package var clients: IPNetworkSet?
  /// Who may use the proxy; nil for everyone, without a password.
  package var users: UserTable?
  package var tunnelPorts = TunnelPorts.usual
  /// The proxy behind this one; nil for none.
  package var parent: ParentProxy?
  /// The protocols that `Upgrade` may ask an origin for, in lower case.
  package var upgrades = [Array("websocket".utf8)]

  package init() {}

  /// Whether any request could be refused for whom it comes from.
  package var checksRequests: Bool {
    clients != nil || users != nil || limits.requestsPerSecondPerClient != nil || limits.memory != nil
  }

  /// Whether a client of that address may use the proxy.
  package func admits(_ address: IPAddress?) -> Bool {
    guard let clients else { return true }
    return address.map(clients.contains) ?? false
  }
}
