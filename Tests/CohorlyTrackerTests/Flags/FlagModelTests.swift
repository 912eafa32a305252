import Effects
import TestKit
import Testing

@testable import CohorlyTracker

/// The store against a plain model of the contract: reloads, late and doubled answers, identities that come and go,
/// clocks, restarts and caches that are written late or never, in any order.
@Suite struct FlagModelTests {
  @Test(arguments: 1...6) func servesNoOtherIdentityAndExposesOnce(seed: Int) throws {
    var world = FlagWorld(seed: UInt64(seed))
    for _ in 0..<50_000 {
      world.step()
      // One finding is enough: what follows from it says nothing.
      try #require(world.findings.isEmpty, "seed \(seed), step \(world.steps): \(world.findings)")
    }
    // What happened was worth looking at.
    for source in FlagSource.allCases { #expect(world.reads[source, default: 0] > 200, "\(source)") }
    #expect(world.late > 200)
    #expect(world.restarts > 100)
    #expect(world.foreign > 10)
    #expect(world.expired > 10)
    #expect(world.exposures > 100)
    #expect(world.repeated > 100)
  }
}

/// A store, everything around it, and what the contract says that it has to do.
struct FlagWorld {
  /// What a value was evaluated for: each flag of a test answer carries it as its payload.
  struct Kept {
    var owner: String
    var flags: [String: Flag]
    var storedAt: Int64?
  }

  private var chance: SeededGenerator
  private var store: FlagStore
  private(set) var findings: [String] = []
  private(set) var steps = 0

  // The world: what lies on the disk, what is still to be written, what the server still answers.
  private var now = FlagVectors.start
  private var disk: (bytes: [UInt8], kept: Kept)?
  private var writes: [(bytes: [UInt8], kept: Kept)?] = []
  private var unread = true
  /// Whether no evaluation of this run succeeds.
  private var isOffline = false
  private var answers: [(ticket: FlagTicket, epoch: Int, answer: FlagAnswer, flags: [String: Flag]?)] = []
  private var versions = 0

  // The model: who is asked for, what is known of them, what was reported.
  private var policy = FlagPersistence.networkOnly
  private var ttl = FlagVectors.ttl
  private var id = "u0"
  private var epoch = 0
  private var newest: UInt64 = 0
  private var network: [String: Flag]?
  private var cache: Kept?
  private var shown: Set<String> = []
  /// Readings of snapshots that nobody has reported yet.
  private var snapshots: [(key: String, reading: FlagReading, of: String)] = []

  private(set) var reads: [FlagSource: Int] = [:]
  private(set) var late = 0
  private(set) var restarts = 0
  private(set) var foreign = 0
  private(set) var expired = 0
  private(set) var exposures = 0
  private(set) var repeated = 0

  init(seed: UInt64) {
    chance = SeededGenerator(seed: seed)
    store = FlagStore(policy: policy, ttlMilliseconds: ttl, distinctID: id)
    restart()
  }

  mutating func step() {
    steps += 1
    switch number(below: 100) {
    case 0..<42: read()
    case 42..<47: peek()
    case 47..<52: report()
    case 52..<62: reload()
    case 62..<75: answer()
    case 75..<76: changeIdentity()
    case 76..<86: write()
    case 86..<89: load()
    case 89..<97: age()
    default: restart()
    }
  }

  // MARK: What happens

  private mutating func reload() {
    let ticket = store.beginReload()
    let id = id
    check(ticket.distinctID == id, "a reload asks for \(ticket.distinctID), not \(id)")
    newest = ticket.number
    guard !isOffline, number(below: 4) > 0 else {
      answers.append((ticket, epoch, .failed(reason: "status 503"), nil))
      return
    }
    versions += 1
    var flags: [String: Flag] = [:]
    var members: [JSONMember] = []
    for key in ["a", "b", "c", "d"] where number(below: 4) > 0 {
      // Few values, so that they come again; the payload tells whose they are.
      let variant = number(below: 3) == 0 ? nil : "v\(number(below: 3))"
      let isEnabled = number(below: 2) == 0
      let payload: JSONValue = .array([.string(id), .integer(Int64(versions))])
      flags[key] = Flag(isEnabled: isEnabled, variant: variant, payload: payload)
      members.append(
        JSONMember(
          key,
          .object([
            JSONMember("enabled", .bool(isEnabled)), JSONMember("variant", variant.map { .string($0) } ?? .null),
            JSONMember("payload", payload),
          ])))
    }
    var writer = JSONWriter()
    writer.write(.object([JSONMember("flags", .object(members))]))
    answers.append((ticket, epoch, .parse(status: 200, body: writer.bytes), flags))
  }

