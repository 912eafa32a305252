/// Finds what somebody may have meant.
package enum Suggestion {
  /// The candidate that is most like the text, or nil when none is like it.
  package static func closest(to text: String, among candidates: [String]) -> String? {
    let given = normalized(text)
    guard !given.isEmpty, given.count <= 64 else { return nil }
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let wanted = normalized(candidate)
      var distance = distance(given, wanted)
      // The beginning of a name, or a name with more at its end, is a guess as good as two wrong letters.
      if given.count >= 3, wanted.starts(with: given) || wanted.count >= 3 && given.starts(with: wanted) {
        distance = min(distance, 2)
      }
      guard distance <= max(1, min(3, wanted.count / 3)) || distance <= 2 && given.count >= 3 && wanted.count >= 4
      else {
        continue
      }
      if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
    }
    return best?.name
  }

  /// A hint that names the closest candidate, or all when none is close and they are few.
  static func hint(for text: String, among candidates: [String]) -> String {
    if let name = closest(to: text, among: candidates) { return "did you mean \"\(name)\"?" }
    guard !candidates.isEmpty, candidates.count <= 16 else { return "" }
    return "known: " + candidates.joined(separator: ", ")
  }

  /// Letters and digits only, in lower case: `ttl_hours` and `TTLHours` are spellings of one name.
  private static func normalized(_ text: String) -> [UInt8] {
    text.lowercased().utf8.filter { $0.isLetterOrDigit || $0 >= 0x80 }
  }

  /// How many insertions, deletions, replacements and swaps of neighbours make one text of the other (optimal string
  /// alignment).
  static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, byte) in one.enumerated() {
      var current = [row + 1]
      for (column, wanted) in other.enumerated() {
        var cost = min(last[column + 1], current[column]) + 1
        cost = min(cost, last[column] + (byte == wanted ? 0 : 1))
        if row > 0, column > 0, byte == other[column - 1], one[row - 1] == wanted {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[other.count]
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
