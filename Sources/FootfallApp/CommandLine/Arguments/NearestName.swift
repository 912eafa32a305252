/// Finds what a misspelt name was meant to be.
package enum NearestName {
  /// The candidate with the fewest single-character changes and swaps of neighbours, if they are few for its length.
  package static func of(_ name: String, among candidates: [String]) -> String? {
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(Array(name), Array(candidate))
      guard distance <= max(1, candidate.count / 3), distance < best?.distance ?? .max else { continue }
      best = (candidate, distance)
    }
    // An unfinished word is closer to its completion than the count of letters says.
    return best?.candidate ?? (name.count >= 2 ? candidates.first { $0.hasPrefix(name) } : nil)
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours between two words.
  static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var before: [Int] = []
    var previous = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var current = [row + 1]
      for (column, counterpart) in other.enumerated() {
        var least = min(
          previous[column + 1] + 1, current[column] + 1, previous[column] + (letter == counterpart ? 0 : 1))
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == counterpart {
          least = min(least, before[column - 1] + 1)
        }
        current.append(least)
      }
      before = previous
      previous = current
    }
    return previous[other.count]
  }
}
