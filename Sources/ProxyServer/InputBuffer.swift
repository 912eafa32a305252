import Glibc
import HTTPWire
import LoopRuntime

/// Bytes received and not used yet, in a block that exists only while there are any.
struct InputBuffer {
  private var block: MutableBytes?
  private var capacity = 0
  private(set) var count = 0
  /// Whose count of held bytes the block is part of.
  private unowned let loop: EventLoop?

  /// An empty buffer.
  init(_ loop: EventLoop? = nil) { self.loop = loop }

  /// Room behind the capacity, so that a chunk's line end can be written behind the last byte.
  static let slack = 2

  var isEmpty: Bool { count == 0 }

  /// The bytes; nil when there are none.
  var bytes: MutableBytes? { count > 0 ? block : nil }

  /// Receives behind the bytes at hand: 2 KiB, and as much again as there is already, so that a connection that sends
  /// little holds little. Returns what `receive` of the socket does.
  mutating func fill(from socket: StreamSocket) -> Int {
    if block == nil || capacity - count < InputBuffer.smallest / 2 { _ = room(for: max(InputBuffer.smallest, count)) }
    guard let block else { return SocketOutcome.wouldBlock.rawValue }
    let received = socket.receive(block + count, capacity - count)
    count += max(received, 0)
    return received
  }

  private static let smallest = 2048

  /// Makes room for more bytes behind those at hand and returns where they go.
  private mutating func room(for more: Int) -> MutableBytes {
    if let block, capacity - count >= more { return block + count }
    let size = max(count + more, InputBuffer.smallest)
    let grown = MutableBytes.allocate(capacity: size + InputBuffer.slack)
    if let block {
      memcpy(grown, block, count)
      block.deallocate()
    }
    loop?.bytesHeld &+= size &- capacity
    block = grown
    capacity = size
    return grown + count
  }

  /// Keeps exactly these bytes, which may lie in the buffer itself.
  mutating func keep(_ bytes: Bytes, _ length: Int) {
    guard length > 0 else { return clear() }
    if let block, length <= capacity {
      memmove(block, bytes, length)
      count = length
      return
    }
    let old = block
    loop?.bytesHeld &-= capacity
    block = nil
    count = 0
    capacity = 0
    let place = room(for: length)
    memcpy(place, bytes, length)
    count = length
    old?.deallocate()
  }

  mutating func clear() {
    guard let block else { return }
    block.deallocate()
    loop?.bytesHeld &-= capacity
    self.block = nil
    capacity = 0
    count = 0
  }
}
