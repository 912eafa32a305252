/// Strings, numbers and words. On entry the cursor is on the first byte; `start` is its place.
extension JSONParser {
  // MARK: Strings

  /// The text of the string here, as far as it can be read.
  mutating func parseString(_ start: JSONPosition) -> String {
    let quote = cursor.byte ?? UInt8(ascii: "\"")
    if quote != UInt8(ascii: "\"") {
      report(.singleQuotes, at: start, "the string is in single quotes", "use double quotes")
    }
    cursor.advance()
    let first = cursor.offset
    cursor.skip { $0 >= 0x20 && $0 < 0x80 && $0 != quote && $0 != UInt8(ascii: "\\") }
    var text = Array(cursor.slice(from: first))
    var hasControl = false
    while let byte = cursor.byte {
      switch byte {
      case quote:
        cursor.advance()
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        parseEscape(into: &text)
      case 0x0a, 0x0d:
        reportUnterminated(start, &text)
        return String(decoding: text, as: UTF8.self)
      case 0..<0x20:
        if !hasControl {
          report(
            .controlCharacter, at: cursor.position(), "control character 0x\(String(byte, radix: 16)) in a string",
            byte == 0x09 ? "write \\t" : "write it as \\u and four digits")
        }
        hasControl = true
        text.append(byte)
        cursor.advance()
      case 0..<0x80:
        text.append(byte)
        cursor.advance()
      default:
        let length = UTF8Sequence.length(at: cursor.offset, in: cursor.bytes)
        if length > 0 {
          text.append(contentsOf: cursor.bytes[cursor.offset..<cursor.offset &+ length])
        } else {
          report(.invalidUTF8, at: cursor.position(), "the string is not UTF-8", "save the text as UTF-8")
          text.append(contentsOf: UTF8Sequence.replacement)
        }
        cursor.advance(max(1, length))
      }
    }
    reportUnterminated(start, &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Reports a string that ends with its line; a comma or bracket at the end of the line is taken out of it again, as
  /// the quote was most likely meant to stand before it.
  private mutating func reportUnterminated(_ start: JSONPosition, _ text: inout [UInt8]) {
    report(.unterminatedString, at: start, "the string does not end on its line", "add the closing quote")
    var kept = text.count
    while kept > 0, text[kept &- 1] == 0x20 || text[kept &- 1] == 0x09 { kept &-= 1 }
    guard kept > 0 else { return }
    switch text[kept &- 1] {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
      cursor.move(to: cursor.offset &- (text.count &- kept) &- 1)
      text.removeLast(text.count &- kept &+ 1)
    default: return
    }
  }

  private mutating func parseEscape(into text: inout [UInt8]) {
    let position = cursor.position()
    cursor.advance()
    guard let byte = cursor.byte else { return }
    cursor.advance()
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      guard let unit = parseHexadecimal() else {
        return report(.invalidEscape, at: position, "\\u without four hexadecimal digits", "")
      }
      appendScalar(unit, at: position, into: &text)
    default:
      // A line end after a backslash ends the string all the same.
      if byte < 0x20 || byte >= 0x80 { cursor.move(to: cursor.offset &- 1) }
      let shown = byte > 0x20 && byte < 0x7f ? String(Character(Unicode.Scalar(byte))) : ""
      report(.invalidEscape, at: position, "\\\(shown) is no escape", "a backslash itself is written \\\\")
      if byte >= 0x20, byte < 0x80 { text.append(byte) }
    }
  }

  private mutating func appendScalar(_ unit: UInt32, at position: JSONPosition, into text: inout [UInt8]) {
    var value = unit
    if unit & 0xfc00 == 0xd800, cursor.starts(with: #"\u"#) {
      let rest = cursor.offset
      cursor.advance(2)
      if let low = parseHexadecimal(), low & 0xfc00 == 0xdc00 {
        value = 0x10000 &+ (unit & 0x3ff) << 10 &+ low & 0x3ff
      } else {
        cursor.move(to: rest)
      }
    }
    if let scalar = Unicode.Scalar(value) {
      text.append(contentsOf: String(Character(scalar)).utf8)
    } else {
      report(
        .loneSurrogate, at: position, "\\u\(String(unit, radix: 16)) is half a surrogate pair", "write both halves")
      text.append(contentsOf: UTF8Sequence.replacement)
    }
  }

  private mutating func parseHexadecimal() -> UInt32? {
    var value: UInt32 = 0
    for ahead in 0..<4 {
      guard let digit = cursor.byte(ahead: ahead)?.hexadecimalValue else { return nil }
      value = value << 4 | digit
    }
    cursor.advance(4)
    return value
  }

  // MARK: Numbers and words

  /// The number here; the grammar of RFC 8259, section 6.
  mutating func parseNumber(_ start: JSONPosition) -> JSONNode.Kind {
    cursor.skip { $0.continuesWord }
    let text = cursor.slice(from: start.offset)
    var rest = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
    let whole = rest.prefix { $0.isDecimalDigit }
    rest = rest.dropFirst(whole.count)
    guard !whole.isEmpty else { return malformed(start, text) }
    var isWhole = true
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix { $0.isDecimalDigit }
      guard !fraction.isEmpty else { return malformed(start, text) }
      rest = rest.dropFirst(fraction.count &+ 1)
      isWhole = false
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
      let exponent = rest.prefix { $0.isDecimalDigit }
      guard !exponent.isEmpty else { return malformed(start, text) }
      rest = rest.dropFirst(exponent.count)
      isWhole = false
    }
    guard rest.isEmpty else { return malformed(start, text) }
    if whole.count > 1, whole.first == UInt8(ascii: "0") {
      report(.leadingZero, at: start, "the number has a leading zero", "remove the zero")
      return .invalid
    }
    let number = String(decoding: text, as: UTF8.self)
    if isWhole, let integer = Int64(number) { return .integer(integer) }
    // No number of the range needs that many digits; converting them costs more than their length.
    if text.count <= 1100, let double = Double(number), double.isFinite { return .double(double) }
    report(.numberOutOfRange, at: start, "the number is too large", "")
    return .invalid
  }

  private mutating func malformed(_ start: JSONPosition, _ text: ArraySlice<UInt8>) -> JSONNode.Kind {
    let shown = String(decoding: text.prefix(40), as: UTF8.self)
    report(.malformedNumber, at: start, "'\(shown)' is not a number", "digits, then .digits, then e and digits")
    return .invalid
  }

  /// `true`, `false`, `null`; any other word is reported.
  mutating func parseLiteral(_ start: JSONPosition) -> JSONNode.Kind {
    cursor.skip { $0.continuesWord }
    let word = String(decoding: cursor.slice(from: start.offset).prefix(40), as: UTF8.self)
    switch word {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default: break
    }
    let (kind, hint): (JSONNode.Kind, String) =
      switch word.lowercased() {
      case "true", "yes", "on": (.bool(true), "write true")
      case "false", "no", "off": (.bool(false), "write false")
      case "null", "nil", "none", "undefined": (.null, "write null")
      case "nan", "infinity", "inf": (.invalid, "JSON has no such number")
      default: (.invalid, "put text in double quotes")
      }
    report(.unknownLiteral, at: start, "'\(word)' is not a value", hint)
    return kind
  }
}
