import Effects
import TestKit
import Testing

@testable import EventPipeline

/// The machine against a model of the world: random answers, lost answers, failing stores and crashes at any moment.
@Suite struct DeliveryModelTests {
  @Test(arguments: 1...6) func losesNothingWhateverHappens(seed: Int) throws {
    var world = ModelWorld(seed: UInt64(seed))
    for _ in 0..<10_000 { try world.step() }
    try world.settle()
    #expect(world.committed > 1_000)
    #expect(world.crashes > 5)
    for sequence in 1...world.committed {
      let id = "e\(sequence)"
      let isDelivered = world.backend[id] != nil
      #expect(isDelivered || world.letters[id] != nil, "\(id) is lost")
      // Only what the backend never takes ends as a dead letter.
      if world.letters[id] != nil { #expect(ModelWorld.isPoison(sequence) && !isDelivered) }
    }
    #expect(world.backend.count + world.letters.count == Int(world.committed))
    #expect(world.cursor.position == world.committed)
    #expect(world.machine.status.dead > 0)
  }

  /// The same with options that keep the order and know no end of trying.
  @Test(arguments: 1...6) func keepsTheOrderWhateverHappens(seed: Int) throws {
    var world = ModelWorld(seed: UInt64(seed), keepsOrder: true)
    for _ in 0..<10_000 { try world.step() }
    try world.settle()
    #expect(world.committed > 500)
    #expect(world.crashes > 5)
    for sequence in 1...world.committed {
      let isDelivered = world.backend["e\(sequence)"] != nil
      #expect(isDelivered != ModelWorld.isTooLarge(sequence), "e\(sequence)")
      #expect((world.letters["e\(sequence)"] != nil) == ModelWorld.isTooLarge(sequence))
    }
    #expect(world.order == world.order.sorted())
  }

  @Test func keepsAMillionQueuedEventsOutOfMemory() {
    var machine = DeliveryMachine(backend: "ahoy", format: FirstHundred())
    var now: UInt64 = 0
    var largest = (rows: 0, bytes: 0)
    var inputs: [DeliveryMachine.Input] = [
      .start, .committed(upTo: 1_000_000), .loaded(.success(DeliveryCursor(position: 0))), .letters(.success([])),
    ]
    while machine.status.sent < 1_000_000 {
      if inputs.isEmpty {
        now = max(now, machine.deadline ?? now)
        inputs = [.timer]
      }
      let first = inputs.removeFirst()
      let moment = DeliveryMachine.Moment(nanoseconds: now, wallMilliseconds: 0, random: 0)
      for action in machine.handle(first, at: moment) {
        switch action {
        case .read(let after, let limit, let bytes):
          let last = min(1_000_000, after + Int64(min(limit, max(1, bytes / 400))))
          let events = after < last ? (after + 1...last).map { event($0, bytes: 400) } : []
          inputs.append(.page(.success(RecordPage(events: events, lastSequence: last, isAtEnd: last == 1_000_000))))
        case .save: inputs.append(.saved(nil))
        case .send(_, let number):
          inputs.append(.answered(request: number, .success(OutboundResponse(status: 200))))
        default: break
        }
      }
      largest = (max(largest.rows, machine.window.rows), max(largest.bytes, machine.window.bytes))
    }
    #expect(machine.status.sent == 1_000_000)
    #expect(largest.rows <= 1_000)
    #expect(largest.bytes <= 2 << 20)
    #expect(machine.position == 1_000_000)
  }
}

private struct FirstHundred: DeliveryFormat {
  func cut(_ events: ArraySlice<QueuedEvent>) -> DeliveryCut {
    .request(OutboundRequest(url: "http://backend.test/"), indices: Array(0..<min(100, events.count)))
  }

  func judge(_ outcome: Result<OutboundResponse, TransportError>, attempt: Int, events: Int) -> DeliveryVerdict {
    .delivered
  }
}

/// Everything around the machine, with chance at each step.
struct ModelWorld {
  var machine: DeliveryMachine
  var chance: SeededGenerator
  var now: UInt64 = 1
  /// Committed events have the numbers 1 to this.
  var committed: Int64 = 0
  /// What lies on the disk.
  var cursor = DeliveryCursor(position: 0)
  var letters: [String: DeadLetter] = [:]
  var nextLetter: Int64 = 1
  /// How often the backend got each id that it took.
  var backend: [String: Int] = [:]
  var underway: [Int: [String]] = [:]
  var pending: [DeliveryMachine.Action] = []
  var crashes = 0
  var isHealed = false
  /// The numbers in the order in which the backend took them first.
  var order: [Int64] = []
  let keepsOrder: Bool

  init(seed: UInt64, keepsOrder: Bool = false) {
    chance = SeededGenerator(seed: seed)
    self.keepsOrder = keepsOrder
    machine = Self.machine(keepsOrder: keepsOrder)
    handle(.start)
  }

  static func machine(keepsOrder: Bool) -> DeliveryMachine {
    var options = DeliveryOptions()
    options.windowRows = 200
    guard keepsOrder else { return DeliveryMachine(backend: "ahoy", format: LineFormat(), options: options) }
    options.keepsOrder = true
    options.maximumInFlight = 1
    options.maximumTries = .max
    options.honoursRetryAfterZero = true
    options.flushWaitsForRetryAfter = false
    options.jitter = .around(percent: 20)
    return DeliveryMachine(backend: "cohorly", format: ContractFormat(), options: options)
  }

  static func isTooLarge(_ sequence: Int64) -> Bool { sequence % 97 == 5 }

