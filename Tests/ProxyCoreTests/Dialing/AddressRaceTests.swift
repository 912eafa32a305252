import Effects
import ProxyCore
import Testing

@Suite struct AddressRaceTests {
  private static func v4(_ number: UInt32) -> IPAddress { IPAddress(v4: 0x0a00_0000 | number) }
  private static func v6(_ number: UInt64) -> IPAddress { IPAddress(high: 0x2001_0db9 << 32, low: number) }
  private static func end(_ address: IPAddress) -> Endpoint { Endpoint(address, port: 80) }
  private static let delay = AddressRace.attemptDelay

  private func race(_ addresses: IPAddress...) -> AddressRace { AddressRace(addresses, port: 80) }

  private func step(_ race: inout AddressRace, _ now: UInt64) -> AddressRace.Step { race.step(at: now) { _ in nil } }

  @Test(arguments: [
    ([v6(1), v6(2), v4(1), v4(2)], [v6(1), v4(1), v6(2), v4(2)]),
    ([v4(1), v4(2), v4(3), v6(1)], [v4(1), v6(1), v4(2), v4(3)]),
    ([v6(1), v6(2)], [v6(1), v6(2)]), ([v4(1)], [v4(1)]), ([], []),
    ([v4(1), v4(1), v6(1), v6(1), v4(1)], [v4(1), v6(1)]),
  ])
  func letsFamiliesTakeTurnsAfterTheResolversFirst(addresses: [IPAddress], order: [IPAddress]) {
    #expect(AddressRace.order(addresses) == order)
  }

  @Test func triesBothFamiliesOfTenThousandAddresses() {
    let addresses = (0..<10_000).map { Self.v6($0) } + [Self.v4(1)]
    let order = AddressRace.order(addresses)
    #expect(order.count == AddressRace.addressLimit)
    #expect(order.prefix(3) == [Self.v6(0), Self.v4(1), Self.v6(1)])
  }

  @Test func startsTheNextAttemptAfterTheDelay() {
    var race = race(Self.v6(1), Self.v4(1))
    #expect(step(&race, 1000) == .dial(Self.end(Self.v6(1))))
    #expect(step(&race, 1000) == .wait(until: 1000 + Self.delay))
    #expect(step(&race, 999 + Self.delay) == .wait(until: 1000 + Self.delay))
    #expect(step(&race, 1000 + Self.delay) == .dial(Self.end(Self.v4(1))))
    #expect(step(&race, 1000 + Self.delay) == .wait(until: nil))
  }

  @Test func startsTheNextAttemptAtOnceWhenOneFails() {
    var race = race(Self.v6(1), Self.v4(1), Self.v6(2))
    #expect(step(&race, 0) == .dial(Self.end(Self.v6(1))))
    race.failed(.connectionFailed)
    #expect(step(&race, 1) == .dial(Self.end(Self.v4(1))))
    #expect(step(&race, Self.delay) == .wait(until: 1 + Self.delay))
    #expect(step(&race, 1 + Self.delay) == .dial(Self.end(Self.v6(2))))
    race.failed(.connectionFailed)
    #expect(step(&race, 1 + Self.delay) == .wait(until: nil))
    race.failed(.connectionFailed)
    #expect(step(&race, 1 + Self.delay) == .lost(.connectionFailed, nil))
  }

  @Test func passesOverWhatMustNotBeDialled() {
    var race = race(Self.v4(1), Self.v4(2), Self.v4(3))
    let first = race.step(at: 0) { $0 == Self.end(Self.v4(2)) ? nil : .destinationProhibited }
    #expect(first == .dial(Self.end(Self.v4(2))))
    race.failed(.connectionRefused)
    // That an attempt failed is more useful to know than that others were not made.
    #expect(race.step(at: 0) { _ in .destinationProhibited } == .lost(.connectionRefused, nil))
  }

  @Test func answersTheFirstRefusalWhenAllAreRefused() {
    var race = race(Self.v4(1), Self.v4(2))
    let step = race.step(at: 0) { $0 == Self.end(Self.v4(1)) ? .destinationIsProxy : .destinationProhibited }
    #expect(step == .lost(.destinationIsProxy, Self.end(Self.v4(1))))
  }

  @Test func isLostWithoutAnyAddress() {
    var race = race()
    #expect(step(&race, 0) == .lost(.nameNotFound, nil))
  }

  @Test(arguments: [
    ([ProxyError.connectionFailed, .connectionRefused], ProxyError.connectionRefused),
    ([.connectionRefused, .connectionFailed], .connectionRefused),
    ([.connectionTimeout, .connectionFailed], .connectionTimeout),
    ([.connectionRefused, .connectionTimeout], .connectionRefused),
    ([.connectionRefused, .overloaded, .connectionTimeout], .overloaded),
  ])
  func namesTheMostUsefulFailure(failures: [ProxyError], named: ProxyError) {
    var race = AddressRace((0..<UInt32(failures.count)).map { Self.v4($0) }, port: 80)
    for failure in failures {
      guard case .dial = step(&race, 0) else {
        Issue.record("no attempt for \(failure)")
        return
      }
      race.failed(failure)
    }
    #expect(step(&race, 0) == .lost(named, nil))
  }
}
