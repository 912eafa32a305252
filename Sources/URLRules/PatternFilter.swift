/// Picks the patterns that could match a subject, so that the others need not be searched for.
///
/// Never drops a pattern that matches: an anchored pattern is a candidate when the subject starts with its literal
/// start, another one when four bytes that each of its matches contains occur in the subject, the rest always.
struct PatternFilter: Sendable {
  /// A set of patterns, one bit each.
  typealias Words = UnsafeMutableBufferPointer<UInt64>

  /// With fewer patterns than this, searching costs less than looking for their four bytes.
  static let worthwhileGrams = 8

  /// The number of 64-bit words of a set.
  let wordCount: Int
  private var always: [UInt64]
  private var anchors = RadixForest()
  private var anchorRoot: UInt32 = 0
  /// The patterns of each anchor, by the anchor's index.
  private var anchored: [[Int32]] = []
  private var grams: GramTable?

  init(_ patterns: [PatternLiterals]) {
    wordCount = (patterns.count + 63) / 64
    always = [UInt64](repeating: 0, count: wordCount)
    var byAnchor: [[UInt8]: [Int32]] = [:]
    var loose: [(pattern: Int32, literals: [[UInt8]])] = []
    for (index, literals) in patterns.enumerated() {
      // Shorter ones, such as "https://", are common to all subjects.
      if literals.anchoredPrefix.count > 8 {
        byAnchor[literals.anchoredPrefix, default: []].append(Int32(index))
      } else {
        loose.append((Int32(index), literals.required))
      }
    }
    if !byAnchor.isEmpty {
      let keys = byAnchor.keys.sorted { $0.lexicographicallyPrecedes($1) }
      anchorRoot = anchors.addTree(keys.map { $0[...] })
      anchored = keys.map { byAnchor[$0] ?? [] }
    }
    var unfiltered = loose.map(\.pattern)
    if loose.count >= Self.worthwhileGrams {
      let table = GramTable(loose)
      grams = table
      unfiltered = table.rejected
    }
    for pattern in unfiltered { always[Int(pattern) / 64] |= 1 << UInt64(pattern % 64) }
  }

  /// Makes `candidates`, of `wordCount` words, the set of the patterns that could match.
  @inline(__always)
  func select(_ subject: UnsafePointer<UInt8>, _ count: Int, into candidates: Words) {
    for index in 0..<wordCount { candidates[index] = always[index] }
    if !anchored.isEmpty {
      var anchor = anchors.longestPrefix(anchorRoot, subject, count)
      while anchor >= 0 {
        for pattern in anchored[Int(anchor)] { candidates[Int(pattern) / 64] |= 1 << UInt64(pattern % 64) }
        anchor = anchors.keys[Int(anchor)].parent
      }
    }
    grams?.select(subject, count, into: candidates)
  }
}

/// Finds patterns by four bytes that all of their matches contain, letters in either case.
///
/// Bytes are compared with bit 5 set: equal for the two cases of a letter, and for few other pairs.
private struct GramTable: Sendable {
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
