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

  @Test func givesUpTheOldestFirst() {
    var cache = ResolverCache(capacity: 3, lifetime: 1000)
    for (moment, name) in ["a", "b", "c"].enumerated() { cache.store(Self.one, for: name, at: UInt64(moment)) }
    // Stored again, "a" is the youngest.
    cache.store(Self.one, for: "a", at: 3)
    cache.store(Self.one, for: "d", at: 4)
    #expect(cache.entry(for: "b", at: 5) == nil)
    for name in ["a", "c", "d"] { #expect(cache.entry(for: name, at: 5) == Self.one) }
    cache.forget("c")
    cache.store(Self.one, for: "e", at: 6)
    for name in ["a", "d", "e"] { #expect(cache.entry(for: name, at: 6) == Self.one) }
  }

  @Test func keepsNamesThatExistThroughAFloodOfThoseThatDoNot() {
    var cache = ResolverCache(capacity: 8)
    for number in 0..<8 { cache.store(Self.one, for: "n\(number)", at: 0) }
    for number in 0..<10_000 { cache.store(.failure(.nameNotFound), for: "x\(number)", at: 1) }
    for number in 0..<8 { #expect(cache.entry(for: "n\(number)", at: 2) == Self.one) }
    #expect(cache.count == 10)
    #expect(cache.entry(for: "x9999", at: 2) == .failure(.nameNotFound))
  }

  @Test func goesOnWithOldAddressesWhileTheResolverFails() {
    var cache = ResolverCache(capacity: 8, lifetime: 30, failureLifetime: 2)
    let end = 130 + ResolverCache.staleLifetime
    cache.store(Self.one, for: "a", at: 100)
    #expect(cache.store(.failure(.nameLookupFailed), for: "a", at: 200) == Self.one)
    #expect(cache.entry(for: "a", at: 201) == Self.one)
    // The resolver is asked again soon, and an answer counts.
    #expect(cache.entry(for: "a", at: 202) == nil)
    #expect(cache.store(.failure(.nameLookupFailed), for: "a", at: end) == .failure(.nameLookupFailed))
    cache.store(Self.one, for: "b", at: 100)
    #expect(cache.store(.failure(.nameNotFound), for: "b", at: 200) == .failure(.nameNotFound))
    #expect(cache.store(.failure(.nameLookupFailed), for: "b", at: 201) == .failure(.nameLookupFailed))
  }

  @Test func remembersNoFailureThatIsNotTheNames() {
    var cache = ResolverCache(capacity: 8)
    #expect(cache.store(.failure(.overloaded), for: "a", at: 0) == .failure(.overloaded))
    #expect(cache.entry(for: "a", at: 0) == nil)
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