  /// Some answer comes: the oldest or the newest, once or again, or one of a run before.
  private mutating func answer() {
    guard !answers.isEmpty else { return }
    let index = number(below: 2) == 0 ? answers.count - 1 : number(below: answers.count)
    let (ticket, answered, answer, flags) = answers[index]
    if number(below: 5) > 0 { answers.remove(at: index) }
    if answers.count > 6 { answers.removeFirst() }
    let isCurrent = answered == epoch && ticket.number == newest
    if isCurrent { newest = 0 } else { late += 1 }
    let actions = store.reloaded(ticket, answer, at: now)
    guard isCurrent, let flags else {
      check(actions.isEmpty, "an answer that is late, doubled or a failure changes something: \(actions)")
      return
    }
    network = flags
    cache = nil
    guard policy.isPersisting else {
      check(actions == [.notify(flags)], "networkOnly: \(actions)")
      return
    }
    guard case .store(let bytes)? = actions.first, actions.dropFirst() == [.notify(flags)] else {
      check(false, "a success leads to \(actions)")
      return
    }
    writes.append((bytes, Kept(owner: id, flags: flags, storedAt: now)))
  }

  private mutating func changeIdentity() {
    // Sometimes someone who was here before, sometimes the same again.
    id = number(below: 3) == 0 ? "anon-\(steps)" : "u\(number(below: 4))"
    check(store.identityChanged(to: id) == [.removeStored, .notify([:])], "the clear")
    writes.append(nil)
    begin()
  }

  private mutating func write() {
    if !writes.isEmpty { disk = writes.removeFirst() }
    // A cache of an older version has no time.
    guard number(below: 12) == 0, var old = disk else { return }
    old.kept.storedAt = nil
    old.bytes = strip(old.bytes)
    disk = old
  }

  private mutating func load() {
    guard unread else { return }
    unread = false
    let actions = store.load(disk?.bytes, at: now)
    guard policy.isPersisting, network == nil, let disk else {
      check(actions.isEmpty, "nothing to load: \(actions)")
      return
    }
    if disk.kept.owner != id { foreign += 1 }
    if disk.kept.owner == id, serves(disk.kept) {
      cache = disk.kept
      check(actions == [.notify(disk.kept.flags)], "a cache that is served: \(actions)")
    } else {
      check(actions == [.removeStored], "a cache that is not served: \(actions)")
      writes.append(nil)
    }
  }

  private mutating func age() {
    let hour = FlagVectors.hour
    let steps = [1, 1000, hour / 4, hour / 2, hour, hour, 6 * hour, 24 * hour, ttl - 1, 100 * hour]
    now += steps[number(below: steps.count)] * (number(below: 6) == 0 ? -1 : 1)
    if number(below: 4) == 0, let change = store.nextChange(after: now) {
      check(store.isLoaded(at: change - 1) && !store.isLoaded(at: change), "the moment of the next change")
      now = change - Int64(number(below: 2))
    }
  }

  private mutating func restart() {
    restarts += 1
    // What was not written is lost.
    writes = []
    policy = FlagPersistence.allCases[number(below: 8) == 0 ? 0 : 1 + number(below: 2)]
    ttl = [FlagVectors.day, FlagVectors.hour, 9 * FlagVectors.day][number(below: 3)]
    if number(below: 8) == 0 { id = "u\(number(below: 4))" }
    store = FlagStore(policy: policy, ttlMilliseconds: ttl, distinctID: id)
    unread = true
    isOffline = number(below: 2) == 0
    // Tickets count from the beginning again: answers to an earlier run reach nobody.
    answers = []
    begin()
    if number(below: 3) > 0 { load() }
  }

  private mutating func begin() {
    epoch += 1
    newest = 0
    network = nil
    cache = nil
    shown = []
  }

  // MARK: What is read

