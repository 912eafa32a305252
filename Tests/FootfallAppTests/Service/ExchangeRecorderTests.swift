import Effects
import Foundation
import ProxyCore
import Recording
import Storage
import TestKit
import Testing

@testable import FootfallApp

@Suite struct ExchangeRecorderTests {
  let directory: ScratchDirectory

  init() throws { directory = try ScratchDirectory() }

  private func stored() throws -> [ExchangeEvent] {
    var reader = EventReader(directory: directory.path)
    return try reader.read(afterSequence: 0, limit: .max).events.map { try ExchangeEvent(json: $0.row.payload) }
  }

  @Test func writesEventsAndLinesOfWhatItTook() throws {
    let events = try EventDatabase.open(directory: directory.path)
    let log = try RotatableLogFile(path: directory.file("access.ndjson"))
    let recorder = try ExchangeRecorder(events: events, log: log, tokens: SystemTokenSource())
    let batches = [recordBatch(["http://a.example/1", "http://a.example/2"]), recordBatch(["http://b.example/"])]
    for batch in batches { recorder.record(batch) }
    recorder.stop()
    events.close()
    log.close()

    let records = batches.flatMap { $0.records() }
    let stored = try stored()
    #expect(stored.map(\.record) == records)
    #expect(Set(stored.map(\.id)).count == 3)
    #expect(stored.allSatisfy { UUIDText.isLowercaseUUID($0.id) && $0.id.dropFirst(14).first == "7" })
    #expect(try directory.text("access.ndjson") == records.map { text(AccessLogLine.ndjson($0)) }.joined())
    #expect(recorder.dropped == 0)
  }

  @Test func keepsTheTimeOfTheExchangeInTheEventAndItsID() throws {
    let events = try EventDatabase.open(directory: directory.path)
    let recorder = try ExchangeRecorder(events: events, log: nil, tokens: SequenceTokenSource())
    recorder.record(recordBatch(["http://a.example/"]))
    recorder.stop()
    events.close()
    var reader = EventReader(directory: directory.path)
    let row = try #require(try reader.read(afterSequence: 0, limit: 1).events.first?.row)
    #expect(row.timeMilliseconds == 1_000)
    #expect(row.id == SequenceTokenSource().uuidVersion7(millisecondsSinceEpoch: 1_000))
  }

  @Test func dropsAndCountsWhatDoesNotFitWhileItIsBehind() throws {
    let tokens = GatedTokenSource()
    let events = try EventDatabase.open(directory: directory.path)
    let small = recordBatch(["http://a.example/"])
    let recorder = try ExchangeRecorder(
      events: events, log: nil, tokens: tokens, capacity: 2 * small.byteCount)
    recorder.record(small)
    tokens.waitForAsker()
    // The thread is busy with the first one, so these wait: two fit.
    for _ in 0..<5 { recorder.record(small) }
    #expect(recorder.dropped == 3)
    recorder.record(recordBatch(["http://a.example/", "http://a.example/", "http://a.example/"]))
    #expect(recorder.dropped == 6, "exchanges are counted, not batches")
    tokens.open()
    recorder.stop()
    events.close()
    #expect(try stored().count == 3)
  }

  @Test func takesAgainOnceItHasCaughtUp() throws {
    let batch = recordBatch(["http://a.example/"])
    let log = try RotatableLogFile(path: directory.file("log"))
    let recorder = try ExchangeRecorder(
      events: nil, log: log, tokens: SequenceTokenSource(), capacity: batch.byteCount)
    var taken = 0
    for _ in 0..<200 {
      let before = recorder.dropped
      recorder.record(batch)
      if recorder.dropped == before { taken += 1 }
    }
    recorder.stop()
    log.close()
    #expect(taken >= 1)
    #expect(taken + Int(recorder.dropped) == 200)
    #expect(try directory.text("log").split(separator: "\n").count == taken)
  }

  @Test func refusesAndCountsAfterItsEnd() throws {
    let recorder = try ExchangeRecorder(events: nil, log: nil, tokens: SequenceTokenSource())
    recorder.stop()
    recorder.stop()
    recorder.record(recordBatch(["http://a.example/1", "http://a.example/2"]))
    #expect(recorder.dropped == 2)
  }

  @Test func writesToTheLogThatIsInUse() throws {
    let first = try RotatableLogFile(path: directory.file("first"))
    let recorder = try ExchangeRecorder(events: nil, log: first, tokens: SequenceTokenSource())
    let second = try RotatableLogFile(path: directory.file("second"))
    recorder.use(second)
    #expect(recorder.log === second)
    recorder.record(recordBatch(["http://a.example/later"]))
    recorder.stop()
    second.close()
    #expect(try directory.text("first").isEmpty)
    #expect(try directory.text("second").contains("/later"))
  }

  @Test func losesNoLineWhenTheLogIsReplacedWhileItWrites() throws {
    let tokens = GatedTokenSource()
    let events = try EventDatabase.open(directory: directory.path)
    let first = try RotatableLogFile(path: directory.file("first"))
    let second = try RotatableLogFile(path: directory.file("second"))
    let recorder = try ExchangeRecorder(events: events, log: first, tokens: tokens)
    recorder.record(recordBatch(["http://a.example/taken"]))
    tokens.waitForAsker()
    recorder.use(second)
    recorder.record(recordBatch(["http://a.example/later"]))
    tokens.open()
    recorder.stop()
    second.close()
    events.close()
    #expect(first.status.dropped == 0)
    #expect(try directory.text("first").contains("/taken"))
    #expect(try directory.text("second").contains("/later"))
    first.write(Array("late\n".utf8))
    #expect(first.status.dropped == 1, "the replaced log is closed")
  }

  @Test func worksWithoutAnythingToWriteTo() throws {
    let recorder = try ExchangeRecorder(events: nil, log: nil, tokens: SequenceTokenSource())
    recorder.record(recordBatch(["http://a.example/"]))
    recorder.use(nil)
    recorder.stop()
    #expect(recorder.dropped == 0)
    #expect(recorder.log == nil)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
