import ProxyCore
import ProxyServer
import Testing

@Suite struct WorkerCountersTests {
  @Test func addsUpWorkersAlsoWithDifferentRules() {
    var one = WorkerCounters()
    one.requests = 2
    one.errors[Int(ProxyError.overloaded.rawValue)] = 1
    one.ruleMatches = [1, 2, 3]
    one.ruleFailures = [0, 0, 1]
    one.durations[0] = 5
    var other = WorkerCounters()
    other.requests = 3
    other.ruleMatches = [10]
    other.injected = [4]
    var sum = WorkerCounters()
    sum.add(other)
    sum.add(one)
    #expect(sum.requests == 5)
    #expect(sum.ruleMatches == [11, 2, 3])
    #expect(sum.ruleFailures == [0, 0, 1])
    #expect(sum.injected == [4])
    #expect(sum.errors.reduce(0, +) == 1)
    #expect(sum.durations.reduce(0, +) == 5)
  }

  @Test func hasAPlaceForEveryModeAndStatus() {
    let modes: [ExchangeRecord.Mode] = [.forward, .tunnel, .local]
    let slots = modes.flatMap { mode in
      [0, 100, 200, 304, 404, 599].map { WorkerCounters.slot(mode, status: $0) }
    }
    #expect(Set(slots).count == 18)
    #expect(slots.allSatisfy { WorkerCounters().responses.indices.contains($0) })
    for status in [-1, 600, 99_999] {
      #expect(WorkerCounters().responses.indices.contains(WorkerCounters.slot(.local, status: status)))
    }
  }
}
