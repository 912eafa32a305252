/// What is known of credentials that were sent before, so that a password is hashed once and not for each request.
///
/// Wrong ones are remembered for a while too, in a place of their own: they cannot push the good ones out.
package struct CredentialCache {
  /// What became of credentials.
  package enum Verdict: Sendable, Equatable {
    /// The user's name.
    case accepted([UInt8])
    case refused
  }

  private struct Item {
    let credentials: [UInt8]
    let verdict: Verdict
    let expiresAt: UInt64
  }

  private var accepted: [Int: Item] = [:]
  private var refused: [Int: Item] = [:]
  private let capacity: Int
  private let refusalLifetime: UInt64

  /// - Parameters:
  ///   - capacity: the most credentials of each kind.
  ///   - refusalLifetime: how long wrong ones are remembered, nanoseconds.
  package init(capacity: Int = 1024, refusalLifetime: UInt64 = 10_000_000_000) {
    self.capacity = max(capacity, 1)
    self.refusalLifetime = refusalLifetime
  }

  package var count: Int { accepted.count + refused.count }

  /// What is known of the credentials, which are the value of a field as it was received.
  package func verdict(for credentials: UnsafeBufferPointer<UInt8>, at now: UInt64) -> Verdict? {
    let key = CredentialCache.key(credentials)
    if let item = accepted[key], CredentialCache.equal(item.credentials, credentials) { return item.verdict }
    guard let item = refused[key], now < item.expiresAt, CredentialCache.equal(item.credentials, credentials) else {
      return nil
    }
    return item.verdict
  }

  /// Remembers a verdict. When there is no room, those that have expired go first, then any.
  package mutating func store(_ verdict: Verdict, for credentials: [UInt8], at now: UInt64) {
    let key = credentials.withUnsafeBufferPointer { CredentialCache.key($0) }
    switch verdict {
    case .accepted:
      CredentialCache.makeRoom(in: &accepted, for: key, capacity, now)
      accepted[key] = Item(credentials: credentials, verdict: verdict, expiresAt: UInt64.max)
    case .refused:
      CredentialCache.makeRoom(in: &refused, for: key, capacity, now)
      refused[key] = Item(credentials: credentials, verdict: verdict, expiresAt: now &+ refusalLifetime)
    }
  }

  /// Forgets everything, because users or passwords have changed.
  package mutating func removeAll() {
    accepted = [:]
    refused = [:]
  }

  private static func makeRoom(in items: inout [Int: Item], for key: Int, _ capacity: Int, _ now: UInt64) {
    guard items.count >= capacity, items[key] == nil else { return }
    items = items.filter { now < $0.value.expiresAt }
    while items.count >= capacity, let victim = items.first { items[victim.key] = nil }
  }

  /// A hash that nobody outside can foresee: the hasher has a secret of this process.
  private static func key(_ credentials: UnsafeBufferPointer<UInt8>) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(credentials))
    return hasher.finalize()
  }

  /// Compares in a time that does not tell where the first difference is.
  private static func equal(_ one: [UInt8], _ other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for index in one.indices { difference |= one[index] ^ other[index] }
    return difference == 0
  }
}
