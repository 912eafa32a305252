import Effects
import ProxyConfiguration
import RuleEngines
import URLRules

extension Property {
  /// Whatever the file holds, loading it ends; every issue has a place inside it and one line of text; without a fatal
  /// one there is a configuration, and the same bytes give the same issues.
  static let configuration = Property("configuration") { bytes in
    let loader = ConfigurationLoader(patterns: PCRE2PatternEngine(), hostNames: IDNA2008HostNameEncoder())
    let loaded = loader.load(bytes, file: "f")
    let isFatal = loaded.issues.contains { $0.impact == .fatal }
    try require((loaded.configuration == nil) == isFatal, "fatal \(isFatal): \(loaded.issues)")
    var earlier = 0
    for issue in loaded.issues {
      let offset = issue.position.offset
      try require(offset <= bytes.count && offset >= earlier, "out of place: \(issue)")
      earlier = offset
      let before = bytes[..<offset]
      try require(issue.position.line == 1 + before.count { $0 == 0x0a }, "another line: \(issue)")
      let column = offset - (before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0) + 1
      try require((1...column).contains(issue.position.column), "another column than \(column): \(issue)")
      try require(!issue.description.utf8.contains { $0 < 0x20 || $0 == 0x7f }, "not one line: \(issue)")
      try require(!issue.message.isEmpty && !issue.code.rawValue.isEmpty, "says nothing: \(issue)")
    }
    if let configuration = loaded.configuration {
      try require(configuration.rules.count == loaded.ruleSet.names.count, "rules and rule set differ")
    }
    let again = loader.load(bytes, file: "f")
    try require(again.issues == loaded.issues, "loaded twice: \(again.issues), \(loaded.issues)")
    // What was read as JSON is the same JSON when it is written and read again.
    let reading = JSONReader().read(bytes)
    if reading.issues.isEmpty, let value = reading.root?.value {
      let written = Array(JSONWriter.text(value).utf8)
      try require(try JSONReader().value(written) == value, "written: \(shown(written))")
    }
  }
}
