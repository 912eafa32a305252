import Effects
import Testing

@testable import Storage

@Suite struct DeliveryFileTests {
  let directory: TemporaryDirectory
  let file: DeliveryFile

  init() throws {
    directory = try TemporaryDirectory()
    file = try DeliveryFile(DatabaseFiles(directory: directory.path, name: DeliveryFile.name), fileSystem: nil)
  }

  private var other: SQLiteConnection {
    get throws { try SQLiteConnection(path: "\(directory.path)/\(DeliveryFile.name)", access: .readWrite) }
  }

  private func letter(_ id: String) -> DeadLetter {
    DeadLetter(
      backend: "ahoy", event: QueuedEvent(sequence: 1, id: id, timeMilliseconds: 1, payload: Array("{}".utf8)),
      reason: "why", diedAtMilliseconds: 2)
  }

  private func save(_ cursor: DeliveryCursor, dead: [DeadLetter] = []) throws {
    _ = try file.save(DeliveryChange(cursor: cursor, dead: dead), of: "ahoy", caps: (1_000, 1 << 20))
  }

  @Test(arguments: [
    "position = position + 1", "through = through + 1", "missing = '3-3'", "checksum = checksum + 1", "missing = 'x'",
  ])
  func doesNotTrustADamagedCursor(change: String) throws {
    try save(DeliveryCursor(position: 1, through: 9, missing: [2...4]))
    #expect(try file.cursors()["ahoy"] == DeliveryCursor(position: 1, through: 9, missing: [2...4]))
    try other.execute("UPDATE cursors SET \(change)")
    let stored = try #require(try file.cursors()["ahoy"])
    #expect(stored == nil)
  }

  @Test(arguments: [
    "payload = x'00'", "id = 'other'", "sequence = 7", "time = 7", "died = 7", "reason = 'z'", "backend = 'ahoi'",
  ])
  func handsOutNoDamagedLetter(change: String) throws {
    try save(DeliveryCursor(position: 0), dead: [letter("a"), letter("b")])
    try other.execute("UPDATE letters SET \(change) WHERE id = 'a'")
    #expect(try file.letters(of: nil, after: 0, limit: 10).map(\.event.id) == ["b"])
    // It is not in the way of those that are sent again.
    #expect(try file.requeue(ids: nil, of: nil) == 2)
    #expect(try file.letters(of: nil, after: 0, limit: 10, queuedOnly: true).map(\.event.id) == ["b"])
    #expect(try file.letterCount(of: nil) == 1)
  }

  @Test func aLetterOfAnotherBackendWithTheSameEventIsAnother() throws {
    try save(DeliveryCursor(position: 0), dead: [letter("a")])
    var second = letter("a")
    second.backend = "other"
    try save(DeliveryCursor(position: 0), dead: [second])
    #expect(try file.letterCount(of: nil) == 2)
  }

  @Test func takesHostileTextAsText() throws {
    var hostile = letter("'; DROP TABLE letters; --")
    hostile.reason = "\u{0}\n\"'"
    try save(DeliveryCursor(position: 0), dead: [hostile])
    let stored = try file.letters(of: "ahoy", after: 0, limit: 1)
    #expect(stored.map(\.event.id) == [hostile.event.id])
    #expect(stored.map(\.reason) == [hostile.reason])
  }
}
