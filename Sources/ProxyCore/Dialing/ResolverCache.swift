package import Effects

/// Addresses of names, for a while: a cap on the number of names and on their age, and short memory of failures.
package struct ResolverCache {
  /// What is known of a name.
  package enum Entry: Sendable, Equatable {
    case addresses([IPAddress])
    case failure(ProxyError)
  }

  /// How long addresses that are too old are still used when the resolver fails for the moment, nanoseconds (after
  /// RFC 8767, which allows days).
  package static let staleLifetime: UInt64 = 3_600_000_000_000

  /// Names with addresses and names without are kept apart, so that a flood of names that do not exist takes no room
  /// from those that do.
  private var found: AgedTable
  private var failures: AgedTable
  private let lifetime: UInt64
  private let failureLifetime: UInt64

  /// - Parameters:
  ///   - capacity: the most names kept with addresses, at least one; of those without, a quarter as many.
  ///   - lifetime: how long addresses are used, nanoseconds; getaddrinfo(3) tells no lifetime of its own.
  ///   - failureLifetime: how long a failure is, nanoseconds.
  package init(capacity: Int, lifetime: UInt64 = 30_000_000_000, failureLifetime: UInt64 = 2_000_000_000) {
    found = AgedTable(capacity: max(capacity, 1))
    failures = AgedTable(capacity: max(capacity / 4, 1))
    self.lifetime = lifetime
    self.failureLifetime = failureLifetime
  }

  /// How many names are kept, old ones too.
  package var count: Int { found.count &+ failures.count }

  /// What is known of the name at that moment.
  package func entry(for host: String, at now: UInt64) -> Entry? {
    if let item = found[host], now < item.expiresAt { return item.entry }
    if let item = failures[host], now < item.expiresAt { return item.entry }
    return nil
  }

  /// Remembers an answer and returns what to go by: the answer, or addresses from before when the resolver failed for the
  /// moment. When full, the name that was stored first goes.
  @discardableResult
  package mutating func store(_ entry: Entry, for host: String, at now: UInt64) -> Entry {
    switch entry {
    case .addresses:
      failures.remove(host)
      let expiry = now &+ lifetime
      found.insert(
        AgedTable.Item(entry: entry, expiresAt: expiry, staleUntil: expiry &+ ResolverCache.staleLifetime), for: host)
    case .failure(.nameLookupFailed):
      guard let old = found[host], now < old.staleUntil else { return remember(entry, for: host, at: now) }
      // The resolver is asked again as soon as after any failure.
      found.insert(
        AgedTable.Item(entry: old.entry, expiresAt: now &+ failureLifetime, staleUntil: old.staleUntil), for: host)
      return old.entry
    case .failure(.overloaded):
      // It says nothing about the name.
      break
    case .failure:
      found.remove(host)
      return remember(entry, for: host, at: now)
    }
    return entry
  }

  private mutating func remember(_ failure: Entry, for host: String, at now: UInt64) -> Entry {
    failures.insert(AgedTable.Item(entry: failure, expiresAt: now &+ failureLifetime, staleUntil: 0), for: host)
    return failure
  }

  /// Forgets a name whose addresses did not work.
  package mutating func forget(_ host: String) {
    found.remove(host)
    failures.remove(host)
  }
}

/// Items by name, of which the one stored first goes when there are too many; constant time on average.
private struct AgedTable {
  struct Item {
    let entry: ResolverCache.Entry
    let expiresAt: UInt64
    /// Until when it may be used while there is nothing newer.
    let staleUntil: UInt64
    fileprivate var number = 0

    init(entry: ResolverCache.Entry, expiresAt: UInt64, staleUntil: UInt64) {
      self.entry = entry
      self.expiresAt = expiresAt
      self.staleUntil = staleUntil
    }
  }

  private var items: [String: Item] = [:]
  /// Names in the order in which they were stored, also those stored again since or removed: their number differs then.
  private var order: [(name: String, number: Int)] = []
  private var head = 0
  private var lastNumber = 0
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { items.count }

  subscript(name: String) -> Item? { items[name] }

  mutating func insert(_ item: Item, for name: String) {
    var item = item
    lastNumber &+= 1
    item.number = lastNumber
    items[name] = item
    order.append((name, lastNumber))
    while items.count > capacity, head < order.count {
      let oldest = order[head]
      head &+= 1
      if items[oldest.name]?.number == oldest.number { items[oldest.name] = nil }
    }
    // Looked through as a whole only when most of it is of no use any more.
    if order.count > items.count &* 2 &+ 64 { tidy() }
  }

  mutating func remove(_ name: String) { items[name] = nil }

  private mutating func tidy() {
    order = order[head...].filter { items[$0.name]?.number == $0.number }
    head = 0
  }
}
