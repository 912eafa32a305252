import ProxyCore
import Testing

@Suite struct CredentialCacheTests {
  private func verdict(_ cache: CredentialCache, _ text: String, at now: UInt64 = 0) -> CredentialCache.Verdict? {
    Array(text.utf8).withUnsafeBufferPointer { cache.verdict(for: $0, at: now) }
  }

  @Test func remembersGoodOnesForGoodAndWrongOnesForAWhile() {
    var cache = CredentialCache(refusalLifetime: 10)
    cache.store(.accepted([1]), for: Array("right".utf8), at: 0)
    cache.store(.refused, for: Array("wrong".utf8), at: 5)
    #expect(verdict(cache, "right", at: .max) == .accepted([1]))
    #expect(verdict(cache, "wrong", at: 14) == .refused)
    #expect(verdict(cache, "wrong", at: 15) == nil)
    for other in ["righ", "rightt", "Right", ""] { #expect(verdict(cache, other) == nil) }
    cache.removeAll()
    #expect(verdict(cache, "right") == nil)
    #expect(cache.count == 0)
  }

  @Test func wrongOnesCannotPushGoodOnesOut() {
    var cache = CredentialCache(capacity: 8)
    cache.store(.accepted([1]), for: [1], at: 0)
    for number in UInt8(2)..<200 { cache.store(.refused, for: [number], at: 0) }
    #expect(cache.count == 9)
    #expect([UInt8(1)].withUnsafeBufferPointer { cache.verdict(for: $0, at: 0) } == .accepted([1]))
  }

  @Test func holdsNoMoreThanItsCapacity() {
    var cache = CredentialCache(capacity: 8)
    for number in UInt8(0)..<100 { cache.store(.accepted([number]), for: [number], at: 0) }
    #expect(cache.count == 8)
    #expect([UInt8(99)].withUnsafeBufferPointer { cache.verdict(for: $0, at: 0) } == .accepted([99]))
  }
}
