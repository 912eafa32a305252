/// Finds patterns by four bytes that all of their matches contain, letters in either case.
///
/// Bytes are compared with bit 5 set: equal for the two cases of a letter, and for few other pairs.
struct GramTable: Sendable {
  private struct Entry: Sendable {
    var gram: UInt32
    var patterns: [Int32]
  }

  /// Parts of nearly every URL; a pattern with nothing else would always be a candidate.
  private static let common: Set<UInt32> = {
    var grams: Set<UInt32> = []
    for text in ["https://", "http://", "https://www.", "http://www.", ".com/"] {
      for gram in GramTable.grams(Array(text.utf8)) { grams.insert(gram) }
    }
    return grams
  }()

  /// The patterns that have no telling four bytes.
  private(set) var rejected: [Int32] = []
  private var entries: [Entry] = []
  /// Open addressing: the entry's index plus 1, or 0.
  private var slots: [UInt16]
  private let shift: UInt32

  init(_ patterns: [(pattern: Int32, literals: [[UInt8]])]) {
    var frequency: [UInt32: Int] = [:]
    for (_, literals) in patterns {
      for gram in Set(literals.flatMap(Self.grams)) { frequency[gram, default: 0] += 1 }
    }
    var chosen: [UInt32: [Int32]] = [:]
    for (pattern, literals) in patterns {
      let usable = literals.flatMap(Self.grams).filter { !Self.common.contains($0) }
      // The rarest one; the smallest of several, so that the same rules make the same table.
      let best = usable.min { (frequency[$0] ?? 0, $0) < (frequency[$1] ?? 0, $1) }
      // A slot holds 16 bits.
      if let best, chosen.count < 32_000 || chosen[best] != nil {
        chosen[best, default: []].append(pattern)
      } else {
        rejected.append(pattern)
      }
    }
    // At most an eighth in use: most windows of a subject then end at an empty slot.
    var bits: UInt32 = 8
    while 1 << Int(bits) < chosen.count * 8 { bits += 1 }
    shift = 32 - bits
    slots = [UInt16](repeating: 0, count: 1 << Int(bits))
    for (gram, patterns) in chosen.sorted(by: { $0.key < $1.key }) {
      entries.append(Entry(gram: gram, patterns: patterns))
      var slot = Self.slot(gram, shift)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt16(entries.count)
    }
  }

  private static func grams(_ text: [UInt8]) -> [UInt32] {
    guard text.count >= 4 else { return [] }
    return (0...(text.count - 4)).map { start in
      text[start..<(start + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1 | 0x20) }
    }
  }

  @inline(__always)
  private static func slot(_ gram: UInt32, _ shift: UInt32) -> Int {
    Int((gram &* 0x9e37_79b1) >> shift)
  }

  /// Pointers, because this looks at each byte of a subject; it reads `count` of them, and slots by a masked index.
  @inline(__always)
  func select(_ subject: UnsafePointer<UInt8>, _ count: Int, into candidates: PatternFilter.Words) {
    guard count >= 4 else { return }
    slots.withUnsafeBufferPointer { slots in
      let mask = slots.count &- 1
      var window: UInt32 = 0
      var position = 0
      while position < count {
        window = window >> 8 | UInt32(subject[position] | 0x20) << 24
        position &+= 1
        guard position >= 4 else { continue }
        var slot = Self.slot(window, shift)
        while slots[slot] != 0 {
          let index = Int(slots[slot]) &- 1
          if entries[index].gram == window {
            for pattern in entries[index].patterns { candidates[Int(pattern) / 64] |= 1 << UInt64(pattern % 64) }
            break
          }
          slot = (slot &+ 1) & mask
        }
      }
    }
  }
}
