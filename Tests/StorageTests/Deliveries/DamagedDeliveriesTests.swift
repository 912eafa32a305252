import Effects
import TestKit
import Testing

@testable import Storage

/// A damaged `deliveries.sqlite3` never makes a backend skip an event, and never yields a letter that was not written.
@Suite struct DamagedDeliveriesTests {
  /// What was stored, one after the other.
  private static let cursors = [
    DeliveryCursor(position: 0), DeliveryCursor(position: 5, through: 30, missing: [6...9, 20...21]),
    DeliveryCursor(position: 12),
  ]

  private static func letter(_ number: Int64) -> DeadLetter {
    DeadLetter(
      backend: "ahoy",
      event: QueuedEvent(
        sequence: number, id: "id-\(number)", timeMilliseconds: number, payload: [UInt8](repeating: 0x41, count: 700)),
      reason: "status 400", diedAtMilliseconds: number)
  }

  /// The main file and the log after these changes, as a kill would leave them.
  ///
  /// - Parameter inLog: how many of the changes are in the log only.
  private static func sound(inLog: Int) throws -> (main: [UInt8], log: [UInt8]) {
    let directory = try TemporaryDirectory(inMemory: true)
    let file = try DeliveryFile(
      DatabaseFiles(directory: directory.path, name: DeliveryFile.name), fileSystem: nil)
    for (index, cursor) in cursors.enumerated() {
      if index == cursors.count - inLog { try file.checkpointAll() }
      let dead = (0..<3).map { letter(Int64(index * 3 + $0)) }
      _ = try file.save(DeliveryChange(cursor: cursor, dead: dead), of: "ahoy", caps: (100, 1 << 20))
    }
    return (try directory.read(DeliveryFile.name), try directory.read(DeliveryFile.name + "-wal"))
  }

  @Test(arguments: [false, true]) func skipsNothingWhateverBitIsFlipped(inLog: Bool) async throws {
    let sound = try Self.sound(inLog: inLog ? 2 : 1)
    var chance = SeededGenerator(seed: inLog ? 11 : 7)
    var outcomes: Set<Int64> = []
    for _ in 0..<250 {
      var (main, log) = sound
      for _ in 0..<Int.random(in: 1...3, using: &chance) {
        let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &chance)
        if inLog {
          log[Int.random(in: 0..<log.count, using: &chance)] ^= bit
        } else {
          main[Int.random(in: 0..<main.count, using: &chance)] ^= bit
        }
      }
      let directory = try TemporaryDirectory(inMemory: true)
      try directory.write(DeliveryFile.name, main)
      if inLog { try directory.write(DeliveryFile.name + "-wal", log) }
      guard let cursor = try await Self.cursorAfterOpening(directory) else { continue }
      #expect(Self.cursors.contains(cursor), "\(cursor)")
      outcomes.insert(cursor.position)
    }
    // The damage was felt, and not always.
    #expect(outcomes.count >= 2)
  }

  @Test func startsWithAnyCutOfTheFile() async throws {
    let sound = try Self.sound(inLog: 1)
    for length in stride(from: 0, to: sound.main.count, by: 1_111) {
      let directory = try TemporaryDirectory(inMemory: true)
      try directory.write(DeliveryFile.name, Array(sound.main.prefix(length)))
      let cursor = try await Self.cursorAfterOpening(directory)
      // An empty file is a new one: the backend is new, too, and starts behind the 40 events that are stored.
      let expected = Self.cursors + (length == 0 ? [DeliveryCursor(position: 40)] : [])
      #expect(cursor.map { expected.contains($0) } ?? true, "\(length): \(String(describing: cursor))")
    }
  }

  /// Opens the databases in a directory, reads all there is, and saves; nil when the file passes for a newer one.
  private static func cursorAfterOpening(_ directory: TemporaryDirectory) async throws -> DeliveryCursor? {
    let state = try StateDirectory(path: directory.path)
    let events = try EventDatabase(in: state, options: quickOptions())
    defer { events.close() }
    events.append((0..<40).map { row($0) })
    events.flush(timeoutMilliseconds: 30_000)
    let deliveries: DeliveryDatabase
    do throws(StoreError) {
      deliveries = try DeliveryDatabase(in: state, events: events, backends: ["ahoy"], positions: DeliveryPositions())
    } catch {
      #expect(error.code == .newer, "\(error)")
      return nil
    }
    defer { deliveries.close() }
    let cursor = try await deliveries.cursor(of: "ahoy")
    for letter in try await deliveries.deadLetters(of: nil, after: 0, limit: 100) {
      #expect(Self.letter(letter.event.sequence).event == letter.event)
    }
    let next = DeliveryCursor(position: 39)
    try await deliveries.save(DeliveryChange(cursor: next, dead: [Self.letter(99)]), of: "ahoy")
    #expect(try await deliveries.cursor(of: "ahoy") == next)
    #expect(try await deliveries.deadLetters(of: nil, after: 0, limit: 100).contains { $0.event.sequence == 99 })
    return cursor
  }
}
