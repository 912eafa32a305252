/// Turns definitions into the parts of a rule set and gathers what is wrong with them.
struct RuleCompiler {
  let engine: any PatternEngine
  let hostNames: any HostNameEncoder
  var issues: [RuleIssue] = []
  var prefixes: [(text: CanonicalText, rule: Int32)] = []
  var canonicalPrefixes: [RuleSet.MatcherID: CanonicalText] = [:]
  var patterns: [(entry: RuleSet.PatternEntry, literals: PatternLiterals)] = []
  var handlers: [RuleSet.HandlerEntry] = []
  var usableRules: Set<Int> = []

  init(engine: any PatternEngine, hostNames: any HostNameEncoder) {
    self.engine = engine
    self.hostNames = hostNames
  }

  mutating func add(_ definition: RuleDefinition, at rule: Int) {
    for (matcher, kind) in definition.matchers.enumerated() {
      let isValid =
        switch kind {
        case .prefix(let text): addPrefix(text, rule, matcher)
        case .regex(let pattern): addRegex(pattern, rule, matcher)
        case .handler(let name, let handler): addHandler(name, handler, rule, matcher)
        }
      if isValid { usableRules.insert(rule) }
    }
    if !usableRules.contains(rule) {
      issues.append(
        RuleIssue(
          .error, .ruleWithoutMatcher, rule: rule, matcher: nil,
          "the rule \"\(definition.name)\" has no valid matcher, so it matches nothing"))
    }
  }

  private mutating func addPrefix(_ text: String, _ rule: Int, _ matcher: Int) -> Bool {
    do {
      let canonical = try PrefixText.read(text, hostNames: hostNames)
      prefixes.append((canonical, Int32(clamping: rule)))
      canonicalPrefixes[RuleSet.MatcherID(rule: rule, matcher: matcher)] = canonical
      report(RuleLints.prefix(text, canonical), rule, matcher)
      return true
    } catch {
      issues.append(
        RuleIssue(.error, error.code, rule: rule, matcher: matcher, error.message, offset: error.offset))
      return false
    }
  }

  private mutating func addRegex(_ pattern: String, _ rule: Int, _ matcher: Int) -> Bool {
    guard !pattern.isEmpty else {
      issues.append(
        RuleIssue(
          .error, .regexEmpty, rule: rule, matcher: matcher, "the pattern is empty; it would match every URL"))
      return false
    }
    do {
      let compiled = try engine.compile(pattern)
      let entry = RuleSet.PatternEntry(pattern: compiled, rule: Int32(clamping: rule), matcher: matcher)
      patterns.append((entry, PatternLiterals.read(pattern)))
      report(RuleLints.regex(pattern), rule, matcher)
      return true
    } catch {
      let code: RuleIssue.Code =
        switch error.code {
        case .syntax: .regexSyntax
        case .unsupported: .regexUnsupported
        case .tooLarge: .regexTooLarge
        }
      issues.append(RuleIssue(.error, code, rule: rule, matcher: matcher, error.message, offset: error.offset))
      return false
    }
  }

  private mutating func addHandler(_ name: String, _ handler: RuleHandler?, _ rule: Int, _ matcher: Int) -> Bool {
    guard let handler else {
      issues.append(
        RuleIssue(.error, .handlerUnknown, rule: rule, matcher: matcher, "there is no handler named \"\(name)\""))
      return false
    }
    handlers.append(RuleSet.HandlerEntry(handler: handler, rule: Int32(clamping: rule), matcher: matcher))
    return true
  }

  private mutating func report(_ findings: [RuleLints.Finding], _ rule: Int, _ matcher: Int) {
    for finding in findings {
      issues.append(
        RuleIssue(
          .warning, finding.code, rule: rule, matcher: matcher, finding.message, offset: finding.offset))
    }
  }
}