  private mutating func read() {
    let (key, fallback) = question()
    let (reading, exposure, actions) = store.read(key, fallback: fallback, at: now)
    if let kept = cache, !serves(kept) {
      expired += 1
      cache = nil
      writes.append(nil)
      check(actions == [.removeStored], "a cache that is too old: \(actions)")
    } else {
      check(actions.isEmpty, "a read does \(actions)")
    }
    expect(reading, key, fallback)
    expect(exposure, key, reading)
  }

  private mutating func peek() {
    let (key, fallback) = question()
    let reading = store.peek(key, fallback: fallback, at: now)
    expect(reading, key, fallback)
    snapshots.append((key, reading, id))
    if snapshots.count > 4 { snapshots.removeFirst() }
  }

  private mutating func report() {
    guard !snapshots.isEmpty, number(below: 2) == 0 else {
      let (key, _) = question()
      let reading = store.peek(key, fallback: nil, at: now)
      expect(store.expose(key, at: now), key, reading)
      return
    }
    let (key, reading, owner) = snapshots.remove(at: number(below: snapshots.count))
    let exposure = store.expose(key, reading, of: owner)
    guard owner == id else {
      check(exposure == nil, "what \(owner) has read is reported for another")
      return
    }
    expect(exposure, key, reading)
  }

  private mutating func expect(_ reading: FlagReading, _ key: String, _ fallback: FlagValue?) {
    reads[reading.source, default: 0] += 1
    let (id, ttl) = (id, ttl)
    if let payload = reading.payload {
      check(payload.array?.first == .string(id), "\(id) gets a flag of \(JSONWriter.text(payload))")
    }
    if let network {
      check(reading.source == (network[key] == nil ? .fallback : .network), "after a success: \(reading)")
      check(reading.persistedAt == nil && reading.ttlMilliseconds == nil, "network values have no age")
      expect(reading, network[key], fallback)
    } else if let cache, serves(cache) {
      check(reading.source == (cache.flags[key] == nil ? .fallback : .persistence), "from a cache: \(reading)")
      if reading.source == .persistence {
        check(reading.persistedAt == cache.storedAt && reading.ttlMilliseconds == ttl, "the times of \(reading)")
      }
      expect(reading, cache.flags[key], fallback)
    } else {
      expect(reading, nil, fallback)
      check(reading.source == .fallback, "nothing is known: \(reading)")
    }
  }

  private mutating func expect(_ reading: FlagReading, _ flag: Flag?, _ fallback: FlagValue?) {
    check(reading.value == (flag?.value ?? fallback), "the value of \(reading)")
    check(reading.isEnabled == (flag?.isEnabled ?? fallback?.isTruthy ?? false), "enabled in \(reading)")
    check(reading.payload == flag?.payload, "the payload of \(reading)")
  }

  private mutating func expect(_ exposure: FlagExposure?, _ key: String, _ reading: FlagReading) {
    guard reading.source != .fallback, let value = reading.value else {
      check(exposure == nil, "a fallback is exposed")
      return
    }
    let isFirst = shown.insert("\(key)=\(JSONWriter.text(value.json))").inserted
    if isFirst { exposures += 1 } else { repeated += 1 }
    check(isFirst == (exposure != nil), "\(key) \(value) was\(isFirst ? "" : " not") to be exposed")
    guard let exposure else { return }
    check(exposure.key == key && exposure.value == value && exposure.source == reading.source, "\(exposure)")
  }

  /// The tables, as they are written.
  private func serves(_ kept: Kept) -> Bool {
    guard let storedAt = kept.storedAt else { return policy != .networkOnly }
    let age = max(0, now - storedAt)
    switch policy {
    case .networkOnly: return false
    case .networkFirst: return age < ttl
    case .persistenceUntilNetworkSuccess: return age < ttl || age < 7 * 86_400_000
    }
  }

  // MARK: Chance

  private mutating func question() -> (String, FlagValue?) {
    (["a", "b", "c", "d", "e"][number(below: 5)], [nil, "", "control", true, false][number(below: 5)])
  }

  private mutating func number(below limit: Int) -> Int { Int(chance.next() % UInt64(limit)) }

  private mutating func check(_ isRight: Bool, _ what: @autoclosure () -> String) {
    if !isRight { findings.append(what()) }
  }

  private func strip(_ bytes: [UInt8]) -> [UInt8] {
    let text = FlagVectors.text(bytes)
    guard let comma = text.firstRange(of: #","stored_at":"#) else { return bytes }
    return FlagVectors.bytes(text[..<comma.lowerBound] + "}")
  }
}
