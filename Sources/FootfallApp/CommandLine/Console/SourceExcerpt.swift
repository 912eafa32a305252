package import Effects

/// Shows a place in a text: its line and a caret below the column.
package struct SourceExcerpt: Sendable {
  /// The widest part of a line that is shown.
  private static let width = 100

  private let sourceLines: [ArraySlice<UInt8>]

  package init(_ content: [UInt8]) {
    sourceLines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  }

  /// Two lines, or none when the place is outside of the text.
  package func lines(at position: JSONPosition) -> [String] {
    guard position.line >= 1, position.line <= sourceLines.count else { return [] }
    var text = String(decoding: sourceLines[position.line - 1], as: UTF8.self)
    if text.unicodeScalars.last == "\r" { text.unicodeScalars.removeLast() }
    let scalars = Array(text.unicodeScalars)
    let column = min(max(position.column - 1, 0), scalars.count)
    // A long line is cut so that the column is in sight.
    let start = column < SourceExcerpt.width ? 0 : column - SourceExcerpt.width / 2
    let end = min(scalars.count, start + SourceExcerpt.width)
    var shown = ""
    // What is not shown as it is must not move the caret, so each character is made printable on its own.
    for scalar in scalars[start..<end] { shown += scalar == "\t" ? " " : PrintableText.line(String(scalar)) }
    let number = String(position.line)
    let margin = String(repeating: " ", count: max(0, 5 - number.count))
    let before = (start > 0 ? "..." : "") + shown + (end < scalars.count ? "..." : "")
    let caret = String(repeating: " ", count: (start > 0 ? 3 : 0) + column - start)
    return ["\(margin)\(number) | \(before)", "      | \(caret)^"]
  }
}
