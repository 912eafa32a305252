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
