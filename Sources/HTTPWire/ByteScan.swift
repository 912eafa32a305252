/// Finds the end of a run of ordinary bytes, eight at a time.
///
/// A word of eight bytes is tested with integer arithmetic: subtracting a bound from every byte at once leaves the
/// high bit set where the byte was below it. A borrow can spoil only bytes after the first hit, so the first is exact.
/// This beats SIMD vectors in Swift for the short runs that heads are made of.
enum ByteScan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// The eight bytes at `p`, the first in the lowest place.
  @inline(__always) static func word(_ p: Bytes) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
  }

  /// The four bytes at `p`, the first in the lowest place.
  @inline(__always) static func halfWord(_ p: Bytes) -> UInt32 {
    UInt32(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt32.self))
  }

  /// High bits of the bytes below `bound` (at most 0x80) or equal to 0x7f.
  @inline(__always) private static func controls(_ word: UInt64, below bound: UInt64) -> UInt64 {
    let deletes = word ^ (ones &* 0x7f)
    return (((word &- ones &* bound) & ~word) | ((deletes &- ones) & ~deletes)) & highBits
  }

  /// The index of the first byte from `start` on that is no token byte, or `end`.
  ///
  /// Letters, digits and `-`, of which nearly all names consist, are told eight at a time; the rest by the table.
  @inline(__always) static func endOfToken(_ p: Bytes, _ start: Int, _ end: Int) -> Int {
    var i = start
    while i &+ 8 <= end {
      let hits = notLettersDigitsHyphens(word(p + i))
      if hits == 0 {
        i &+= 8
        continue
      }
      i &+= hits.trailingZeroBitCount &>> 3
      guard ByteClass.has(ByteClass.token, p[i]) else { return i }
      i &+= 1
    }
    while i < end, ByteClass.has(ByteClass.token, p[i]) { i &+= 1 }
    return i
  }

  /// High bits of the bytes that are no ASCII letter, digit or `-`; exact in every byte.
  @inline(__always) private static func notLettersDigitsHyphens(_ word: UInt64) -> UInt64 {
    // With the high bit out of the way no sum carries into the next byte.
    let low = word & ~highBits
    let small = low | (ones &* 0x20)
    let letters = (small &+ ones &* (0x80 - 0x61)) & ~(small &+ ones &* (0x7f - 0x7a))
    let digits = (low &+ ones &* (0x80 - 0x30)) & ~(low &+ ones &* (0x7f - 0x39))
    let hyphens = ~((low ^ ones &* 0x2d) &+ ones &* 0x7f)
    return (~(letters | digits | hyphens) | word) & highBits
  }

  /// The index of the first byte from `start` on that is no field value byte other than HTAB (a control byte or
  /// DEL), or `end`. HTAB stops the run too.
  @inline(__always) static func endOfValueRun(_ p: Bytes, _ start: Int, _ end: Int) -> Int {
    endOfRun(p, start, end, below: 0x20)
  }

  /// The index of the first byte from `start` on that cannot stand in a request target (a control byte, SP or DEL),
  /// or `end`.
  @inline(__always) static func endOfTarget(_ p: Bytes, _ start: Int, _ end: Int) -> Int {
    endOfRun(p, start, end, below: 0x21)
  }

  @inline(__always) private static func endOfRun(_ p: Bytes, _ start: Int, _ end: Int, below bound: UInt8) -> Int {
    var i = start
    while i &+ 8 <= end {
      let hits = controls(word(p + i), below: UInt64(bound))
      if hits != 0 { return i &+ (hits.trailingZeroBitCount &>> 3) }
      i &+= 8
    }
    while i < end, p[i] >= bound, p[i] != Octet.delete { i &+= 1 }
    return i
  }
}

/// Compares bytes with a lower-case literal of letters, digits and `-`, without regard to case.
///
/// Setting bit 5 makes capitals small and leaves the other bytes of such a literal alone; no byte that may stand in
/// a field name or value becomes equal to one of them that way.
@inline(__always) func equalIgnoringCase(_ p: Bytes, _ count: Int, _ literal: StaticString) -> Bool {
  let length = literal.utf8CodeUnitCount
  guard count == length else { return false }
  let q = literal.utf8Start
  if length >= 8 {
    let fold: UInt64 = 0x2020_2020_2020_2020
    var i = 0
    while i &+ 8 <= length {
      if ByteScan.word(p + i) | fold != ByteScan.word(q + i) { return false }
      i &+= 8
    }
    return i == length || ByteScan.word(p + (length &- 8)) | fold == ByteScan.word(q + (length &- 8))
  }
  if length >= 4 {
    let fold: UInt32 = 0x2020_2020
    return ByteScan.halfWord(p) | fold == ByteScan.halfWord(q)
      && ByteScan.halfWord(p + (length &- 4)) | fold == ByteScan.halfWord(q + (length &- 4))
  }
  var i = 0
  while i < length {
    if p[i] | 0x20 != q[i] { return false }
    i &+= 1
  }
  return true
}
