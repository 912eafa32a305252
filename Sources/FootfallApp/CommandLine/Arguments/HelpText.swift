/// Writes the help of a command from what its node says.
package enum HelpText {
  /// The help of the last command of the path.
  package static func render(_ path: [CommandNode]) -> String {
    guard let node = path.last else { return "" }
    var sections = ["\(node.summary)", "Usage: \(usage(path))"]
    if !node.discussion.isEmpty { sections.append(node.discussion) }
    if !node.children.isEmpty {
      sections.append("Commands:\n" + columns(leaves(node).map { ($0.name, $0.summary) }))
    }
    sections.append("Options:\n" + columns(node.allOptions.map { ($0.synopsis, $0.help) }))
    if !node.examples.isEmpty {
      sections.append(
        "Examples:\n" + node.examples.map { "  \($0.command)\n      \($0.meaning)" }.joined(separator: "\n"))
    }
    if node.action != nil {
      let codes = ([.ok] + node.exitCodes + [.usage]).sorted { $0.rawValue < $1.rawValue }
      sections.append("Exit codes:\n" + columns(codes.map { ("\($0.rawValue)", $0.meaning) }))
    } else {
      sections.append("\"\(path.map(\.name).joined(separator: " ")) COMMAND --help\" tells more about one command.")
    }
    return sections.joined(separator: "\n\n") + "\n"
  }

  /// `footfall rules test [OPTIONS] URL…`
  package static func usage(_ path: [CommandNode]) -> String {
    guard let node = path.last else { return "" }
    var words = path.map(\.name)
    words.append(node.children.isEmpty ? "[OPTIONS]" : "COMMAND [OPTIONS]")
    if !node.operands.usage.isEmpty { words.append(node.operands.usage) }
    return words.joined(separator: " ")
  }

  /// The commands below a group, those of nested groups under their full name.
  private static func leaves(_ node: CommandNode, prefix: String = "") -> [(name: String, summary: String)] {
    node.children.flatMap { child in
      child.children.isEmpty
        ? [(name: prefix + child.name, summary: child.summary)]
        : leaves(child, prefix: prefix + child.name + " ")
    }
  }

  /// Two columns, the second wrapped at 80 characters.
  private static func columns(_ rows: [(String, String)]) -> String {
    let width = min(rows.map(\.0.count).max() ?? 0, 28)
    let indent = String(repeating: " ", count: width + 4)
    var lines: [String] = []
    for (left, right) in rows {
      var wrapped = wrap(right, width: max(20, 80 - width - 4))[...]
      if left.count > width {
        lines.append("  \(left)")
      } else {
        let padding = String(repeating: " ", count: width - left.count)
        lines.append("  \(left)\(padding)  \(wrapped.popFirst() ?? "")")
      }
      lines.append(contentsOf: wrapped.map { indent + $0 })
    }
    return lines.joined(separator: "\n")
  }

  static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
