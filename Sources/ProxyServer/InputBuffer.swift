import Glibc
import HTTPWire

/// Bytes received and not used yet, in a block that exists only while there are any.
struct InputBuffer {
  private var block: MutableBytes?
  private var capacity = 0
  private(set) var count = 0

  /// Room behind the capacity, so that a chunk's line end can be written behind the last byte.
  static let slack = 2

  var isEmpty: Bool { count == 0 }

  /// The bytes; nil when there are none.
  var bytes: MutableBytes? { count > 0 ? block : nil }

  /// Makes room for more bytes behind those at hand and returns where they go.
  mutating func room(for more: Int) -> MutableBytes {
    if let block, capacity - count >= more { return block + count }
    let size = max(count + more, 2048)
    let grown = MutableBytes.allocate(capacity: size + InputBuffer.slack)
    if let block {
      memcpy(grown, block, count)
      block.deallocate()
    }
    block = grown
    capacity = size
    return grown + count
  }

  /// Counts bytes that were written into the room.
  mutating func added(_ length: Int) { count += length }

  /// Keeps exactly these bytes, which may lie in the buffer itself.
  mutating func keep(_ bytes: Bytes, _ length: Int) {
    guard length > 0 else { return clear() }
    if let block, length <= capacity {
      memmove(block, bytes, length)
      count = length
      return
    }
    let old = block
    block = nil
    count = 0
    capacity = 0
    let place = room(for: length)
    memcpy(place, bytes, length)
    count = length
    old?.deallocate()
  }

  /// Appends bytes from elsewhere.
  mutating func append(_ bytes: Bytes, _ length: Int) {
    guard length > 0 else { return }
    memcpy(room(for: length), bytes, length)
    count += length
  }

  mutating func clear() {
    block?.deallocate()
    block = nil
    capacity = 0
    count = 0
  }
}
