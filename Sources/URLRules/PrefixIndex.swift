import HTTPWire

/// All prefix rules: by origin, then by the longest prefix of the path.
///
/// Scheme, host and port are equal exactly when the origin's bytes in the canonical text are. One look-up hashes those,
/// compares them with one origin (or a few, on a collision) and walks that origin's prefix tree.
struct PrefixIndex: Sendable {
  /// A prefix that some rule names.
  private struct Terminal: Sendable {
    /// The effects of the rules of this prefix and of every prefix of it.
    var effects: RuleEffects
    /// The longest shorter prefix, or -1.
    var parent: Int32
    /// The rules of this very prefix.
    var ownRules: [Int32]
    /// The rules of the whole chain, in order; nil where keeping them would take too much memory.
    var chainRules: [Int32]?
  }

  private struct Origin: Sendable {
    var textStart: UInt32
    var textLength: UInt32
    var root: UInt32
  }

  /// Entries that all kept chains may have together. Only ten thousand prefixes of each other come near.
  private static let chainEntries = 1 << 20

  private var forest = RadixForest()
  private var terminals: [Terminal] = []
  private var origins: [Origin] = []
  private var originTexts: [UInt8] = []
  /// Open addressing: the origin's index plus 1, or 0; as many slots as a power of two, at most half of them in use.
  private var slots: [UInt32] = [0]

  /// Whether there is no prefix at all.
  var isEmpty: Bool { terminals.isEmpty }

  /// The number of different prefixes.
  var count: Int { terminals.count }

  init(_ prefixes: [(text: CanonicalText, rule: Int32)], effects: [RuleEffects]) {
    var byOrigin: [ArraySlice<UInt8>: [ArraySlice<UInt8>: [Int32]]] = [:]
    for (text, rule) in prefixes {
      let origin = text.bytes[..<text.url.originLength]
      byOrigin[origin, default: [:]][text.bytes[text.url.originLength...], default: []].append(rule)
    }
    slots = [UInt32](repeating: 0, count: Self.slotCount(byOrigin.count))
    for (origin, paths) in byOrigin.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let keys = paths.keys.sorted { $0.lexicographicallyPrecedes($1) }
      let root = forest.addTree(keys)
      insert(origin: origin, root: root)
      for key in keys {
        let rules = Array(Set(paths[key] ?? [])).sorted()
        let own = rules.reduce(into: RuleEffects()) { $0.formUnion(effects[Int($1)]) }
        terminals.append(Terminal(effects: own, parent: -1, ownRules: rules))
      }
    }
    linkChains()
  }

  private static func slotCount(_ count: Int) -> Int {
    var size = 2
    while size < count * 2 { size *= 2 }
    return size
  }

  private mutating func insert(origin: ArraySlice<UInt8>, root: UInt32) {
    origins.append(
      Origin(textStart: UInt32(originTexts.count), textLength: UInt32(origin.count), root: root))
    originTexts.append(contentsOf: origin)
    let hash = origin.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { ByteRun.hash($0, buffer.count) } ?? 0
    }
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt32(origins.count)
  }

  /// Parents come before their children in the sorted order, so one pass suffices.
  private mutating func linkChains() {
    var budget = Self.chainEntries
    for index in terminals.indices {
      let parent = forest.keys[index].parent
      terminals[index].parent = parent
      guard parent >= 0 else {
        terminals[index].chainRules = terminals[index].ownRules
        continue
      }
      terminals[index].effects.formUnion(terminals[Int(parent)].effects)
      if let above = terminals[Int(parent)].chainRules, above.count + terminals[index].ownRules.count <= budget {
        let chain = Self.merge(above, terminals[index].ownRules)
        budget -= chain.count
        terminals[index].chainRules = chain
      }
    }
  }

  /// The same prefixes, with other effects of the rules: everything but the effects is shared.
  func withEffects(_ effects: [RuleEffects]) -> PrefixIndex {
    var other = self
    // Parents come before their children here, too.
    for index in other.terminals.indices {
      var sum = other.terminals[index].ownRules.reduce(into: RuleEffects()) { $0.formUnion(effects[Int($1)]) }
      let parent = other.terminals[index].parent
      if parent >= 0 { sum.formUnion(other.terminals[Int(parent)].effects) }
      other.terminals[index].effects = sum
    }
    return other
  }

  /// The union of two sorted lists, sorted.
  private static func merge(_ one: [Int32], _ other: [Int32]) -> [Int32] {
    var merged: [Int32] = []
    merged.reserveCapacity(one.count + other.count)
    var (i, j) = (0, 0)
    while i < one.count || j < other.count {
      let takesOne = j >= other.count || i < one.count && one[i] <= other[j]
      let next = takesOne ? one[i] : other[j]
      if takesOne { i += 1 } else { j += 1 }
      if merged.last != next { merged.append(next) }
    }
    return merged
  }

  /// The longest prefix of the subject, or -1.
  ///
  /// Pointers, because this runs once per request. The subject's first `length` bytes are read, nothing else; indices of slots, origins and texts were made here.
  @inline(__always)
  func find(_ subject: UnsafePointer<UInt8>, originLength: Int, length: Int) -> Int32 {
    slots.withUnsafeBufferPointer { slots in
      origins.withUnsafeBufferPointer { origins in
        originTexts.withUnsafeBufferPointer { texts in
          let mask = slots.count &- 1
          var slot = Int(truncatingIfNeeded: ByteRun.hash(subject, originLength)) & mask
          while true {
            let entry = slots[slot]
            guard entry != 0, let text = texts.baseAddress else { return -1 }
            let origin = origins[Int(entry) &- 1]
            if Int(origin.textLength) == originLength,
              ByteRun.equal(text + Int(origin.textStart), subject, originLength)
            {
              return forest.longestPrefix(origin.root, subject + originLength, length &- originLength)
            }
            slot = (slot &+ 1) & mask
          }
        }
      }
    }
  }

  /// The effects of the whole chain of a found prefix.
  @inline(__always)
  func effects(_ node: Int32) -> RuleEffects {
    terminals.withUnsafeBufferPointer { $0[Int(node)].effects }
  }

  /// The rules of the whole chain of a found prefix, in order; none for -1.
  func rules(_ node: Int32) -> [Int32] {
    guard node >= 0, Int(node) < terminals.count else { return [] }
    if let chain = terminals[Int(node)].chainRules { return chain }
    var rules: Set<Int32> = []
    var current = node
    while current >= 0 {
      rules.formUnion(terminals[Int(current)].ownRules)
      current = terminals[Int(current)].parent
    }
    return rules.sorted()
  }

  /// Whether the rule is in the chain of a found prefix.
  func contains(_ node: Int32, rule: Int32) -> Bool {
    guard node >= 0 else { return false }
    let rules = rules(node)
    var low = 0
    var high = rules.count
    while low < high {
      let middle = (low + high) / 2
      if rules[middle] < rule { low = middle + 1 } else { high = middle }
    }
    return low < rules.count && rules[low] == rule
  }
}
