extension JSONNode {
  /// The place in the text where the byte with that offset of a string's UTF-8 was written; the string's own place for
  /// other values and for offsets past the end.
  ///
  /// - Parameters:
  ///   - offset: Bytes into the decoded string, as the engine of a regular expression counts them.
  ///   - text: The bytes that the node was read from.
  package func position(ofUTF8Offset offset: Int, in text: [UInt8]) -> JSONPosition {
    guard case .string = kind, offset >= 0 else { return position }
    var place = position.offset &+ 1
    var column = position.column &+ 1
    var decoded = 0
    while decoded < offset {
      guard place < text.count, text[place] != UInt8(ascii: "\"") else { return position }
      var written = max(1, UTF8Sequence.length(at: place, in: text))
      var columns = 1
      var bytes = written
      if text[place] == UInt8(ascii: "\\") {
        (written, bytes) = Self.escape(at: place, in: text)
        columns = written
      }
      // An offset inside a character is the place of the character.
      guard decoded &+ bytes <= offset else { break }
      place &+= written
      column &+= columns
      decoded &+= bytes
    }
    return JSONPosition(offset: place, line: position.line, column: column)
  }

  /// How many bytes the escape has that is written at a place, and how many it stands for in UTF-8.
  private static func escape(at place: Int, in text: [UInt8]) -> (written: Int, decoded: Int) {
    guard place &+ 1 < text.count, text[place &+ 1] == UInt8(ascii: "u") else { return (2, 1) }
    var value: UInt32 = 0
    for index in (place &+ 2)..<(place &+ 6) {
      guard index < text.count, let digit = text[index].hexadecimalValue else { return (2, 1) }
      value = value << 4 | digit
    }
    switch value {
    case 0..<0x80: return (6, 1)
    case 0x80..<0x800: return (6, 2)
    // Two halves of one character.
    case 0xd800..<0xdc00: return (12, 4)
    default: return (6, 3)
    }
  }
}
