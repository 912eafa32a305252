import Testing

@testable import Effects

@Suite struct EventBatchTests {
  private func events(_ batch: EventBatch) -> [String] {
    var offset = 0
    return batch.entries.map { entry in
      defer { offset += entry.length }
      return String(decoding: batch.bytes[offset..<offset + entry.length], as: UTF8.self)
    }
  }

  private func batch() -> EventBatch {
    var batch = EventBatch()
    batch.append(id: "a".utf8, timeMilliseconds: 1, payload: "{}".utf8)
    batch.append(id: "bc".utf8, timeMilliseconds: 2, payload: "[1]".utf8)
    return batch
  }

  @Test func joinsBatches() {
    var whole = EventBatch()
    whole.append(batch(), first: 2)
    whole.append(batch(), first: 1)
    whole.append(batch(), first: 0)
    #expect(events(whole) == ["a{}", "bc[1]", "a{}"])
    #expect(whole.entries.map(\.timeMilliseconds) == [1, 2, 1])
    #expect(whole.memoryBytes > whole.bytes.count)
  }

  @Test func takesNoMoreThanThereIs() {
    var whole = EventBatch()
    whole.append(batch(), first: 9)
    #expect(events(whole) == ["a{}", "bc[1]"])
  }

  @Test func startsAnewInItsMemoryOrWithout() {
    var whole = batch()
    whole.removeAll(keeping: 1 << 20)
    #expect(whole.isEmpty && whole.bytes.isEmpty && whole.bytes.capacity > 0)
    whole.append(batch(), first: 1)
    #expect(events(whole) == ["a{}"])
    whole.removeAll(keeping: 0)
    #expect(whole.bytes.capacity == 0)
  }
}
