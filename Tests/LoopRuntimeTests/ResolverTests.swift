import Effects
import LoopRuntime
import Synchronization
import Testing

@Suite struct ResolverTests {
  private func answer(_ resolver: Resolver, _ host: String) throws -> Resolver.Answer {
    let gate = Gate()
    let answer = Mutex<Resolver.Answer?>(nil)
    resolver.resolve(host) { found in
      answer.withLock { $0 = found }
      gate.signal()
    }
    try #require(gate.wait(nanoseconds: 30_000_000_000))
    return try #require(answer.withLock { $0 })
  }

  @Test(arguments: [
    ("localhost", IPAddress(v4: 0x7f00_0001)), ("127.0.0.1", IPAddress(v4: 0x7f00_0001)),
    ("2130706433", IPAddress(v4: 0x7f00_0001)), ("::1", IPAddress(high: 0, low: 1)),
  ])
  func findsAddresses(host: String, expected: IPAddress) throws {
    let resolver = Resolver(threads: 1)
    defer { resolver.stop() }
    guard case .addresses(let addresses) = try answer(resolver, host) else {
      Issue.record("no addresses")
      return
    }
    #expect(addresses.contains(expected))
  }

  @Test func tellsThatANameIsNotThere() throws {
    let resolver = Resolver(threads: 1)
    defer { resolver.stop() }
    switch try answer(resolver, "no-such-name.invalid") {
    // Without a network the look-up fails instead.
    case .notFound, .failed: break
    case .addresses, .exhausted, .crowded: Issue.record("the name was found, or nothing was left to look for it")
    }
  }

  @Test func answersEveryQuestionAlsoBeyondItsQueueAndAfterTheEnd() throws {
    let resolver = Resolver(threads: 2, queue: 4)
    let gate = Gate()
    let refused = Mutex(0)
    for number in 0..<50 {
      resolver.resolve("127.0.0.\(number)") { answer in
        if case .crowded = answer { refused.withLock { $0 += 1 } }
        gate.signal()
      }
    }
    for _ in 0..<50 { try #require(gate.wait(nanoseconds: 30_000_000_000)) }
    resolver.stop()
    guard case .crowded = try answer(resolver, "127.0.0.1") else {
      Issue.record("a stopped resolver answered")
      return
    }
    #expect(refused.withLock { $0 } < 50)
  }

  @Test func asksWhatItWasGiven() throws {
    let resolver = Resolver(threads: 1) { host in host == "a" ? .addresses([IPAddress(v4: 7)]) : .notFound }
    defer { resolver.stop() }
    guard case .addresses([IPAddress(v4: 7)]) = try answer(resolver, "a"), case .notFound = try answer(resolver, "b")
    else {
      Issue.record("the answers are not those of the look-up")
      return
    }
  }

  @Test func asksOnceForAllWhoWaitForTheSameName() throws {
    let asked = Mutex<[String]>([])
    let hold = Gate()
    let resolver = Resolver(threads: 3) { host in
      asked.withLock { $0.append(host) }
      if host == "silent" { hold.wait() }
      return .addresses([IPAddress(v4: 7)])
    }
    defer { resolver.stop() }
    let answered = Gate()
    for _ in 0..<40 { resolver.resolve("silent") { _ in answered.signal() } }
    // A name whose servers are silent holds one thread, however many want it.
    guard case .addresses = try answer(resolver, "good") else {
      Issue.record("the good name was not found")
      return
    }
    hold.signal()
    for _ in 0..<40 { try #require(answered.wait(nanoseconds: 30_000_000_000)) }
    #expect(asked.withLock { $0.sorted() } == ["good", "silent"])
    guard case .addresses = try answer(resolver, "good") else { return }
    #expect(asked.withLock { $0.count } == 3, "an answer is not kept here")
  }
}
