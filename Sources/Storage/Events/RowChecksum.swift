/// The 64-bit checksum that each stored row carries.
///
/// SQLite checks the structure of a file, not the content of a row, so a flipped bit in a payload goes unseen. The
/// state takes eight bytes at a time (rotate, xor, multiply by an odd constant): each step is a bijection of the word and
/// of the state, so a change confined to one word is always found. It guards against faults, not against people.
struct RowChecksum {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let multiplier: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// Takes in one number.
  mutating func combine(_ word: UInt64) {
    state = ((state << 23 | state >> 41) ^ word) &* Self.multiplier
  }

  /// Takes in bytes, and their count, so that two fields cannot trade bytes at their border.
  mutating func combine(_ bytes: UnsafeRawBufferPointer) {
    combine(UInt64(truncatingIfNeeded: bytes.count))
    var offset = 0
    while offset &+ 8 <= bytes.count {
      combine(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset &+= 8
    }
    guard offset < bytes.count else { return }
    var last: UInt64 = 0
    for index in offset..<bytes.count { last = last << 8 | UInt64(bytes[index]) }
    combine(last)
  }

  /// The checksum, as SQLite's integers are: signed.
  var value: Int64 {
    var mixed = state ^ state >> 32
    mixed = mixed &* Self.multiplier
    return Int64(bitPattern: mixed ^ mixed >> 29)
  }

  /// The checksum of an event's row.
  static func ofEvent(
    sequence: Int64, timeMilliseconds: Int64, id: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer
  ) -> Int64 {
    var checksum = RowChecksum()
    checksum.combine(UInt64(bitPattern: sequence))
    checksum.combine(UInt64(bitPattern: timeMilliseconds))
    checksum.combine(id)
    checksum.combine(payload)
    return checksum.value
  }

  /// The same of a row that was read.
  static func ofEvent(sequence: Int64, row: EventRow) -> Int64 {
    var id = row.id
    return id.withUTF8 { id in
      row.payload.withUnsafeBytes {
        ofEvent(
          sequence: sequence, timeMilliseconds: row.timeMilliseconds, id: UnsafeRawBufferPointer(id), payload: $0)
      }
    }
  }

  /// The checksum of a key and its value.
  static func ofValue(_ value: [UInt8], forKey key: String) -> Int64 {
    var checksum = RowChecksum()
    var key = key
    key.withUTF8 { checksum.combine(UnsafeRawBufferPointer($0)) }
    value.withUnsafeBytes { checksum.combine($0) }
    return checksum.value
  }
}
