import AdminAPI
import Effects
import ProxyConfiguration
import URLRules

extension CommandOption {
  fileprivate static let explain = CommandOption("explain", short: "e", "Tell of each rule why it matches or not.")
}

extension CommandNode {
  static let rules = CommandNode(
    name: "rules", summary: "Try and list the rules of the configuration.", children: [rulesTest, rulesList])

  private static let rulesTest = CommandNode(
    name: "test",
    summary: "Tell which rules match URLs; from the file alone, no proxy needed.",
    operands: .init("URL...", minimum: 1),
    options: [.json, .explain],
    examples: [
      .init("footfall rules test http://api.example.com/v1/me", "Does a rule match this URL?"),
      .init("footfall rules test --explain http://example.com/a http://example.com/b", "Why, and why not?"),
    ],
    exitCodes: [.noMatch, .noInput, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let file = try ConfigurationFile(invocation)
      let configuration = try file.faultless(invocation.console)
      let reports = invocation.arguments.operands.map {
        RuleTestReport(file.loaded.ruleSet.explain($0), configured: configuration.rules)
      }
      if invocation.arguments.has(.json) {
        let json = JSONWriter.text(.array(reports.map(\.json)), indentation: 2)
        try invocation.console.print(PrintableText.json(json))
      } else {
        for report in reports {
          try RuleTestText.write(report, explains: invocation.arguments.has(.explain), invocation.console)
        }
      }
      return reports.allSatisfy(\.matches) ? .ok : .noMatch
    })

  private static let rulesList = CommandNode(
    name: "list",
    summary: "List the rules of the configuration.",
    options: [.json],
    examples: [.init("footfall rules list", "Show each rule with its matchers and effects.")],
    exitCodes: [.noInput, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let file = try ConfigurationFile(invocation)
      let configuration = try file.faultless(invocation.console)
      let console = invocation.console
      if invocation.arguments.has(.json) {
        let json = JSONWriter.text(.array(configuration.rules.map(\.json)), indentation: 2)
        try console.print(PrintableText.json(json))
        return .ok
      }
      guard !configuration.rules.isEmpty else {
        console.note("There are no rules in \(PrintableText.line(file.path)).")
        return .ok
      }
      var table = TextTable([("RULE", .left), ("EFFECTS", .left), ("MATCHES", .left)])
      for rule in configuration.rules {
        let effects = rule.effectNames.isEmpty ? "none" : rule.effectNames.joined(separator: ", ")
        let conditions = rule.matchers.map(\.text) + (rule.gate.map { ["when \($0.text)"] } ?? [])
        for (index, condition) in conditions.enumerated() {
          table.append([index == 0 ? rule.name : "", index == 0 ? effects : "", condition])
        }
      }
      for line in table.lines { try console.print(line) }
      return .ok
    })
}

/// What `rules test` says for people.
private enum RuleTestText {
  static func write(_ report: RuleTestReport, explains: Bool, _ console: Console) throws(CommandFailure) {
    let matching = report.rules.filter(\.matches).map(\.name)
    let mark = report.matches ? console.styled("match   ", .green) : console.styled("no match", .yellow)
    var line = "\(mark)  \(PrintableText.line(report.url))"
    if let refusal = report.refusal {
      line += "  (\(PrintableText.line(refusal)))"
    } else if report.matches {
      let effects = report.effects.isEmpty ? "none" : report.effects.joined(separator: ", ")
      line += "  (rules: \(matching.joined(separator: ", ")); effects: \(effects))"
    }
    try console.print(line)
    if let note = report.note { try console.print("          note: \(PrintableText.line(note))") }
    guard explains else { return }
    if let canonical = report.canonical, canonical != report.url {
      try console.print("    rules look at \(PrintableText.line(canonical))")
    }
    for rule in report.rules {
      try console.print("    \(rule.matches ? "+" : "-") \(PrintableText.line(rule.name))")
      for reason in rule.reasons { try console.print("        \(PrintableText.line(reason))") }
    }
  }
}

extension Configuration.Rule {
  fileprivate var effectNames: [String] {
    Configuration.Injection.allCases.filter(inject.contains).map(\.rawValue) + (record ? ["record"] : [])
  }

  fileprivate var json: JSONValue {
    var members = [
      JSONMember("name", .string(name)), JSONMember("match", .array(matchers.map(\.json))),
      JSONMember("effects", .array(effectNames.map { .string($0) })),
    ]
    if let gate { members.append(JSONMember("when", gate.json)) }
    return .object(members)
  }
}

extension Configuration.Gate {
  fileprivate var json: JSONValue { ["flag": .string(flag), "is": self.is.json, "fallback": fallback.json] }
}

extension Configuration.Matcher {
  fileprivate var text: String {
    switch kind {
    case .prefix(let text): "prefix \(text)"
    case .regex(let text): "regex \(text)"
    }
  }

  fileprivate var json: JSONValue {
    switch kind {
    case .prefix(let text): ["prefix": .string(text)]
    case .regex(let text): ["regex": .string(text)]
    }
  }
}
