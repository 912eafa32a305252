import Effects
import Glibc

/// Consecutive events in one row of the database: one event per line, `INDEX TIME ID CHECKSUM PAYLOAD`.
///
/// Rows of SQLite cost more than the bytes in them; sharing one makes recording several times cheaper. A line stands for
/// itself: its checksum covers its sequence number, and a damaged line, or one whose end was lost, leaves the others
/// readable. A payload is JSON and so needs no line feed; one that it has is white space and becomes a space.
struct EventBlock {
  /// The sequence number of the first line.
  let firstSequence: Int64
  /// The lines.
  private(set) var bytes: [UInt8] = []
  /// Lines so far.
  private(set) var count: Int64 = 0

  /// A block is full at about one database page.
  static let targetBytes = 28 << 10
  /// No line is shorter: a digit, a digit, one byte of id, the checksum, `{}`, spaces and the line feed.
  private static let minimumLineBytes = 26

  /// An empty block, written into the memory of one that is done with.
  init(firstSequence: Int64, reusing memory: consuming [UInt8] = []) {
    self.firstSequence = firstSequence
    bytes = memory
    bytes.removeAll(keepingCapacity: true)
  }

  /// The memory of a block that is done with.
  consuming func takeMemory() -> [UInt8] { bytes }

  /// Adds an event as the next line.
  ///
  /// - Parameter event: The id and behind it the payload.
  mutating func append(_ entry: EventBatch.Entry, _ event: UnsafeRawBufferPointer) {
    let id = UnsafeRawBufferPointer(rebasing: event[..<Int(entry.idLength)])
    let payload = UnsafeRawBufferPointer(rebasing: event[Int(entry.idLength)...])
    append(decimal: count)
    append(decimal: entry.timeMilliseconds)
    bytes.append(contentsOf: id)
    bytes.append(UInt8(ascii: " "))
    guard Self.lineFeed(in: payload) == nil else {
      let oneLine = payload.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }
      return oneLine.withUnsafeBytes { finishLine(entry, id, $0) }
    }
    finishLine(entry, id, payload)
  }

  private mutating func finishLine(
    _ entry: EventBatch.Entry, _ id: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer
  ) {
    append(
      hexadecimal: RowChecksum.ofEvent(
        sequence: firstSequence + count, timeMilliseconds: entry.timeMilliseconds, id: id, payload: payload))
    bytes.append(contentsOf: payload)
    bytes.append(UInt8(ascii: "\n"))
    count += 1
  }

  /// The stored count of a block, which may be damaged: the lines cannot be more than the bytes have room for.
  static func plausibleCount(_ count: Int64, bytes: Int) -> Int64 {
    min(max(0, count), Int64(bytes / minimumLineBytes))
  }

  /// The events of a stored block, by index; nil where the line is damaged or lost.
  static func decode(firstSequence: Int64, count: Int64, _ bytes: UnsafeRawBufferPointer) -> [StoredEvent?] {
    let limit = bytes.count / minimumLineBytes
    var events = [StoredEvent?](repeating: nil, count: Int(plausibleCount(count, bytes: bytes.count)))
    var rest = bytes[...]
    while !rest.isEmpty {
      let end = lineFeed(in: UnsafeRawBufferPointer(rebasing: rest)).map { rest.startIndex + $0 } ?? rest.endIndex
      let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
      rest = rest[min(end + 1, rest.endIndex)...]
      guard let (index, event) = decode(line: line, firstSequence: firstSequence), index < limit else { continue }
      while events.count <= index { events.append(nil) }
      events[index] = event
    }
    return events
  }

  private static func decode(
    line: UnsafeRawBufferPointer, firstSequence: Int64
  ) -> (index: Int, event: StoredEvent)? {
    var fields = line[...]
    guard let index = nextField(&fields).flatMap(decimal), let time = nextField(&fields).flatMap(decimal),
      let id = nextField(&fields), let checksum = nextField(&fields), checksum.count == 16, index >= 0,
      let position = Int(exactly: index)
    else { return nil }
    let sequence = firstSequence.addingReportingOverflow(index)
    let row = EventRow(
      id: String(decoding: id, as: UTF8.self), timeMilliseconds: time, payload: [UInt8](fields))
    guard !sequence.overflow,
      UInt64(String(decoding: checksum, as: UTF8.self), radix: 16)
        == UInt64(bitPattern: RowChecksum.ofEvent(sequence: sequence.partialValue, row: row))
    else { return nil }
    return (position, StoredEvent(sequence: sequence.partialValue, row: row))
  }

  private static func nextField(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>? {
    guard let space = rest.firstIndex(of: UInt8(ascii: " ")) else { return nil }
    defer { rest = rest[(space + 1)...] }
    return rest[..<space]
  }

  private static func decimal(_ digits: Slice<UnsafeRawBufferPointer>) -> Int64? {
    Int64(String(decoding: digits, as: UTF8.self))
  }

  private static func lineFeed(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let found = memchr(start, 10, bytes.count) else { return nil }
    return UnsafeRawPointer(found) - start
  }

  /// The number and a space.
  private mutating func append(decimal number: Int64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 21) { digits in
      var position = 20
      digits[20] = UInt8(ascii: " ")
      var rest = number.magnitude
      repeat {
        position -= 1
        digits[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if number < 0 { bytes.append(UInt8(ascii: "-")) }
      bytes.append(contentsOf: digits[position...])
    }
  }

  /// Sixteen digits and a space.
  private mutating func append(hexadecimal number: Int64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 17) { digits in
      var rest = UInt64(bitPattern: number)
      for position in stride(from: 15, through: 0, by: -1) {
        let nibble = UInt8(truncatingIfNeeded: rest & 0xf)
        digits[position] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
        rest >>= 4
      }
      digits[16] = UInt8(ascii: " ")
      bytes.append(contentsOf: digits)
    }
  }
}
