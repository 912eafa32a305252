import Glibc

/// Bytes that the kernel would not take yet, in one growing block that is given back when empty.
package struct PendingOutput {
  private var block: UnsafeMutablePointer<UInt8>?
  private var offset = 0
  /// The size of the block.
  private(set) var capacity = 0
  package private(set) var count = 0

  @inlinable package var isEmpty: Bool { count == 0 }

  /// The next bytes to send; nil when there are none.
  var front: (UnsafePointer<UInt8>, Int)? {
    guard count > 0, let block else { return nil }
    return (UnsafePointer(block + offset), count)
  }

  mutating func append(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
    guard length > 0 else { return }
    if block == nil || offset + count + length > capacity {
      let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: max(count + length, 4096))
      if let block {
        memcpy(grown, block + offset, count)
        block.deallocate()
      }
      capacity = max(count + length, 4096)
      block = grown
      offset = 0
    }
    if let block { memcpy(block + offset + count, bytes, length) }
    count += length
  }

  mutating func consume(_ length: Int) {
    offset += length
    count -= length
    if count == 0 { discard() }
  }

  mutating func discard() {
    block?.deallocate()
    block = nil
    offset = 0
    count = 0
    capacity = 0
  }
}
