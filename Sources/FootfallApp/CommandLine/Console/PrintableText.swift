/// Makes text from the network, a file or the database safe to print.
///
/// A terminal obeys control characters, and bidirectional controls make text read as something it is not. They are
/// shown as escapes instead.
package enum PrintableText {
  /// One line of text: every control character escaped, also line feeds and tabs.
  package static func line(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isUnsafe(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// JSON text: unsafe characters become JSON escapes, so that it stays the same JSON; line feeds stay.
  package static func json(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { isUnsafe($0) && $0 != "\n" }) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isUnsafe(scalar), scalar != "\n" {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0: true  // C0, DEL, C1
    case 0x061c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xfeff: true  // invisible and bidirectional
    case 0xfff9...0xfffb, 0xe0000...0xe007f: true  // annotations and tags
    default: false
    }
  }
}
