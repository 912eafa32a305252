import Effects
import ProxyConfiguration

extension CommandOption {
  fileprivate static let format = CommandOption(
    "format", short: "f", value: "text|json", "How to print the issues. Default: text.")
}

extension CommandNode {
  static let check = CommandNode(
    name: "check",
    summary: "Check the configuration and report all issues in it.",
    discussion: "Warnings alone do not fail the check.",
    options: [.format],
    examples: [
      .init("footfall check -c Config/footfall.json", "Show every issue with its source line."),
      .init(
        "footfall check --format json", "Print an array of issues: file, line, column, pointer, code, severity, ..."),
    ],
    exitCodes: [.noInput, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let console = invocation.console
      let format = invocation.arguments.value(of: .format) ?? "text"
      guard ["text", "json"].contains(format) else {
        throw CommandFailure(.usage, "unknown format \"\(format)\"", hint: "Use text or json.")
      }
      let file = try ConfigurationFile(invocation, readsSecrets: true)
      let access = file.loaded.configuration.map { AccessUsers.load($0, invocation.environment.readFile) }
      let issues = file.loaded.issues + (access?.issues ?? [])
      if format == "json" {
        try console.print(PrintableText.json(JSONWriter.text(.array(issues.map(\.json)), indentation: 2)))
      } else {
        let excerpt = SourceExcerpt(file.content)
        for issue in issues {
          try console.print(IssueText.headline(issue, console))
          guard issue.file == file.path else { continue }
          for line in excerpt.lines(at: issue.position) { try console.print(line) }
        }
        try console.print(IssueText.summary(issues, path: file.path))
      }
      return file.loaded.hasErrors || access?.hasErrors ?? false ? .configuration : .ok
    })
}

/// The parts of the report for people.
private enum IssueText {
  /// The issue on one line, with its severity in color.
  static func headline(_ issue: ConfigurationIssue, _ console: Console) -> String {
    let text = issue.description
    let place = "\(issue.file):\(issue.position.line):\(issue.position.column): "
    guard text.hasPrefix(place + issue.severity.rawValue) else { return text }
    let styled = console.styled(issue.severity.rawValue, .bold, issue.severity == .error ? .red : .yellow)
    return place + styled + text.dropFirst(place.count + issue.severity.rawValue.count)
  }

  static func summary(_ issues: [ConfigurationIssue], path: String) -> String {
    let errors = issues.filter { $0.severity == .error }.count
    let warnings = issues.count - errors
    var parts: [String] = []
    if errors > 0 { parts.append(QuantityText.counted(Int64(errors), "error")) }
    if warnings > 0 { parts.append(QuantityText.counted(Int64(warnings), "warning")) }
    return "\(PrintableText.line(path)): " + (parts.isEmpty ? "no issues" : parts.joined(separator: ", "))
  }
}
