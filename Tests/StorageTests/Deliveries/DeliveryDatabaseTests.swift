import CSQLite
import Effects
import Foundation
import Synchronization
import Testing

@testable import Storage

@Suite struct DeliveryDatabaseTests {
  let directory: TemporaryDirectory
  let log = DeliveryIncidents()

  init() throws { directory = try TemporaryDirectory() }

  /// Both databases as the service opens them; closed by the test.
  private func open(
    backends: [String] = ["ahoy"], _ change: (inout DeliveryDatabaseOptions) -> Void = { _ in }
  ) throws -> (events: EventDatabase, deliveries: DeliveryDatabase, positions: DeliveryPositions) {
    let state = try StateDirectory(path: directory.path)
    let positions = DeliveryPositions()
    var eventOptions = quickOptions()
    eventOptions.positions = positions
    let events = try EventDatabase(in: state, options: eventOptions)
    var options = DeliveryDatabaseOptions()
    options.onIncident = { [log] in log.add($0) }
    change(&options)
    return (
      events,
      try DeliveryDatabase(in: state, events: events, backends: backends, positions: positions, options: options),
      positions
    )
  }

  private func record(_ events: EventDatabase, _ numbers: Range<Int>, bytes: Int = 200) {
    events.append(numbers.map { row($0, bytes: bytes) })
    events.flush(timeoutMilliseconds: 30_000)
  }

  private func letter(_ number: Int64, backend: String = "ahoy", bytes: Int = 50) -> DeadLetter {
    DeadLetter(
      backend: backend,
      event: QueuedEvent(
        sequence: number, id: "id-\(number)", timeMilliseconds: 1_000 + number,
        payload: [UInt8](repeating: UInt8(ascii: "x"), count: bytes)),
      reason: "status 400", diedAtMilliseconds: 2_000 + number)
  }

  @Test func aNewBackendStartsBehindWhatIsStored() async throws {
    var (events, deliveries, _) = try open(backends: [])
    record(events, 0..<30)
    events.close()
    deliveries.close()
    (events, deliveries, _) = try open()
    #expect(try await deliveries.cursor(of: "ahoy") == DeliveryCursor(position: 30))
    #expect(try await deliveries.committedSequence() == 30)
    record(events, 30..<40)
    events.close()
    deliveries.close()
    // It was new at its first start only: what came since is for it, also when nothing was saved.
    (events, deliveries, _) = try open()
    #expect(try await deliveries.cursor(of: "ahoy") == DeliveryCursor(position: 30))
    events.close()
    deliveries.close()
  }

  @Test func keepsEachCursorAcrossARestart() async throws {
    var (events, deliveries, _) = try open(backends: ["ahoy", "other"])
    record(events, 0..<100)
    let cursor = DeliveryCursor(position: 40, through: 90, missing: [41...41, 50...60])
    try await deliveries.save(DeliveryChange(cursor: cursor), of: "ahoy")
    events.close()
    deliveries.close()
    (events, deliveries, _) = try open(backends: ["ahoy", "other"])
    #expect(try await deliveries.cursor(of: "ahoy") == cursor)
    #expect(try await deliveries.cursor(of: "other") == DeliveryCursor(position: 0))
    await #expect(throws: StoreError(.denied, "")) { _ = try await deliveries.cursor(of: "unknown") }
    events.close()
    deliveries.close()
  }

  @Test func standsNoFurtherThanTheEventsThatAPowerFailureLeft() async throws {
    var (events, deliveries, _) = try open()
    record(events, 0..<20)
    let cursor = DeliveryCursor(position: 90, through: 95, missing: [92...93])
    try await deliveries.save(DeliveryChange(cursor: cursor), of: "ahoy")
    events.close()
    deliveries.close()
    (events, deliveries, _) = try open()
    // The numbers 21 to 95 will be used again.
    #expect(try await deliveries.cursor(of: "ahoy") == DeliveryCursor(position: 20))
    events.close()
    deliveries.close()
  }

