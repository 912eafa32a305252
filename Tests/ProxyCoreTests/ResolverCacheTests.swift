import Effects
import ProxyCore
import Testing

@Suite struct ResolverCacheTests {
  private static let one = ResolverCache.Entry.addresses([IPAddress(v4: 1)])

  @Test func forgetsAddressesAndFailuresInTheirTime() {
    var cache = ResolverCache(capacity: 4, lifetime: 30, failureLifetime: 2)
    cache.store(Self.one, for: "a", at: 100)
    cache.store(.failure(.nameNotFound), for: "b", at: 100)
    #expect(cache.entry(for: "a", at: 129) == Self.one)
    #expect(cache.entry(for: "a", at: 130) == nil)
    #expect(cache.entry(for: "b", at: 101) == .failure(.nameNotFound))
    #expect(cache.entry(for: "b", at: 102) == nil)
    #expect(cache.entry(for: "c", at: 100) == nil)
  }

  @Test func neverHoldsMoreThanItsCapacity() {
    var cache = ResolverCache(capacity: 3, lifetime: 10)
    for number in 0..<50 {
      cache.store(Self.one, for: "n\(number)", at: UInt64(number))
      #expect(cache.count <= 3)
      #expect(cache.entry(for: "n\(number)", at: UInt64(number)) == Self.one)
    }
  }

  @Test func givesUpExpiredNamesFirst() {
    var cache = ResolverCache(capacity: 2, lifetime: 10)
    cache.store(Self.one, for: "old", at: 0)
    cache.store(Self.one, for: "young", at: 9)
    cache.store(Self.one, for: "new", at: 12)
    #expect(cache.entry(for: "young", at: 12) == Self.one)
    #expect(cache.entry(for: "new", at: 12) == Self.one)
  }

  @Test func replacesAndForgets() {
    var cache = ResolverCache(capacity: 0)
    cache.store(.failure(.nameLookupFailed), for: "a", at: 0)
    cache.store(Self.one, for: "a", at: 0)
    #expect(cache.count == 1)
    #expect(cache.entry(for: "a", at: 1) == Self.one)
    cache.forget("a")
    #expect(cache.entry(for: "a", at: 1) == nil)
  }
}
