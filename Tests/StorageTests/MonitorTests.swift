import Effects
import Glibc
import Testing

@testable import Storage

@Suite struct MonitorTests {
  private let clock = SystemMonotonicClock()

  @Test func excludesOtherThreads() throws {
    let monitor = Monitor(0)
    let threads = try (0..<4).map { index in
      try WorkerThread(name: "counter-\(index)") {
        for _ in 0..<10_000 { monitor.withLock { $0 += 1 } }
      }
    }
    for thread in threads { thread.join() }
    #expect(monitor.withLock { $0 } == 40_000)
  }

  @Test func handsStateFromThreadToThread() throws {
    let monitor = Monitor([Int]())
    let producer = try WorkerThread(name: "producer") {
      for number in 0..<100 {
        monitor.withLock { $0.append(number) }
        monitor.wakeAll()
      }
    }
    var received: [Int] = []
    while received.count < 100 {
      received += monitor.wait { numbers -> Monitor<[Int]>.Step<[Int]> in
        guard !numbers.isEmpty else { return .wait }
        defer { numbers.removeAll() }
        return .done(numbers)
      }
    }
    producer.join()
    #expect(received == Array(0..<100))
  }

  @Test func wakesAtTheTimeAskedFor() {
    let monitor = Monitor(())
    let end = clock.nanoseconds() + 5_000_000
    monitor.wait { _ -> Monitor<Void>.Step<Void> in
      clock.nanoseconds() >= end ? .done(()) : .waitUntil(nanoseconds: end)
    }
    #expect(clock.nanoseconds() >= end)
  }

  @Test func goesThroughATimeThatIsOver() {
    let monitor = Monitor(0)
    let tries = monitor.wait { count -> Monitor<Int>.Step<Int> in
      count += 1
      return count == 3 ? .done(count) : .waitUntil(nanoseconds: 0)
    }
    #expect(tries == 3)
  }
}

@Suite struct SystemSourcesTests {
  @Test func readsTheTimeOfDay() {
    let before = Int64(time(nil)) * 1000
    let now = SystemWallClock().millisecondsSinceEpoch()
    let after = Int64(time(nil)) * 1000
    #expect(now >= before - 1000 && now <= after + 1000)
  }

  @Test func neverMovesBack() {
    let clock = SystemMonotonicClock()
    var last = clock.nanoseconds()
    for _ in 0..<1000 {
      let now = clock.nanoseconds()
      #expect(now >= last)
      last = now
    }
  }

  @Test func neverRepeatsAToken() async {
    let source = SystemTokenSource()
    let tokens = await withTaskGroup(of: [String].self) { group in
      for _ in 0..<4 { group.addTask { (0..<5_000).map { _ in source.uuidVersion4() } } }
      return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
    }
    #expect(tokens.count == 20_000)
    #expect(tokens.allSatisfy(UUIDText.isLowercaseUUID))
  }
}
