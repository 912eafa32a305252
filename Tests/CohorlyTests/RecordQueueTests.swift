import CohorlyTracker
import Effects
import Foundation
import TestKit
import Testing

@testable import Cohorly

/// What waits, and where (cohorly.md, section 4.2).
@Suite struct RecordQueueTests {
  static func record(_ name: String) -> CohorlyRecord {
    CohorlyRecord(path: .track, body: [JSONMember("event", .string(name)), JSONMember("properties", [:])])
  }

  static func fill(_ queue: RecordQueue, _ names: [String]) {
    for name in names { _ = queue.append(record(name), id: "id-\(name)", timeMilliseconds: 7) }
  }

  static func names(_ queue: RecordQueue) async throws -> [String] {
    try await queue.page(of: "cohorly", after: 0, limit: 10_000, bytes: .max).events.compactMap { event in
      try JSONReader().value(event.payload)["event"]?.string
    }
  }

  @Test func row26_isThereAfterARestart() async throws {
    let first = try CohorlyHarness()
    first.cohorly.track("a")
    #expect(first.storage.queued == [1])
    let second = try CohorlyHarness(server: first.server, storage: first.storage)
    #expect(second.cohorly.status.waiting == 1)
    await second.cohorly.flush()
    #expect(try second.server.events.map { $0["event"] } == ["a"])
    #expect(second.storage.queued.isEmpty)
    #expect(second.cohorly.status.delivered == 1)
  }

  @Test func row45_dropsTheOldest() async throws {
    let storage = MemoryStorage()
    let queue = RecordQueue(storage: storage, capacity: 3)
    Self.fill(queue, ["a", "b", "c", "d", "e"])
    #expect(try await Self.names(queue) == ["c", "d", "e"])
    #expect(storage.queued == [3, 4, 5])
    #expect(queue.counts.dropped == 2)
    #expect(try await Self.names(RecordQueue(storage: storage)) == ["c", "d", "e"])
  }

  @Test func row46_row47_deliversTheNewestThousand() async throws {
    let harness = try CohorlyHarness()
    harness.server.script { _ in CohorlyServer.response(500) }
    for number in 0..<20 { harness.cohorly.track("\(number)") }
    // Some of those that give way are in the hands of the delivery.
    await harness.cohorly.flush()
    for number in 20..<1_100 { harness.cohorly.track("\(number)") }
    #expect(harness.cohorly.status.waiting == 1_000)
    #expect(harness.cohorly.status.dropped == 100)
    let failed = harness.server.requests.count
    harness.server.script { _ in nil }
    await harness.cohorly.flush()
    let requests = harness.server.requests.dropFirst(failed)
    let names = try requests.flatMap { try $0.json.array ?? [] }.map { $0["event"]?.string }
    #expect(names.count == 1_000)
    #expect(names.first == "100" && names.last == "1099")
    #expect(requests.map(\.path) == ["/track", "/track"])
    #expect(harness.cohorly.status.waiting == 0)
  }

  @Test func row47_dropsTheOldestOfALongQueueAtTheStart() async throws {
    let storage = MemoryStorage()
    let large = RecordQueue(storage: storage, capacity: 2_000)
    Self.fill(large, (0..<1_005).map { "\($0)" })
    let names = try await Self.names(RecordQueue(storage: storage))
    #expect(names.first == "5" && names.last == "1004")
    #expect(storage.queued.count == 1_000)
  }

  @Test func writesOneRecordForOneEvent() {
    let storage = MemoryStorage()
    let queue = RecordQueue(storage: storage)
    Self.fill(queue, (0..<100).map { "\($0)" })
    #expect(storage.writes == 100)
  }

  @Test func bringsBackWhatItWasGiven() async throws {
    let storage = MemoryStorage()
    let queue = RecordQueue(storage: storage)
    _ = queue.append(Self.record("ü\n\"x\""), id: "id-1", timeMilliseconds: 1_700_000_000_123)
    let before = try await queue.page(of: "cohorly", after: 0, limit: 10, bytes: .max)
    let after = try await RecordQueue(storage: storage).page(of: "cohorly", after: 0, limit: 10, bytes: .max)
    #expect(before == after)
    #expect(after.events.first?.id == "id-1" && after.events.first?.timeMilliseconds == 1_700_000_000_123)
  }

