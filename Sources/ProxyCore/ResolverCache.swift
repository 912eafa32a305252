package import Effects

/// Addresses of names, for a while: a cap on the number of names and on their age, and short memory of failures.
package struct ResolverCache {
  /// What is known of a name.
  package enum Entry: Sendable, Equatable {
    case addresses([IPAddress])
    case failure(ProxyError)
  }

  private struct Item {
    let entry: Entry
    let expiresAt: UInt64
  }

  private var items: [String: Item] = [:]
  private let capacity: Int
  private let lifetime: UInt64
  private let failureLifetime: UInt64

  /// - Parameters:
  ///   - capacity: the most names kept.
  ///   - lifetime: how long addresses are used, nanoseconds; getaddrinfo(3) tells no lifetime of its own.
  ///   - failureLifetime: how long a failure is, nanoseconds.
  package init(capacity: Int, lifetime: UInt64 = 30_000_000_000, failureLifetime: UInt64 = 2_000_000_000) {
    self.capacity = max(capacity, 1)
    self.lifetime = lifetime
    self.failureLifetime = failureLifetime
  }

  package var count: Int { items.count }

  /// What is known of the name at that moment.
  package func entry(for host: String, at now: UInt64) -> Entry? {
    guard let item = items[host], now < item.expiresAt else { return nil }
    return item.entry
  }

  /// Remembers an answer. When full, expired names go first, then any.
  package mutating func store(_ entry: Entry, for host: String, at now: UInt64) {
    if items.count >= capacity, items[host] == nil {
      items = items.filter { now < $0.value.expiresAt }
      while items.count >= capacity, let victim = items.first { items[victim.key] = nil }
    }
    let lifetime: UInt64
    switch entry {
    case .addresses: lifetime = self.lifetime
    case .failure: lifetime = failureLifetime
    }
    items[host] = Item(entry: entry, expiresAt: now &+ lifetime)
  }

  /// Forgets a name whose addresses did not work.
  package mutating func forget(_ host: String) { items[host] = nil }
}
