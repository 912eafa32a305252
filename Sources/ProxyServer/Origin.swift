import HTTPWire

/// One origin as a worker knows it: its pooled connections.
final class Origin {
  /// Scheme, host and port as in the canonical URL, without the final slash.
  let key: [UInt8]
  /// The next origin with the same hash.
  var sibling: Origin?
  /// Connections without a request, the last used at the end.
  var idle: [UpstreamConnection] = []
  /// Connections with a request.
  var busy = 0

  init(key: [UInt8]) { self.key = key }

  func has(_ bytes: Bytes, _ count: Int) -> Bool {
    guard key.count == count else { return false }
    return key.withUnsafeBufferPointer { own in
      for index in 0..<count where own[index] != bytes[index] { return false }
      return true
    }
  }
}

/// The origins of a worker by their key; found without allocating.
struct OriginTable {
  private var table: [UInt64: Origin] = [:]
  private let seed: UInt64
  private let capacity: Int
  private(set) var count = 0

  /// The seed is random, so that nobody can choose names that fall together.
  init(seed: UInt64, capacity: Int = 4096) {
    self.seed = seed
    self.capacity = capacity
  }

  mutating func origin(_ bytes: Bytes, _ count: Int) -> Origin {
    var hash = 0xcbf2_9ce4_8422_2325 ^ seed
    for index in 0..<count { hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01b3 }
    var found = table[hash]
    while let origin = found {
      if origin.has(bytes, count) { return origin }
      found = origin.sibling
    }
    if self.count >= capacity { forgetUnused() }
    let origin = Origin(key: Array(UnsafeBufferPointer(start: bytes, count: count)))
    origin.sibling = table[hash]
    table[hash] = origin
    self.count += 1
    return origin
  }

  /// Calls the body with each origin.
  func forEach(_ body: (Origin) -> Void) {
    for first in table.values {
      var next: Origin? = first
      while let origin = next {
        body(origin)
        next = origin.sibling
      }
    }
  }

  private mutating func forgetUnused() {
    // A chain goes only as a whole; chains are as good as always one long.
    table = table.filter { _, first in
      var next: Origin? = first
      while let origin = next {
        if origin.busy > 0 || !origin.idle.isEmpty { return true }
        next = origin.sibling
      }
      return false
    }
    count = table.count
  }
}
