package import Effects

/// What each client address has at the moment: its connections, and how fast its requests come.
///
/// A network of 64 bits counts as one IPv6 client (`IPAddress.subscriber`).
package struct ClientTable: Sendable {
  private struct Client {
    var connections = 0
    /// When all requests so far would have been due at the allowed rate (generic cell rate algorithm).
    var due: UInt64 = 0
  }

  private var clients: [IPAddress: Client] = [:]
  private let capacity: Int
  private var nextSweep: UInt64 = 0

  /// - Parameter capacity: the most addresses that are known without having a connection.
  package init(capacity: Int = 65_536) { self.capacity = capacity }

  package var count: Int { clients.count }

  /// Counts a connection of the address; false, and it is not counted, when it has as many as the limit.
  package mutating func connect(_ address: IPAddress, limit: Int) -> Bool {
    let key = address.subscriber
    guard clients[key]?.connections ?? 0 < limit else { return false }
    clients[key, default: Client()].connections += 1
    return true
  }

  /// A counted connection has ended.
  package mutating func disconnect(_ address: IPAddress) {
    let key = address.subscriber
    guard var client = clients[key] else { return }
    client.connections -= 1
    // When there are too many, memory comes before what is known of the pace.
    let isOver = client.connections <= 0 && (client.due == 0 || clients.count > capacity)
    clients[key] = isOver ? nil : client
  }

  /// Takes one request of the address into account; false when it comes too early.
  ///
  /// - Parameters:
  ///   - perSecond: how many requests may come each second on average; as many may come at once after a second without.
  ///   - now: nanoseconds.
  package mutating func take(_ address: IPAddress, perSecond: Int, at now: UInt64) -> Bool {
    let key = address.subscriber
    var client = clients[key] ?? Client()
    let interval = 1_000_000_000 / UInt64(clamping: max(perSecond, 1))
    let due = max(client.due, now)
    guard due &- now &+ interval <= 1_000_000_000 else { return false }
    if clients.count >= capacity {
      sweep(now)
      // Memory is what is bounded: with so many addresses, one more goes uncounted.
      guard clients.count < capacity || clients[key] != nil else { return true }
    }
    client.due = due &+ interval
    clients[key] = client
    return true
  }

  /// Forgets those of whom there is nothing to know, at most once a second.
  private mutating func sweep(_ now: UInt64) {
    guard now >= nextSweep else { return }
    nextSweep = now &+ 1_000_000_000
    clients = clients.filter { $0.value.connections > 0 || $0.value.due > now }
  }
}

extension IPAddress {
  /// What stands for one client among the addresses: an IPv4 address, or an IPv6 network of 64 bits, because that is
  /// what one subscriber has.
  package var subscriber: IPAddress {
    let plain = unmapped
    return plain.isIPv6 ? IPAddress(high: plain.high, low: 0) : plain
  }
}
