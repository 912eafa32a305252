import Testing

@testable import Storage

@Suite struct RowChecksumTests {
  @Test func staysTheSameAcrossVersions() {
    // The values lie on disks: a change of the function would make every stored event look damaged.
    let event = EventRow(id: "id", timeMilliseconds: 1_795_000_000_123, payload: Array("0123456789abcdef!".utf8))
    #expect(RowChecksum.ofEvent(sequence: 1, row: event) == RowChecksum.ofEvent(sequence: 1, row: event))
    #expect(RowChecksum().value == RowChecksumTests.emptyValue)
  }

  private static let emptyValue: Int64 = {
    // The definition, step by step.
    let state: UInt64 = 0xcbf2_9ce4_8422_2325
    var mixed = state ^ state >> 32
    mixed = mixed &* 0x9e37_79b9_7f4a_7c15
    return Int64(bitPattern: mixed ^ mixed >> 29)
  }()

  @Test func findsEverySingleFlippedBit() {
    let payload = (0..<77).map { UInt8($0) }
    let original = RowChecksum.ofValue(payload, forKey: "k")
    for position in payload.indices {
      for bit in 0..<8 {
        var flipped = payload
        flipped[position] ^= 1 << UInt8(bit)
        #expect(RowChecksum.ofValue(flipped, forKey: "k") != original)
      }
    }
  }

  @Test func dependsOnEveryPartOfAnEvent() {
    let event = EventRow(id: "id", timeMilliseconds: 5, payload: [1, 2, 3])
    let original = RowChecksum.ofEvent(sequence: 9, row: event)
    #expect(RowChecksum.ofEvent(sequence: 10, row: event) != original)
    var other = event
    other.id = "ie"
    #expect(RowChecksum.ofEvent(sequence: 9, row: other) != original)
    other = event
    other.timeMilliseconds = 6
    #expect(RowChecksum.ofEvent(sequence: 9, row: other) != original)
    other = event
    other.payload = [1, 2, 3, 0]
    #expect(RowChecksum.ofEvent(sequence: 9, row: other) != original)
  }

  @Test func tellsFieldsApartAtTheirBorder() {
    #expect(RowChecksum.ofValue([UInt8(ascii: "b")], forKey: "a") != RowChecksum.ofValue([], forKey: "ab"))
    #expect(RowChecksum.ofValue([0], forKey: "") != RowChecksum.ofValue([0, 0], forKey: ""))
  }
}
