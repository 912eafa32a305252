/// Copies bytes that are mostly few, such as names and values: up to 32 without a call, with loads and stores that
/// overlap in the middle. All of a step is read before it is written.
@inlinable @inline(__always)
package func copyShort(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, _ length: Int) {
  let from = UnsafeRawPointer(source)
  let into = UnsafeMutableRawPointer(target)
  if length > 32 {
    target.update(from: source, count: length)
  } else if length >= 16 {
    let head = from.loadUnaligned(as: SIMD16<UInt8>.self)
    let tail = from.loadUnaligned(fromByteOffset: length &- 16, as: SIMD16<UInt8>.self)
    into.storeBytes(of: head, as: SIMD16<UInt8>.self)
    into.storeBytes(of: tail, toByteOffset: length &- 16, as: SIMD16<UInt8>.self)
  } else if length >= 8 {
    let head = from.loadUnaligned(as: UInt64.self)
    let tail = from.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self)
    into.storeBytes(of: head, as: UInt64.self)
    into.storeBytes(of: tail, toByteOffset: length &- 8, as: UInt64.self)
  } else if length >= 4 {
    let head = from.loadUnaligned(as: UInt32.self)
    let tail = from.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
    into.storeBytes(of: head, as: UInt32.self)
    into.storeBytes(of: tail, toByteOffset: length &- 4, as: UInt32.self)
  } else if length > 0 {
    // One to three bytes: the first, the middle and the last are all of them.
    let first = source[0]
    let middle = source[length &>> 1]
    let last = source[length &- 1]
    target[0] = first
    target[length &>> 1] = middle
    target[length &- 1] = last
  }
}
