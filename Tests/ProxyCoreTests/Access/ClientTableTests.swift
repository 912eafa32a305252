import Effects
import ProxyCore
import Testing

@Suite struct ClientTableTests {
  private static let second: UInt64 = 1_000_000_000
  private let one = IPAddress(v4: 0x7f00_0001)
  private let other = IPAddress(v4: 0x7f00_0002)

  @Test func countsConnectionsOfEachAddress() {
    let table = Table()
    for _ in 0..<3 { #expect(table.connect(one, limit: 3)) }
    #expect(!table.connect(one, limit: 3))
    #expect(!table.connect(IPAddress(high: 0, low: 0xffff_7f00_0001), limit: 3), "the same client, mapped")
    #expect(table.connect(other, limit: 3))
    table.disconnect(one)
    #expect(table.connect(one, limit: 3))
    for address in [one, one, one, other] { table.disconnect(address) }
    #expect(table.count == 0)
  }

  @Test func takesAnIPv6NetworkForOneClient() {
    let table = Table()
    #expect(table.connect(IPAddress(high: 7, low: 1), limit: 1))
    #expect(!table.connect(IPAddress(high: 7, low: 2), limit: 1))
    #expect(table.connect(IPAddress(high: 8, low: 1), limit: 1))
  }

  @Test(arguments: [1, 3, 10, 1000])
  func letsAsManyRequestsThroughAsTheRateSays(rate: Int) {
    let table = Table()
    var now = 5 * Self.second
    let burst = (0..<rate * 2).filter { _ in table.take(one, perSecond: rate, at: now) }.count
    #expect(burst == rate)
    #expect(table.take(other, perSecond: rate, at: now), "another client")
    var passed = 0
    // Asked ten times as often as allowed, for ten seconds.
    for _ in 0..<rate * 100 {
      now += Self.second / UInt64(rate * 10)
      if table.take(one, perSecond: rate, at: now) { passed += 1 }
    }
    #expect((rate * 10 - 1...rate * 10 + 1).contains(passed), "\(passed)")
    now += 3 * Self.second
    #expect(
      (0..<rate * 2).filter { _ in table.take(one, perSecond: rate, at: now) }.count == rate, "no more is saved up")
  }

  @Test func isBoundedWhateverComes() {
    let table = Table(capacity: 100)
    #expect(table.connect(one, limit: 1))
    for number in UInt32(0)..<1000 {
      #expect(table.take(IPAddress(v4: 0x0a00_0000 + number), perSecond: 1, at: 0))
    }
    #expect(table.count == 100)
    #expect(!table.take(IPAddress(v4: 0x0a00_0001), perSecond: 1, at: 0), "those that are known stay known")
    #expect(table.take(IPAddress(v4: 0x0b00_0001), perSecond: 1, at: 10 * Self.second))
    #expect(table.count == 2, "those whose time is over make room, open connections stay")
    #expect(!table.connect(one, limit: 1))
  }

  @Test func isBoundedAlsoWhereConnectionsCount() {
    let table = Table(capacity: 100)
    for number in UInt32(0)..<1000 {
      let address = IPAddress(v4: 0x0a00_0000 + number)
      #expect(table.connect(address, limit: 1))
      #expect(table.take(address, perSecond: 1, at: 0))
      table.disconnect(address)
    }
    #expect(table.count <= 101)
    #expect(table.take(one, perSecond: 1, at: 10 * Self.second))
    #expect(table.count == 1, "those whose time is over make room")
  }
}

/// The table behind a reference, so that an expectation may change it.
private final class Table {
  private var table: ClientTable

  init(capacity: Int = 65_536) { table = ClientTable(capacity: capacity) }

  var count: Int { table.count }
  func connect(_ address: IPAddress, limit: Int) -> Bool { table.connect(address, limit: limit) }
  func disconnect(_ address: IPAddress) { table.disconnect(address) }
  func take(_ address: IPAddress, perSecond: Int, at now: UInt64) -> Bool {
    table.take(address, perSecond: perSecond, at: now)
  }
}