  @Test func givesPagesBoundedInRowsAndBytes() async throws {
    let (events, deliveries, _) = try open()
    record(events, 0..<1_000, bytes: 300)
    var page = try await deliveries.page(of: "ahoy", after: 0, limit: 70, bytes: 1 << 20)
    #expect(page.events.map(\.sequence) == Array(1...70))
    #expect(page.lastSequence == 70)
    #expect(!page.isAtEnd)
    let payload = page.events[0].payload.count
    page = try await deliveries.page(of: "ahoy", after: 70, limit: 1_000, bytes: payload * 10)
    #expect(page.events.count == 10)
    // An event larger than the bound comes alone, or nothing would ever come.
    page = try await deliveries.page(of: "ahoy", after: 80, limit: 1_000, bytes: 1)
    #expect(page.events.map(\.sequence) == [81])
    page = try await deliveries.page(of: "ahoy", after: 990, limit: 1_000, bytes: 1 << 20)
    #expect(page.events.count == 10)
    #expect(page.isAtEnd)
    #expect(
      page.events.last.map { EventRow(id: $0.id, timeMilliseconds: $0.timeMilliseconds, payload: $0.payload) }
        == row(999, bytes: 300))
    events.close()
    deliveries.close()
  }

  /// Damage in the midst of the file that the writer would not come across.
  @Test func hasAQueueSetAsideThatCannotBeRead() async throws {
    var (events, deliveries, _) = try open()
    record(events, 0..<2_000, bytes: 400)
    events.close()
    deliveries.close()
    (events, deliveries, _) = try open()
    let path = "\(directory.path)/\(EventFile.name)"
    var bytes = try directory.read(EventFile.name)
    let page = 32 << 10
    // Pages of rows, not the first, which has the schema.
    for number in 4..<12 { for offset in 0..<200 { bytes[number * page + offset] = 0xff } }
    // In place, as a failing disk would do it.
    let file = Foundation.open(path, O_WRONLY)
    bytes.withUnsafeBytes { _ = pwrite(file, $0.baseAddress, $0.count, 0) }
    close(file)
    await #expect(throws: StoreError(.corrupt, "")) {
      var position: Int64 = 0
      while position < 2_000 {
        position = try await deliveries.page(of: "ahoy", after: position, limit: 500, bytes: 1 << 20).lastSequence
      }
    }
    record(events, 2_000..<2_010)
    #expect(events.status.quarantined == 1)
    let next = try await deliveries.page(of: "ahoy", after: 0, limit: 500, bytes: 1 << 20)
    #expect(next.events.map(\.id) == (2_000..<2_010).map { row($0).id })
    events.close()
    deliveries.close()
  }

  @Test func tellsOfEachCommit() async throws {
    let numbers = Mutex<[Int64]>([])
    var options = quickOptions()
    options.onCommitted = { number in numbers.withLock { $0.append(number) } }
    let events = try EventDatabase.open(directory: directory.path, options: options)
    record(events, 0..<5)
    record(events, 5..<7)
    #expect(numbers.withLock { $0 } == [5, 7])
    #expect(events.status.lastSequence == 7)
    events.close()
  }

  @Test func countsWhatRetentionTakesFromEachBackend() async throws {
    let state = try StateDirectory(path: directory.path)
    let positions = DeliveryPositions()
    var eventOptions = quickOptions()
    eventOptions.positions = positions
    eventOptions.retainedRows = 1_000
    let events = try EventDatabase(in: state, options: eventOptions)
    let deliveries = try DeliveryDatabase(
      in: state, events: events, backends: ["quick", "slow"], positions: positions)
    for start in stride(from: 0, to: 3_000, by: 100) {
      record(events, start..<(start + 100))
      let cursor = DeliveryCursor(position: Int64(start) + 100)
      try await deliveries.save(DeliveryChange(cursor: cursor), of: "quick")
    }
    let expired = events.status.expired
    #expect(expired > 1_500)
    #expect(positions.droppedUndelivered(of: "quick") == 0)
    #expect(positions.droppedUndelivered(of: "slow") == expired)
    #expect(positions.droppedUndelivered(of: "unknown") == 0)
    events.close()
    deliveries.close()
  }

  @Test func keepsDeadLettersWithAllThatBelongsToThem() async throws {
    var (events, deliveries, _) = try open()
    try await deliveries.save(
      DeliveryChange(cursor: DeliveryCursor(position: 0), dead: [letter(1), letter(2)]), of: "ahoy")
    try await deliveries.save(
      DeliveryChange(cursor: DeliveryCursor(position: 0), dead: [letter(3, backend: "other")]), of: "other")
    events.close()
    deliveries.close()
    (events, deliveries, _) = try open()
    var expected = [letter(1), letter(2)]
    expected[0].number = 1
    expected[1].number = 2
    #expect(try await deliveries.deadLetters(of: "ahoy", after: 0, limit: 10) == expected)
    #expect(try await deliveries.deadLetters(of: nil, after: 2, limit: 10).map(\.event.id) == ["id-3"])
    #expect(try await deliveries.deadLetters(of: nil, after: 0, limit: 2).count == 2)
    #expect(try await deliveries.deadLetterCount(of: nil) == 3)
    #expect(try await deliveries.deadLetterCount(of: "other") == 1)
    events.close()
    deliveries.close()
  }

  @Test func queuesLettersAgainUntilTheyAreSettled() async throws {
    let (events, deliveries, _) = try open()
    let cursor = DeliveryCursor(position: 0)
    try await deliveries.save(DeliveryChange(cursor: cursor, dead: (1...4).map { letter($0) }), of: "ahoy")
    #expect(try await deliveries.requeue(ids: ["id-2", "id-4", "unknown"], of: nil) == 2)
    #expect(try await deliveries.requeue(ids: ["id-2"], of: "ahoy") == 0)
    #expect(try await deliveries.requeue(ids: ["id-1"], of: "other") == 0)
    let queued = try await deliveries.queuedLetters(of: "ahoy", limit: 10)
    #expect(queued.map(\.event) == [letter(2).event, letter(4).event])
    #expect(try await deliveries.deadLetterCount(of: "ahoy") == 2)
    // One is delivered, the other is refused again.
    var refused = queued[1]
    refused.isQueued = false
    refused.reason = "status 413"
    try await deliveries.save(
      DeliveryChange(cursor: cursor, dead: [refused], settledLetters: [queued[0].number]), of: "ahoy")
    #expect(try await deliveries.queuedLetters(of: "ahoy", limit: 10) == [])
    let letters = try await deliveries.deadLetters(of: "ahoy", after: 0, limit: 10)
    #expect(letters.map(\.event.id) == ["id-1", "id-3", "id-4"])
    #expect(letters.last?.reason == "status 413")
    #expect(try await deliveries.requeue(ids: nil, of: "ahoy") == 3)
    events.close()
    deliveries.close()
  }

  @Test func dropsTheOldestLettersBeyondTheCaps() async throws {
    let (events, deliveries, _) = try open { options in
      options.maximumLetters = 5
      options.maximumLetterBytes = 4_000
    }
    let cursor = DeliveryCursor(position: 0)
    try await deliveries.save(DeliveryChange(cursor: cursor, dead: (1...8).map { letter($0) }), of: "ahoy")
    #expect(try await deliveries.deadLetters(of: nil, after: 0, limit: 10).map(\.event.sequence) == [4, 5, 6, 7, 8])
    try await deliveries.save(DeliveryChange(cursor: cursor, dead: [letter(9, bytes: 3_000)]), of: "ahoy")
    #expect(try await deliveries.deadLetters(of: nil, after: 0, limit: 10).map(\.event.sequence) == [6, 7, 8, 9])
    #expect(deliveries.lettersDropped == 5)
    #expect(log.all == [.lettersDropped(3), .lettersDropped(2)])
    events.close()
    deliveries.close()
  }

  @Test func setsADamagedFileAsideAndKeepsWhatIsKnown() async throws {
    var (events, deliveries, _) = try open(backends: ["ahoy", "other"])
    record(events, 0..<50)
    try await deliveries.save(DeliveryChange(cursor: DeliveryCursor(position: 30), dead: [letter(7)]), of: "ahoy")
    events.close()
    deliveries.close()
    // The header says that it is no database of ours; the rows are sound.
    var bytes = try directory.read(DeliveryFile.name)
    bytes[60] ^= 0xff
    try directory.write(DeliveryFile.name, bytes)
    (events, deliveries, _) = try open(backends: ["ahoy", "other"])
    #expect(deliveries.quarantined == 1)
    #expect(try directory.names().contains { $0.hasPrefix("deliveries.sqlite3.corrupt-") })
    #expect(log.all.map(\.kind) == ["quarantined"])
    #expect(try await deliveries.cursor(of: "ahoy") == DeliveryCursor(position: 30))
    #expect(try await deliveries.deadLetters(of: nil, after: 0, limit: 10).map(\.event) == [letter(7).event])
    events.close()
    deliveries.close()
  }

  @Test func sendsEverythingAgainWhenAPositionIsLost() async throws {
    var (events, deliveries, _) = try open()
    record(events, 0..<50)
    try await deliveries.save(DeliveryChange(cursor: DeliveryCursor(position: 30)), of: "ahoy")
    events.close()
    deliveries.close()
    try directory.write(DeliveryFile.name, [UInt8](repeating: 0x55, count: 20_000))
    (events, deliveries, _) = try open()
    #expect(try await deliveries.cursor(of: "ahoy") == DeliveryCursor(position: 0))
    #expect(log.all.map(\.kind) == ["quarantined", "positionLost"])
    events.close()
    deliveries.close()
  }

  @Test func refusesAFileOfANewerVersion() throws {
    let (events, deliveries, _) = try open()
    events.close()
    deliveries.close()
    let connection = try SQLiteConnection(path: "\(directory.path)/\(DeliveryFile.name)", access: .readWrite)
    try connection.execute("PRAGMA user_version = 99; UPDATE meta SET value = 99 WHERE key = 'schema'")
    #expect(throws: StoreError(.newer, "")) { _ = try open() }
    #expect(try directory.names().filter { $0.contains("corrupt") } == [])
  }

  @Test(arguments: [SQLITE_FULL, SQLITE_IOERR]) func tellsOfAFailingDiskAndRecovers(code: Int32) async throws {
    let disk = FaultyFileSystem()
    var (events, deliveries, _) = try open { $0.fileSystem = disk.name }
    let change = DeliveryChange(cursor: DeliveryCursor(position: 0, through: 9, missing: [1...8]), dead: [letter(9)])
    disk.fail(.write, code: code)
    await #expect(throws: StoreError.self) { try await deliveries.save(change, of: "ahoy") }
    disk.heal()
    #expect(try await deliveries.deadLetters(of: nil, after: 0, limit: 10) == [])
    try await deliveries.save(change, of: "ahoy")
    #expect(deliveries.quarantined == 0)
    events.close()
    deliveries.close()
    record(try EventDatabase.open(directory: directory.path), 0..<20)
    (events, deliveries, _) = try open { $0.fileSystem = disk.name }
    #expect(try await deliveries.cursor(of: "ahoy") == change.cursor)
    #expect(try await deliveries.deadLetterCount(of: nil) == 1)
    events.close()
    deliveries.close()
  }

  /// Fails each operation in turn, once: whatever happens, a change is there as a whole or not at all, and later ones
  /// work.
  @Test func survivesAFailureOfAnyOperation() async throws {
    let disk = FaultyFileSystem()
    let (events, deliveries, _) = try open { $0.fileSystem = disk.name }
    for number in Int64(1)...60 {
      disk.failOnce(after: Int(number % 12) + 1, code: SQLITE_IOERR)
      let change = DeliveryChange(cursor: DeliveryCursor(position: number), dead: [letter(number, bytes: 60_000)])
      do {
        try await deliveries.save(change, of: "ahoy")
      } catch {
        disk.heal()
        try await deliveries.save(change, of: "ahoy")
      }
      disk.heal()
    }
    #expect(try await deliveries.deadLetters(of: nil, after: 0, limit: 100).map(\.event.sequence) == Array(1...60))
    #expect(deliveries.quarantined == 0)
    events.close()
    deliveries.close()
    #expect(try integrity(directory, DeliveryFile.name) == "ok")
  }

  @Test func refusesCallsAfterItsClose() async throws {
    let (events, deliveries, _) = try open()
    deliveries.close()
    deliveries.close()
    await #expect(throws: StoreError(.closed, "")) {
      try await deliveries.save(DeliveryChange(cursor: DeliveryCursor(position: 0)), of: "ahoy")
    }
    events.close()
  }
}

/// What a delivery database reported, in order.
final class DeliveryIncidents: Sendable {
  private let entries = Mutex<[DeliveryDatabaseIncident]>([])

  var all: [DeliveryDatabaseIncident] { entries.withLock { $0 } }

  func add(_ incident: DeliveryDatabaseIncident) { entries.withLock { $0.append(incident) } }
}

extension DeliveryDatabaseIncident {
  var kind: String {
    switch self {
    case .quarantined: "quarantined"
    case .positionLost: "positionLost"
    case .lettersDropped: "lettersDropped"
    }
  }
}
