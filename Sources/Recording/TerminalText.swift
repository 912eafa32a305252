/// Text from outside, made safe to print on a terminal.
package enum TerminalText {
  /// The text with everything that a terminal may obey or that hides or reorders what is shown replaced by U+FFFD:
  /// control characters (with escape, which begins every terminal sequence, and its one-byte forms from U+0080),
  /// direction overrides and other invisible format characters, line and paragraph separators, and code points without
  /// a character.
  package static func printable(_ text: String) -> String {
    // Nearly all text is printable ASCII.
    if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(isPrintable(scalar) ? scalar : "\u{fffd}") }
    return String(result)
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    // Variation selectors and combining marks only change the character before them; blank letters pretend to be none.
    default: !scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isVariationSelector
    }
  }
}
