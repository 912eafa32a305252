import Effects
import HTTPWire
import ProxyConfiguration
import ProxyCore

extension ProxySettings {
  /// The settings that a configuration states.
  ///
  /// - Parameters:
  ///   - users: what the file of users holds; nil without one.
  ///   - ownEndpoints: where this process listens.
  ///   - localAddresses: the addresses of this machine.
  ///   - connectionRoom: how many clients there are descriptors for.
  init(
    _ configuration: Configuration, users: UserTable? = nil, ownEndpoints: [Endpoint], localAddresses: [IPAddress],
    connectionRoom: Int = .max
  ) {
    self.init()
    timeouts.head = configuration.timeouts.head.wholeNanoseconds
    timeouts.idle = configuration.timeouts.idle.wholeNanoseconds
    timeouts.connect = configuration.timeouts.connect.wholeNanoseconds
    timeouts.read = configuration.timeouts.read.wholeNanoseconds
    timeouts.tunnel = configuration.timeouts.tunnel.wholeNanoseconds
    limits.head.requestLine = configuration.limits.requestLineBytes
    limits.head.head = configuration.limits.headBytes
    limits.head.fields = configuration.limits.fields
    limits.requestBody = configuration.limits.requestBodyBytes
    limits.connections = min(configuration.limits.connections, connectionRoom)
    limits.connectionsPerClient = configuration.limits.connectionsPerClient
    limits.requestsPerSecondPerClient = configuration.limits.requestsPerSecondPerClient
    limits.memory = configuration.limits.memoryMiB.map { $0 << 20 }
    limits.minimumBytesPerSecond = configuration.limits.minimumBytesPerSecond
    limits.idlePerOrigin = configuration.limits.idleUpstreamPerOrigin
    limits.connectionsPerOrigin = configuration.limits.upstreamConnectionsPerOrigin
    limits.resolverCache = configuration.limits.resolverCacheEntries
    trailers =
      switch configuration.proxy.trailers {
      case .forward: .forward
      case .drop: .drop
      }
    recording =
      switch configuration.events.record {
      case .all: .all
      case .matched: .matched
      case .none: .none
      }
    tunnelPorts = configuration.proxy.tunnelPorts
    self.users = users
    clients = configuration.access.clients.map { IPNetworkSet($0) }
    upgrades = configuration.proxy.upgrades.map { Array($0.utf8) }
    keepsQuery = configuration.events.keepQuery
    destinations.profile =
      switch configuration.proxy.profile {
      case .desktop: .desktop
      case .server: .server
      }
    destinations.allowed = IPNetworkSet(configuration.access.destinations.allow)
    destinations.denied = IPNetworkSet(configuration.access.destinations.deny)
    parent = configuration.upstream.proxy.map {
      ParentProxy(
        host: $0.host, port: $0.port, credentials: configuration.upstream.credentials,
        bypass: ParentBypass(configuration.upstream.bypass))
    }
    destinations.ownEndpoints = ownEndpoints
    destinations.localAddresses = localAddresses
  }
}

extension Duration {
  /// The duration in nanoseconds; the configuration's ranges keep it far below the limit.
  var wholeNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    let whole = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return whole.overflow ? UInt64.max / 2 : whole.partialValue &+ UInt64(clamping: attoseconds / 1_000_000_000)
  }

  /// The duration in whole milliseconds.
  var wholeMilliseconds: Int { Int(clamping: wholeNanoseconds / 1_000_000) }
}
