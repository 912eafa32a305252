import ProxyCore
import Testing

@Suite struct SharedLookUpsTests {
  @Test func startsOneLookUpForAllWhoAsk() {
    var lookUps = SharedLookUps<Int>()
    #expect(lookUps.join("a", 1) == true)
    #expect(lookUps.join("a", 2) == false)
    #expect(lookUps.join("b", 3) == true)
    #expect(lookUps.join("a", 4) == false)
    #expect(lookUps.count == 2)
    #expect(lookUps.finish("a") == [1, 2, 4])
    #expect(lookUps.finish("a") == [])
    #expect(lookUps.join("a", 5) == true)
    #expect(lookUps.finish("b") == [3])
  }
}