  @Test func removesWhatIsDone() async throws {
    let storage = MemoryStorage()
    let queue = RecordQueue(storage: storage)
    Self.fill(queue, ["a", "b", "c"])
    try await queue.save(DeliveryChange(cursor: DeliveryCursor(position: 2)), of: "cohorly")
    #expect(storage.queued == [3])
    #expect(try await queue.cursor(of: "cohorly") == DeliveryCursor(position: 2))
    #expect(!queue.contains(2) && queue.contains(3) && !queue.contains(4))
    // Numbers go on after a restart, and when nothing waits any more.
    try await queue.save(DeliveryChange(cursor: DeliveryCursor(position: 3)), of: "cohorly")
    let next = RecordQueue(storage: storage)
    Self.fill(next, ["d"])
    #expect(storage.queued == [4])
  }

  @Test func findsItsPlaceAfterAKillInTheMidstOfARemoval() async throws {
    let storage = MemoryStorage()
    let queue = RecordQueue(storage: storage)
    Self.fill(queue, ["a", "b", "c", "d"])
    // The first is named, and one of the two records before it is gone.
    storage.plant("3", "cohorly-queue")
    storage.plant(nil, "cohorly-queue-1")
    let next = RecordQueue(storage: storage)
    #expect(try await Self.names(next) == ["c", "d"])
    #expect(storage.queued == [3, 4])
  }

  @Test func makesUpForWhatCouldNotBeStored() async throws {
    let storage = MemoryStorage()
    let queue = RecordQueue(storage: storage)
    Self.fill(queue, ["a"])
    storage.fail(StoreError(.full, "no space"))
    Self.fill(queue, ["b", "c"])
    #expect(queue.counts.storageError != nil)
    #expect(try await Self.names(queue) == ["a", "b", "c"])
    storage.fail(nil)
    Self.fill(queue, ["d"])
    #expect(queue.counts.storageError == nil)
    #expect(try await Self.names(RecordQueue(storage: storage)) == ["a", "b", "c", "d"])
  }

  @Test func writesNothingOverAQueueThatItCouldNotRead() async throws {
    let storage = MemoryStorage()
    Self.fill(RecordQueue(storage: storage), ["a", "b"])
    storage.fail(StoreError(.inputOutput, "away"))
    let queue = RecordQueue(storage: storage)
    storage.fail(nil)
    Self.fill(queue, ["c"])
    #expect(try await Self.names(queue) == ["c"])
    #expect(queue.counts.storageError != nil)
    #expect(try await Self.names(RecordQueue(storage: storage)) == ["a", "b"])
  }

  @Test func givesUpADamagedRecordAndGoesOn() async throws {
    let first = try CohorlyHarness()
    for name in ["a", "b", "c"] { first.cohorly.track(name) }
    first.storage.plant("?", "cohorly-queue-2")
    let second = try CohorlyHarness(server: first.server, storage: first.storage)
    await second.cohorly.flush()
    #expect(try second.server.events.map { $0["event"] } == ["a", "c"])
    #expect(second.cohorly.status.refused == 1)
    #expect(second.storage.queued.isEmpty)
    #expect(second.log.lines.contains { $0.hasPrefix("a record is given up") })
  }

  @Test func keepsItselfBelowSoManyBytes() async throws {
    let queue = RecordQueue(storage: nil)
    let text = String(repeating: "x", count: 800_000)
    for number in 0..<30 { _ = queue.append(Self.record(text), id: "\(number)", timeMilliseconds: 0) }
    #expect(queue.counts.dropped > 5)
    let page = try await queue.page(of: "cohorly", after: 0, limit: 100, bytes: .max)
    #expect(page.events.reduce(0) { $0 + $1.memoryBytes } <= RecordQueue.maximumBytes)
    #expect(page.events.last?.id == "29")
  }

  @Test func givesPagesOfALimitedSize() async throws {
    let queue = RecordQueue(storage: nil)
    Self.fill(queue, ["a", "b", "c"])
    let first = try await queue.page(of: "cohorly", after: 0, limit: 2, bytes: .max)
    #expect(first.events.map(\.sequence) == [1, 2] && !first.isAtEnd && first.lastSequence == 2)
    let rest = try await queue.page(of: "cohorly", after: 2, limit: 2, bytes: 1)
    #expect(rest.events.map(\.sequence) == [3] && rest.isAtEnd)
    let none = try await queue.page(of: "cohorly", after: 3, limit: 2, bytes: 1)
    #expect(none.events.isEmpty && none.isAtEnd && none.lastSequence == 3)
    #expect(queue.clear() == 3)
    #expect(try await queue.page(of: "cohorly", after: 0, limit: 2, bytes: 1).lastSequence == 3)
  }
}
