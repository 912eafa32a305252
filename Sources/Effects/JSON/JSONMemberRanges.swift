/// The members of a JSON object as they are written, found without reading their values: for text that a program wrote
/// itself and hands on.
///
/// Only what bounds a value is looked at (quotes, brackets, commas). Whether the values are JSON is not.
package struct JSONMemberRanges: Sendable {
  /// Where a member stands in the text.
  package struct Member: Sendable, Hashable {
    /// What is between the quotes of its name, escapes as written.
    package let name: Range<Int>
    /// Its value, without blanks around.
    package let value: Range<Int>
  }

  /// In the order of the text.
  package let members: [Member]

  /// The members of the object that the range holds; nil when it holds no object, or more than one.
  package init?(_ text: [UInt8], in range: Range<Int>? = nil) {
    let range = (range ?? text.indices).clamped(to: text.indices)
    var scanner = Scanner(text: text, position: range.lowerBound, end: range.upperBound)
    guard let members = scanner.object() else { return nil }
    self.members = members
  }

  private struct Scanner {
    let text: [UInt8]
    var position: Int
    let end: Int

    mutating func object() -> [Member]? {
      skipBlanks()
      guard take(UInt8(ascii: "{")) else { return nil }
      var members: [Member] = []
      members.reserveCapacity(24)
      skipBlanks()
      if !take(UInt8(ascii: "}")) {
        repeat {
          skipBlanks()
          guard let name = string() else { return nil }
          skipBlanks()
          guard take(UInt8(ascii: ":")) else { return nil }
          skipBlanks()
          guard let value = value() else { return nil }
          members.append(Member(name: name, value: value))
          skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { return nil }
      }
      skipBlanks()
      return position == end ? members : nil
    }

    /// What is between quotes.
    private mutating func string() -> Range<Int>? {
      guard take(UInt8(ascii: "\"")) else { return nil }
      let start = position
      while position < end {
        switch text[position] {
        case UInt8(ascii: "\""):
          position &+= 1
          return start..<(position &- 1)
        case UInt8(ascii: "\\"): position &+= 2
        default: position &+= 1
        }
      }
      return nil
    }

    private mutating func value() -> Range<Int>? {
      let start = position
      var depth = 0
      while position < end {
        switch text[position] {
        case UInt8(ascii: "\""):
          guard string() != nil else { return nil }
          if depth == 0 { return start..<position }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          depth &+= 1
          position &+= 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if depth == 0 { return start < position ? start..<position : nil }
          depth &-= 1
          position &+= 1
          if depth == 0 { return start..<position }
        case UInt8(ascii: ","), 0x20, 0x09, 0x0a, 0x0d:
          if depth == 0 { return start < position ? start..<position : nil }
          position &+= 1
        default: position &+= 1
        }
      }
      return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
      guard position < end, text[position] == byte else { return false }
      position &+= 1
      return true
    }

    private mutating func skipBlanks() {
      while position < end {
        switch text[position] {
        case 0x20, 0x09, 0x0a, 0x0d: position &+= 1
        default: return
        }
      }
    }
  }
}

extension JSONMemberRanges {
  /// The text of a string value, escapes undone; nil when it is no string.
  package static func string(_ value: Range<Int>, in text: [UInt8]) -> String? {
    guard value.count >= 2, value.upperBound <= text.count, text[value.lowerBound] == UInt8(ascii: "\"") else {
      return nil
    }
    let inside = text[(value.lowerBound &+ 1)..<(value.upperBound &- 1)]
    if !inside.contains(UInt8(ascii: "\\")) { return String(decoding: inside, as: UTF8.self) }
    let reading = JSONReader().read(Array(text[value]))
    return reading.issues.isEmpty ? reading.root?.value.string : nil
  }
}
