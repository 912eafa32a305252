import Effects
import FootfallApp
import Foundation
import ProxyCore
import Recording
import Storage
import Synchronization
import Testing

/// `footfall events` against a real database.
@Suite struct EventPrinterTests {
  private let directory: String
  private let configuration: String

  init() {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("footfall-\(UUID().uuidString)").path
    configuration = #"{"state": {"directory": "\#(directory)"}, "rules": []}"#
  }

  private func row(_ number: Int, url: String? = nil) -> EventRow {
    var record = ExchangeRecord()
    record.startedAtMilliseconds = 1_796_022_323_120
    record.method = "GET"
    record.url = url ?? "http://h.example/\(number)"
    record.status = 200
    record.rules = ["api"]
    record.visitorID = "1f0c9f5e-6a3b-4c1d-8e2f-0123456789ab"
    let id = "019ad5c0-0000-7000-8000-" + String(repeating: "0", count: 12 - String(number).count) + String(number)
    return EventRow(
      id: id, timeMilliseconds: record.startedAtMilliseconds, payload: ExchangeEvent(id: id, record: record).json)
  }

  private func store(_ rows: [EventRow], then body: (EventDatabase) throws -> Void = { _ in }) throws {
    let database = try EventDatabase.open(directory: directory)
    defer { database.close() }
    database.append(rows)
    try #require(database.flush(timeoutMilliseconds: 10_000))
    try body(database)
  }

  private func lines(_ run: CommandRun) -> [Substring] { run.output.split(separator: "\n") }

  @Test func printsTheNewestEventsOldestFirst() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try store((1...5).map { row($0) })
    let run = CommandRun(["events", "--limit", "2"], configuration: configuration)
    #expect(run.code == .ok)
    let lines = lines(run)
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("TIME"))
    #expect(lines[1].contains("http://h.example/4"))
    #expect(lines[2].contains("http://h.example/5"))
    #expect(lines[2].hasPrefix("2026-11-30T07:05:23.120Z"))
  }

  @Test func printsThemAllOverSeveralPages() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try store((1...1203).map { row($0) })
    let all = CommandRun(["events", "--json", "-n", "all"], configuration: configuration)
    #expect(lines(all).count == 1203)
    let some = CommandRun(["events", "--json"], configuration: configuration)
    #expect(lines(some).count == 100)
    #expect(lines(some).last == lines(all).last)
  }

  @Test func jsonIsOneObjectPerLineAsItWasStored() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let rows = [row(1), row(2, url: "http://h.example/\u{202e}\u{9b}\u{1b}")]
    try store(rows)
    let run = CommandRun(["events", "--json"], configuration: configuration)
    let lines = lines(run)
    #expect(lines.count == 2)
    for (line, row) in zip(lines, rows) {
      #expect(try JSONReader().value(String(line)) == JSONReader().value(row.payload))
    }
    #expect(!run.output.unicodeScalars.contains { [0x202e, 0x9b, 0x1b].contains($0.value) })
  }

  @Test func whatIsNoEventStaysOnOneLine() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try store([EventRow(id: row(1).id, timeMilliseconds: 0, payload: Array("two\nlines\u{1b}".utf8))])
    for arguments in [["events"], ["events", "--json"]] {
      let run = CommandRun(arguments, configuration: configuration)
      #expect(run.code == .ok)
      #expect(lines(run).count == (arguments.count == 1 ? 2 : 1))
      #expect(!run.output.contains("\u{1b}"))
    }
  }

  @Test(arguments: [("1", 1), ("all", 2)])
  func followsFromWhereItBegan(limit: String, before: Int) throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try store([row(1), row(2)]) { database in
      let pauses = Mutex(0)
      var world = CommandRun.World()
      world.onPause = {
        let pause = pauses.withLock { count in
          count += 1
          return count
        }
        guard pause <= 2 else { return false }
        database.append(self.row(10 + pause))
        return database.flush(timeoutMilliseconds: 10_000)
      }
      let run = CommandRun(["events", "--json", "-f", "-n", limit], configuration: configuration, world)
      #expect(run.code == .ok)
      let urls = try lines(run).map { try JSONReader().value(String($0))["url"]?.string }
      #expect(urls.suffix(2) == ["http://h.example/11", "http://h.example/12"])
      #expect(urls.count == before + 2)
    }
  }

  @Test func noDatabaseIsNoError() {
    let run = CommandRun(["events"], configuration: configuration)
    #expect(run.code == .ok)
    #expect(run.output.isEmpty)
    #expect(run.error.contains(directory))
  }

  @Test func aFileThatIsNoDatabaseIsBadData() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data(repeating: 0x61, count: 8192).write(to: URL(fileURLWithPath: directory + "/events.sqlite3"))
    #expect(CommandRun(["events"], configuration: configuration).code == .dataError)
  }

  @Test func aReaderThatHasEnoughEndsItQuietly() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try store((1...50).map { row($0) })
    var world = CommandRun.World()
    world.outputLimit = (100, .closed)
    let run = CommandRun(["events", "--follow"], configuration: configuration, world)
    #expect(run.code == .ok)
    #expect(run.error.isEmpty)
  }

  @Test(arguments: [
    ("0", "the limit 0 is below 1"), ("-1", "the limit -1 is below 1"), ("many", "is no whole number"),
    ("1.5", "is no whole number"),
  ])
  func refusesOtherLimits(limit: String, message: String) {
    let run = CommandRun(["events", "--limit=\(limit)"], configuration: configuration)
    #expect(run.code == .usage)
    #expect(run.error.contains(message))
  }

  @Test func readsBesideMistakesAsLongAsThePlaceIsKnown() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try store([row(1)])
    let broken = configuration.replacingOccurrences(of: #""rules""#, with: #""log": 1, "rules""#)
    let run = CommandRun(["events"], configuration: broken)
    #expect(run.code == .ok)
    #expect(run.output.contains("http://h.example/1"))
    #expect(run.error.contains("/conf/footfall.json has errors"))
    #expect(run.error.contains(directory))
    #expect(CommandRun(["events"], configuration: #"{"state": 1, "rules": []}"#).code == .configuration)
  }
}
