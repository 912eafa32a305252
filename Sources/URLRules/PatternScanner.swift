/// Finds its way through the source of a pattern.
package enum PatternScanner {
  /// The index after the character class that begins at `start`, as PCRE2 reads it: a first `]` is a member, and so is
  /// an inner `[`.
  static func endOfClass(_ bytes: [UInt8], _ start: Int) -> Int? {
    var position = start + 1
    if position < bytes.count, bytes[position] == UInt8(ascii: "^") { position += 1 }
    if position < bytes.count, bytes[position] == UInt8(ascii: "]") { position += 1 }
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "]"): return position + 1
      case UInt8(ascii: "\\"):
        if position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "Q") { return nil }
        position += 2
      case UInt8(ascii: "[")
      where position + 1 < bytes.count && ":.=".utf8.contains(bytes[position + 1]):
        // A POSIX class such as [:alpha:] has its own closing bracket.
        let kind = bytes[position + 1]
        var end = position + 2
        while end < bytes.count, bytes[end] != kind, bytes[end] != UInt8(ascii: "]") { end += 1 }
        if end + 1 < bytes.count, bytes[end] == kind, bytes[end + 1] == UInt8(ascii: "]") {
          position = end + 2
        } else {
          position += 1
        }
      default: position += 1
      }
    }
    return nil
  }

  /// Calls the body with the index of each byte that stands outside of escapes and classes, and with each class.
  package static func forEachBareByte(
    _ bytes: [UInt8], _ body: (Int) -> Void, onClass: (Range<Int>) -> Void = { _ in }
  ) {
    var position = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\\"): position += 2
      case UInt8(ascii: "["):
        guard let end = endOfClass(bytes, position) else { return }
        onClass(position..<end)
        position = end
      default:
        body(position)
        position += 1
      }
    }
  }
}
