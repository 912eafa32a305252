import Effects
import URLRules

/// Makes the rules of what was written: names, effects, compiled matchers; drops what has a mistake.
struct RuleAssembly {
  let patterns: any PatternEngine
  let hostNames: any HostNameEncoder

  /// The rules without mistakes, and their compiled form in the same order.
  func assemble(
    _ document: ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext
  ) -> ([Configuration.Rule], RuleSet) {
    let isUsable = VisitorIDChecks.isUsable(document, context.issues)
    var injections: Set<Configuration.Injection> = isUsable ? [.visitorID] : []
    if document.ahoy != nil { injections.insert(.ahoy) }
    reportNames(document.rules, &context)
    reportEffects(document, source, &context)
    GateChecks.run(document, source, &context)
    // Also the conditions of rules that are dropped for another mistake, so that one run reports all mistakes.
    let written = document.rules.map { rule($0, matchers: $0.matchers, injections) }
    let (compiled, issues) = compile(written)
    for issue in issues {
      guard issue.code != .ruleWithoutMatcher, let index = issue.matcherIndex,
        written.indices.contains(issue.ruleIndex), written[issue.ruleIndex].matchers.indices.contains(index)
      else { continue }
      report(issue, written[issue.ruleIndex].matchers[index], source, &context)
    }
    HTTPSRuleChecks.run(written, &context)
    let drafts = drafts(document.rules, injections, context.issues)
    let isWhole = drafts.map(\.matchers.count) == written.map(\.matchers.count)
    let ruleSet = isWhole ? compiled : compile(drafts).rules
    if isUsable, source.holds("rules"), !drafts.contains(where: { $0.inject.contains(.visitorID) }) {
      context.report(
        .visitorIDWithoutRule, at: source.place(JSONPointer([.name("rules")])),
        "no valid rule injects the visitor id, so it is off", hint: "add a rule, or remove \"visitorID\"")
    }
    return (drafts, ruleSet)
  }

  private func compile(_ rules: [Configuration.Rule]) -> (rules: RuleSet, issues: [RuleIssue]) {
    let definitions = rules.map { rule in
      var effects: RuleEffects = rule.record ? .record : []
      if rule.inject.contains(.visitorID) { effects.insert(.visitorID) }
      if rule.inject.contains(.ahoy) { effects.insert(.ahoy) }
      let matchers = rule.matchers.map { matcher -> RuleMatcher in
        switch matcher.kind {
        case .prefix(let text): .prefix(text)
        case .regex(let text): .regex(text)
        }
      }
      return RuleDefinition(name: rule.name, matchers: matchers, effects: effects)
    }
    return RuleSet.compile(definitions, patterns: patterns, hostNames: hostNames)
  }

  /// The rules that no error concerns, with the matchers that no error concerns.
  private func drafts(
    _ texts: [Configuration.RuleText], _ injections: Set<Configuration.Injection>, _ issues: [ConfigurationIssue]
  ) -> [Configuration.Rule] {
    // Beside its matchers, a mistake anywhere in a rule leaves open what it was meant to do: it does nothing then.
    var badRules: Set<Int> = []
    var badMatchers: Set<JSONPointer> = []
    for issue in issues {
      guard case .dropsRule(let index) = issue.impact else { continue }
      let steps = issue.pointer.steps
      guard steps.count > 2, steps[2] == .name("match") else {
        badRules.insert(index)
        continue
      }
      badMatchers.insert(JSONPointer(Array(steps.prefix(3))))
      if steps.count > 3, case .index = steps[3] {
        badMatchers.remove(JSONPointer(Array(steps.prefix(3))))
        badMatchers.insert(JSONPointer(Array(steps.prefix(4))))
      }
    }
    return texts.compactMap { text in
      guard !badRules.contains(text.index) else { return nil }
      let matchers = text.matchers.filter { !badMatchers.contains(JSONPointer($0.place.pointer.steps.dropLast())) }
      guard !matchers.isEmpty else { return nil }
      return rule(text, matchers: matchers, injections)
    }
  }

  private func rule(
    _ text: Configuration.RuleText, matchers: [Configuration.Matcher], _ injections: Set<Configuration.Injection>
  ) -> Configuration.Rule {
    let inject = text.inject.map { Set($0).intersection(injections) } ?? injections
    return Configuration.Rule(
      index: text.index, name: text.effectiveName, matchers: matchers, inject: inject, record: text.record,
      gate: text.gate)
  }

  private func reportNames(_ texts: [Configuration.RuleText], _ context: inout ReadingContext) {
    var lines: [String: Int] = [:]
    for text in texts {
      let name = text.effectiveName
      if let line = lines[name] {
        context.report(
          .duplicateRuleName, at: text.name?.place ?? text.place,
          "the rule on line \(line) has the name \(name.quoted) too",
          hint: "names are unique")
      } else {
        lines[name] = text.place.position.line
      }
    }
  }

  private func reportEffects(
    _ document: ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext
  ) {
    for text in document.rules {
      guard let inject = text.inject else { continue }
      let pointer = JSONPointer([.name("rules"), .index(text.index), .name("inject")])
      if inject.contains(.visitorID), !source.holds("visitorID") {
        context.report(
          .featureNotConfigured, at: source.place(pointer), "the visitor id is not configured, so none is injected",
          hint: "add \"visitorID\"", severity: .warning)
      }
      if let index = inject.firstIndex(of: .ahoy), !source.holds("ahoy") {
        context.report(
          .featureNotConfigured, at: source.place(pointer.appending(index)),
          "Ahoy is not configured, so there is no visit to inject", hint: "add \"ahoy\", or leave it out here")
      }
      if inject.isEmpty, !text.record {
        context.report(.ruleWithoutEffect, at: source.place(pointer), "the rule changes nothing", severity: .warning)
      }
    }
  }

  private func report(
    _ issue: RuleIssue, _ matcher: Configuration.Matcher, _ source: ConfigurationSource, _ context: inout ReadingContext
  ) {
    var place = matcher.place
    if let offset = issue.offset {
      let node = JSONNode(kind: .string(""), position: place.position)
      place.position = node.position(ofUTF8Offset: offset, in: source.bytes)
    }
    context.report(
      ConfigurationIssue.Code(rawValue: issue.code.rawValue), at: place, issue.message,
      severity: issue.severity == .error ? .error : .warning)
  }
}
