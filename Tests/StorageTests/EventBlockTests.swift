import Effects
import Testing

@testable import Storage

@Suite struct EventBlockTests {
  private func block(_ rows: [EventRow], first: Int64 = 1_000) -> EventBlock {
    var block = EventBlock(firstSequence: first)
    for row in rows {
      let batch = EventBatch([row])
      batch.bytes.withUnsafeBytes { block.append(batch.entries[0], $0) }
    }
    return block
  }

  private func decode(_ bytes: [UInt8], first: Int64 = 1_000, count: Int64) -> [StoredEvent?] {
    bytes.withUnsafeBytes { EventBlock.decode(firstSequence: first, count: count, $0) }
  }

  @Test(arguments: [
    EventRow(id: "a", timeMilliseconds: 0, payload: Array("{}".utf8)),
    EventRow(id: "0b8e0d60", timeMilliseconds: .min, payload: Array(#"{"a":"b c"}"#.utf8)),
    EventRow(id: "ü€😀", timeMilliseconds: .max, payload: Array(#"{"a":"ü€😀"}"#.utf8)),
    EventRow(id: "empty", timeMilliseconds: 1, payload: []),
  ])
  func readsWhatItWrote(row: EventRow) {
    let block = block([row, row])
    #expect(
      decode(block.bytes, count: 2)
        == [StoredEvent(sequence: 1_000, row: row), StoredEvent(sequence: 1_001, row: row)])
  }

  @Test func makesOneLineOfEachEvent() {
    let rows = (0..<12).map { row($0) } + [EventRow(id: "n", timeMilliseconds: 1, payload: Array("{\n\n}".utf8))]
    let block = block(rows)
    #expect(block.count == 13)
    #expect(block.bytes.count { $0 == UInt8(ascii: "\n") } == 13)
    #expect(decode(block.bytes, count: 13).last??.row.payload == Array("{  }".utf8))
  }

  @Test(arguments: [("", false), ("a b", false), ("a\nb", false), ("\u{1f}", false), ("a", true), ("é", true)])
  func holdsOnlyIdsThatAreOneWord(id: String, expected: Bool) {
    #expect(EventRow(id: id, timeMilliseconds: 1, payload: []).isStorable == expected)
  }

  @Test func neverHandsOutAChangedEvent() {
    let rows = (0..<4).map { row($0, bytes: 60) }
    let original = block(rows).bytes
    for position in original.indices {
      for bit in 0..<8 {
        var bytes = original
        bytes[position] ^= 1 << UInt8(bit)
        let events = decode(bytes, count: 4)
        // One line is lost; a flip of the line feed between two lines costs both, one in the case of a hexadecimal
        // digit none.
        let kept = events.compactMap { $0 }
        #expect((2...4).contains(kept.count), "byte \(position) bit \(bit)")
        for event in kept { #expect(event.row == rows[Int(event.sequence - 1_000)]) }
        #expect(events.count == 4)
      }
    }
  }

  @Test func survivesEveryTruncationAndCount() {
    let rows = (0..<4).map { row($0, bytes: 60) }
    let bytes = block(rows).bytes
    for length in bytes.indices {
      for count in [0, 4, -1, Int64.max, .min] {
        let events = decode(Array(bytes[..<length]), count: count)
        for (index, event) in events.enumerated() where event != nil { #expect(event?.row == rows[index]) }
        #expect(events.count <= length / 26)
      }
    }
  }

  @Test func refusesEventsOfAnotherPlace() {
    let bytes = block([row(1)], first: 5).bytes
    #expect(decode(bytes, first: 6, count: 1) == [nil])
    #expect(decode(bytes, first: .max, count: 1) == [nil])
  }

  @Test func reusesItsMemory() {
    var block = block((0..<100).map { row($0) })
    let next = EventBlock(firstSequence: 7, reusing: block.takeMemory())
    #expect(next.bytes.isEmpty)
    #expect(next.count == 0)
    block = next
    #expect(block.firstSequence == 7)
  }
}
