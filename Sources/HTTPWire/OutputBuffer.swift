/// A run of output bytes of fixed capacity.
///
/// What does not fit is not written at all and sets `overflowed`: the owner checks once, after the last append.
/// The owner frees it with `deallocate()`; copies share the memory.
package struct OutputBuffer {
  package let base: MutableBytes
  package let capacity: Int
  /// The bytes written so far. Only code that has written through `base` sets it.
  package var count = 0
  /// An append did not fit; it and perhaps others are missing.
  package var overflowed = false

  /// Memory for so many bytes; a negative capacity counts as 0.
  package init(capacity: Int) {
    self.capacity = max(capacity, 0)
    base = .allocate(capacity: self.capacity)
  }

  /// Frees the memory; nothing may use the buffer or a copy of it afterwards.
  package func deallocate() {
    base.deallocate()
  }

  /// Makes the buffer empty.
  @inlinable @inline(__always) package mutating func reset() {
    count = 0
    overflowed = false
  }

  /// Appends `length` bytes; they must not lie in this buffer.
  @inlinable @inline(__always) package mutating func append(_ bytes: Bytes, _ length: Int) {
    guard length >= 0, length <= capacity &- count else {
      overflowed = true
      return
    }
    copyShort(bytes, to: base + count, length)
    count &+= length
  }

  /// Appends a literal.
  @inlinable @inline(__always) package mutating func append(_ text: StaticString) {
    append(text.utf8Start, text.utf8CodeUnitCount)
  }

  /// Appends one byte.
  @inlinable @inline(__always) package mutating func append(_ byte: UInt8) {
    guard count < capacity else {
      overflowed = true
      return
    }
    base[count] = byte
    count &+= 1
  }

  /// Appends an array's bytes.
  @inlinable @inline(__always) package mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { buffer in
      if let start = buffer.baseAddress { append(start, buffer.count) }
    }
  }

  /// Appends a number in decimal digits, with `-` before a negative one.
  package mutating func append(decimal number: Int64) {
    // A status and most lengths: three digits, without a division by a variable.
    if number >= 100, number < 1000, capacity &- count >= 3 {
      let value = Int(truncatingIfNeeded: number)
      base[count] = UInt8(truncatingIfNeeded: value / 100) &+ Octet.zero
      base[count &+ 1] = UInt8(truncatingIfNeeded: value / 10 % 10) &+ Octet.zero
      base[count &+ 2] = UInt8(truncatingIfNeeded: value % 10) &+ Octet.zero
      count &+= 3
      return
    }
    append(digitsOf: number.magnitude, radix: 10, isNegative: number < 0)
  }

  /// Appends a size in lower-case hexadecimal digits; a negative one counts as 0.
  package mutating func append(hexadecimal number: Int) {
    append(digitsOf: UInt64(max(number, 0).magnitude), radix: 16, isNegative: false)
  }

  // Inlined, so that the radix is a constant and no digit costs a division.
  @inline(__always)
  private mutating func append(digitsOf number: UInt64, radix: UInt64, isNegative: Bool) {
    var length = isNegative ? 2 : 1
    var rest = number / radix
    while rest > 0 {
      length &+= 1
      rest /= radix
    }
    guard length <= capacity &- count else {
      overflowed = true
      return
    }
    var end = count &+ length
    count = end
    rest = number
    repeat {
      let digit = UInt8(truncatingIfNeeded: rest % radix)
      rest /= radix
      end &-= 1
      base[end] = digit < 10 ? Octet.zero &+ digit : 0x57 &+ digit
    } while rest > 0
    if isNegative { base[end &- 1] = 0x2d }
  }
}