  /// Some are refused, some make the backend fail: always.
  static func isPoison(_ sequence: Int64) -> Bool { sequence % 97 == 5 || sequence % 193 == 7 }

  mutating func handle(_ input: DeliveryMachine.Input) {
    let moment = DeliveryMachine.Moment(
      nanoseconds: now, wallMilliseconds: Int64(now / 1_000_000), random: chance.next())
    for action in machine.handle(input, at: moment) {
      switch action {
      case .send(let request, let number): underway[number] = ids(of: request)
      case .load, .read, .readLetters, .save: pending.append(action)
      default: break
      }
    }
  }

  mutating func step() throws {
    switch Int.random(in: 0..<100, using: &chance) {
    case 0..<15:
      guard !isHealed else { return }
      committed += Int64.random(in: 1...12, using: &chance)
      handle(.committed(upTo: committed))
    case 15..<60: try answerStore()
    case 60..<90: answerRequest()
    case 90..<97:
      now += min(
        UInt64.random(in: 0...2_000_000_000, using: &chance),
        (machine.deadline ?? now) - min(now, machine.deadline ?? now) + 1)
      handle(.timer)
    case 97: handle(.flush(ticket: 1))
    case 98: if Bool.random(using: &chance), !isHealed { crash() }
    default: handle(.resume)
    }
  }

  /// The process dies and a new one starts: the disk is all that stays.
  mutating func crash() {
    crashes += 1
    machine = Self.machine(keepsOrder: keepsOrder)
    underway = [:]
    pending = []
    handle(.start)
    handle(.committed(upTo: committed))
  }

  mutating func answerStore() throws {
    guard let index = pending.indices.randomElement(using: &chance) else { return }
    let action = pending.remove(at: index)
    let fails = !isHealed && Int.random(in: 0..<10, using: &chance) == 0
    let failure = StoreError(.inputOutput, "chance")
    switch action {
    case .load: handle(.loaded(fails ? .failure(failure) : .success(cursor)))
    case .read(let after, let limit, _):
      let last = min(committed, after + Int64(limit))
      let events = after < last ? (after + 1...last).map { event($0) } : []
      handle(
        .page(
          fails
            ? .failure(failure)
            : .success(RecordPage(events: events, lastSequence: max(after, last), isAtEnd: last == committed))))
    case .readLetters(let limit):
      let queued = letters.values.filter(\.isQueued).sorted { $0.number < $1.number }.prefix(limit)
      handle(.letters(fails ? .failure(failure) : .success(Array(queued))))
    case .save(let change):
      // A failed save may have reached the disk all the same.
      if !fails || Bool.random(using: &chance) { try store(change) }
      handle(.saved(fails ? failure : nil))
    default: break
    }
  }

  mutating func store(_ change: DeliveryChange) throws {
    for number in change.settledLetters { letters = letters.filter { $0.value.number != number } }
    for letter in change.dead {
      var letter = letter
      letter.number = nextLetter
      nextLetter += 1
      letters[letter.event.id] = letter
    }
    // What the cursor says is done must be done.
    for sequence in (cursor.position + 1)...max(cursor.position + 1, change.cursor.through)
    where change.cursor.isAcknowledged(sequence) {
      let id = "e\(sequence)"
      try #require(backend[id] != nil || letters[id] != nil, "the cursor passed \(id)")
    }
    cursor = change.cursor
  }

  mutating func answerRequest() {
    guard let number = underway.keys.sorted().randomElement(using: &chance), let ids = underway[number] else { return }
    underway[number] = nil
    let numbers = ids.compactMap { Int64($0.dropFirst()) }
    func take() {
      for (id, number) in zip(ids, numbers) {
        if backend[id] == nil { order.append(number) }
        backend[id, default: 0] += 1
      }
    }
    let outcome: Result<OutboundResponse, TransportError>
    let luck = isHealed ? 0 : Int.random(in: 0..<100, using: &chance)
    if luck >= 98 {
      outcome = .success(OutboundResponse(status: 404))
    } else if luck >= 90 {
      outcome = .failure(TransportError(.unreachable, "chance"))
    } else if luck >= 85 {
      let pause = luck == 85 ? "0" : "2"
      outcome = .success(OutboundResponse(status: 503, fields: [OutboundField("Retry-After", pause)]))
    } else if numbers.contains(where: Self.isTooLarge) {
      outcome = .success(OutboundResponse(status: ids.count > 4 || keepsOrder ? 413 : 400))
    } else if !keepsOrder, numbers.contains(where: { $0 % 193 == 7 }) {
      outcome = .success(OutboundResponse(status: 500))
    } else if luck >= 75 {
      // Taken, and the answer is lost.
      take()
      outcome = .failure(TransportError(.interrupted, "chance", mayHaveArrived: true))
    } else {
      take()
      outcome = .success(OutboundResponse(status: 200))
    }
    handle(.answered(request: number, outcome))
  }

  /// From now on only what never works fails; until everything is done.
  mutating func settle() throws {
    isHealed = true
    var rounds = 0
    while cursor.position < committed {
      rounds += 1
      try #require(rounds < 200_000, "no end: \(machine.status) \(machine.window.waiting)")
      // Single events that always fail are told from an outage by others that are taken.
      if rounds % 500 == 0 {
        committed += 1
        if Self.isPoison(committed) { committed += 1 }
        handle(.committed(upTo: committed))
      }
      if !pending.isEmpty {
        try answerStore()
      } else if !underway.isEmpty {
        answerRequest()
      } else {
        now = max(now, machine.deadline ?? now)
        handle(.timer)
      }
    }
  }
}
