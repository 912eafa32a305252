import Effects
import Foundation
import Testing

@testable import Storage

/// Damage to the files between two runs: it is survived, found and counted, and never handed out.
@Suite struct StoredEventScanTests {
  let directory: TemporaryDirectory
  /// The rows of ``image``, by sequence number.
  let original: [Int64: EventRow]
  let mainFile: [UInt8]
  let log: [UInt8]
  /// Sequence numbers that were in the main file before the log began.
  let checkpointed: Int64 = 100

  init() throws {
    directory = try TemporaryDirectory(inMemory: true)
    var rows: [Int64: EventRow] = [:]
    for number in 0..<200 { rows[Int64(number) + 1] = row(number, bytes: 512) }
    original = rows

    let first = try EventDatabase.open(directory: directory.path)
    first.append((0..<100).map { row($0, bytes: 512) })
    first.close()
    let second = try EventDatabase.open(directory: directory.path)
    for start in stride(from: 100, to: 200, by: 20) {
      second.append((start..<(start + 20)).map { row($0, bytes: 512) })
      second.flush(timeoutMilliseconds: 30_000)
    }
    // Nothing is being written now, so the two files are what a kill at this moment would leave. A copy by another
    // process, because closing a descriptor of an open database would drop the locks of this one.
    let copy = Process()
    copy.executableURL = URL(fileURLWithPath: "/bin/cp")
    copy.arguments = [
      directory.path + "/events.sqlite3", directory.path + "/events.sqlite3-wal", directory.path + "/..",
    ]
    try FileManager.default.createDirectory(atPath: directory.path + "/image", withIntermediateDirectories: true)
    copy.arguments?[2] = directory.path + "/image"
    try copy.run()
    copy.waitUntilExit()
    second.close()
    mainFile = try directory.read("image/events.sqlite3")
    log = try directory.read("image/events.sqlite3-wal")
  }

  /// Opens a database made of the two files, appends a row, and checks what must hold whatever the damage.
  @discardableResult
  private func survives(_ main: [UInt8], _ log: [UInt8]?) throws -> (status: EventDatabaseStatus, events: [StoredEvent])
  {
    let victim = try TemporaryDirectory(inMemory: true)
    try victim.write("events.sqlite3", main)
    if let log { try victim.write("events.sqlite3-wal", log) }
    let database = try EventDatabase.open(directory: victim.path)
    database.append(EventRow(id: "after", timeMilliseconds: 1, payload: Array("{}".utf8)))
    database.close()
    let status = database.status
    let events = try storedEvents(victim)
    #expect(status.committed == 1)
    #expect(events.last?.row.id == "after")
    for event in events.dropLast() { #expect(event.row == original[event.sequence]) }
    #expect(Int64(events.count) == status.rows - status.damaged)
    #expect(status.quarantined == (try victim.names().contains { $0.contains(".corrupt-") } ? 1 : 0))
    return (status, events)
  }

  @Test func readsAnIntactImageWhole() throws {
    let (status, events) = try survives(mainFile, log)
    #expect(events.count == 201)
    #expect(status.damaged == 0)
    #expect(status.quarantined == 0)
  }

  @Test func survivesAThousandFlippedBitsInTheMainFile() throws {
    var generator = SplitMix(seed: 1)
    var found = (damaged: 0, quarantined: 0)
    for _ in 0..<1000 {
      var main = mainFile
      let position = Int.random(in: 0..<main.count, using: &generator)
      main[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      let (status, events) = try survives(main, nil)
      if status.damaged > 0 { found.damaged += 1 }
      if status.quarantined > 0 { found.quarantined += 1 } else { #expect(events.count + Int(status.damaged) >= 101) }
    }
    // A good part of the file is events, a small one structure, and the rest unused.
    #expect(found.damaged > 200)
    #expect(found.quarantined > 0)
  }

  @Test func survivesAThousandFlippedBitsInTheLog() throws {
    var generator = SplitMix(seed: 2)
    for _ in 0..<1000 {
      var flipped = log
      let position = Int.random(in: 0..<flipped.count, using: &generator)
      flipped[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      let (status, events) = try survives(mainFile, flipped)
      // The log drops what follows the flip, as whole transactions; the main file is untouched.
      #expect(status.quarantined == 0)
      #expect(status.damaged == 0)
      #expect(events.count > checkpointed)
      #expect((events.count - 1) % 20 == 0)
    }
  }

  @Test func survivesEveryTruncation() throws {
    for length in stride(from: 0, to: mainFile.count, by: max(1, mainFile.count / 60)) {
      try survives(Array(mainFile[..<length]), nil)
      try survives(Array(mainFile[..<length]), log)
    }
    for length in stride(from: 0, to: log.count, by: max(1, log.count / 60)) {
      let (status, _) = try survives(mainFile, Array(log[..<length]))
      #expect(status.quarantined == 0)
    }
  }

  @Test func startsAfreshOnBytesThatAreNoDatabase() throws {
    var generator = SplitMix(seed: 3)
    // SQLite takes less than a header for an empty file.
    for count in [100, 512, 4096, 20_000] {
      let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(try survives(noise, noise).status.quarantined == 1, "\(count) bytes")
    }
  }

  @Test func passesOverADamagedRowAndSaysSo() throws {
    let victim = try TemporaryDirectory()
    try victim.write("events.sqlite3", mainFile)
    try SQLiteConnection(path: victim.path + "/events.sqlite3", access: .readWrite)
      .execute(
        """
        UPDATE events SET lines = replace(lines, '"number":49,', '"number":94,');
        UPDATE events SET lines = replace(lines, ' id-99 ', ' id-98 ')
        """)
    var reader = EventReader(directory: victim.path)
    let page = try reader.read(afterSequence: 40, limit: 100)
    #expect(page.damaged == 2)
    #expect(page.events.map(\.sequence) == (41...99).filter { $0 != 50 })
    #expect(page.lastSequence == 100, "a reader continues after a damaged row")
  }
}

/// A small seeded generator, so that a failing case can be repeated.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
