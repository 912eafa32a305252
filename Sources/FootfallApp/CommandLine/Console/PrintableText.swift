import Recording

/// Makes text from the network, a file or the database safe to print.
package enum PrintableText {
  /// One line of text: what a terminal would obey is replaced.
  package static func line(_ text: String) -> String { TerminalText.printable(text) }

  /// JSON text: what a terminal would obey becomes JSON escapes, so that it stays the same JSON; line feeds stay.
  package static func json(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) || $0 == 0x0a }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      let own = String(scalar)
      if scalar == "\n" || TerminalText.printable(own) == own {
        result.unicodeScalars.append(scalar)
        continue
      }
      for unit in own.utf16 {
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return result
  }
}
