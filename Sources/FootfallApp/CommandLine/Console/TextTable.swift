/// Rows in aligned columns, two spaces apart.
package struct TextTable: Sendable {
  package enum Alignment: Sendable {
    case left, right
  }

  private let alignments: [Alignment]
  private var rows: [[String]]

  /// A table with that header; each text is one line by the time it is drawn.
  package init(_ header: [(String, Alignment)]) {
    alignments = header.map(\.1)
    rows = [header.map(\.0)]
  }

  package mutating func append(_ row: [String]) { rows.append(row.map(PrintableText.line)) }

  /// The lines, without spaces at their ends.
  package var lines: [String] {
    let widths = alignments.indices.map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = ""
      for (column, text) in row.enumerated() where column < widths.count {
        let padding = String(repeating: " ", count: widths[column] - text.count)
        if column > 0 { line += "  " }
        line += alignments[column] == .left ? text + padding : padding + text
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
