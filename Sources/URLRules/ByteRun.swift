/// Comparison and hashing of short runs of bytes, eight at a time: by pointers, because the subject is one.
enum ByteRun {
  @inline(__always)
  static func load(_ p: UnsafePointer<UInt8>) -> UInt64 {
    UnsafeRawPointer(p).loadUnaligned(as: UInt64.self)
  }

  /// Whether two runs of `count` bytes are equal; reads nothing outside of them.
  @inline(__always)
  static func equal(_ one: UnsafePointer<UInt8>, _ other: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    var i = 0
    while i &+ 8 <= count {
      if load(one + i) != load(other + i) { return false }
      i &+= 8
    }
    while i < count {
      if one[i] != other[i] { return false }
      i &+= 1
    }
    return true
  }

  /// A hash for tables that only the configuration fills, so that no client can choose collisions.
  @inline(__always)
  static func hash(_ p: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
    var hash = UInt64(truncatingIfNeeded: count) &* 0x9e37_79b9_7f4a_7c15
    var i = 0
    while i &+ 8 <= count {
      hash = mix(hash, load(p + i))
      i &+= 8
    }
    if i < count {
      // The last eight bytes again, or fewer than eight byte by byte.
      if count >= 8 { return mix(hash, load(p + (count &- 8))) }
      var tail: UInt64 = 0
      while i < count {
        tail = tail << 8 | UInt64(p[i])
        i &+= 1
      }
      hash = mix(hash, tail)
    }
    return hash
  }

  @inline(__always)
  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word).multipliedFullWidth(by: 0xd6e8_feb8_6659_fd93)
    return product.high ^ product.low ^ word
  }
}
