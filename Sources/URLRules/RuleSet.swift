package import Effects
package import HTTPWire

/// Compiled rules: immutable, shared by all threads, replaced as a whole.
///
/// All matching rules add up. Prefixes cost the same however many there are; patterns are searched for only when they
/// could match; handlers come last. A URL that servers read in different ways (`CanonicalURL.isAmbiguous`) matches
/// nothing.
package final class RuleSet: Sendable {
  /// Patterns and handlers do not look at longer subjects; such a rule has failed.
  package static let subjectLimit = 8192
  /// A handler that takes longer has failed. It cannot be stopped: the caller waits for it all the same.
  package static let handlerBudgetNanoseconds: UInt64 = 20_000_000

  /// Sets of one compilation share it.
  package final class Family: Sendable {
    init() {}
  }

  struct PatternEntry: Sendable {
    let pattern: any CompiledPattern
    let rule: Int32
    let matcher: Int
  }

  struct HandlerEntry: Sendable {
    let handler: RuleHandler
    let rule: Int32
    let matcher: Int
  }

  let definitions: [RuleDefinition]
  /// The same object for all sets that were made of one compilation: their rules have the same places.
  package let family: Family
  /// What each rule makes happen when it matches, at present.
  private let effects: [RuleEffects]
  let canonicalPrefixes: [MatcherID: CanonicalText]
  let prefixes: PrefixIndex
  let patterns: [PatternEntry]
  private let filter: PatternFilter
  let handlers: [HandlerEntry]
  let clock: (any MonotonicClock)?

  /// The place of a matcher: its rule, and its index there.
  struct MatcherID: Hashable, Sendable {
    let rule: Int
    let matcher: Int
  }

  /// The rules' names, in the order of their indices.
  package let names: [String]

  /// The number of rules that have at least one valid matcher.
  package let usableRuleCount: Int

  /// Compiles the definitions. Invalid matchers are left out and reported; so are doubts, as warnings.
  ///
  /// - Parameters:
  ///   - patterns: Compiles the regular expressions.
  ///   - hostNames: Turns U-labels in the hosts of prefixes into A-labels.
  ///   - clock: Times the handlers; without it they may take as long as they like.
  package static func compile(
    _ definitions: [RuleDefinition], patterns engine: any PatternEngine, hostNames: any HostNameEncoder,
    clock: (any MonotonicClock)? = nil
  ) -> (rules: RuleSet, issues: [RuleIssue]) {
    var compiler = RuleCompiler(engine: engine, hostNames: hostNames)
    for (index, definition) in definitions.enumerated() { compiler.add(definition, at: index) }
    return (RuleSet(definitions, compiler, clock), compiler.issues)
  }

  private init(_ definitions: [RuleDefinition], _ compiler: RuleCompiler, _ clock: (any MonotonicClock)?) {
    family = Family()
    self.definitions = definitions
    effects = definitions.map(\.effects)
    names = definitions.map(\.name)
    self.clock = clock
    canonicalPrefixes = compiler.canonicalPrefixes
    prefixes = PrefixIndex(compiler.prefixes, effects: effects)
    patterns = compiler.patterns.map(\.entry)
    filter = PatternFilter(compiler.patterns.map(\.literals))
    handlers = compiler.handlers
    usableRuleCount = compiler.usableRules.count
  }

  /// The same rules, some of which add no header when they match: they are switched off for the time being. What they
  /// match is recorded all the same.
  package func without(_ closed: Set<Int>) -> RuleSet { RuleSet(self, closed: closed) }

  private init(_ rules: RuleSet, closed: Set<Int>) {
    let effects = rules.definitions.enumerated().map { index, definition in
      closed.contains(index) ? definition.effects.subtracting(.injecting) : definition.effects
    }
    family = rules.family
    self.effects = effects
    definitions = rules.definitions
    names = rules.names
    clock = rules.clock
    canonicalPrefixes = rules.canonicalPrefixes
    prefixes = rules.prefixes.withEffects(effects)
    patterns = rules.patterns
    filter = rules.filter
    handlers = rules.handlers
    usableRuleCount = rules.usableRuleCount
  }

  /// What the rules say about a URL. Allocates nothing unless a pattern or handler rule matches or fails.
  ///
  /// - Parameters:
  ///   - subject: The canonical text, `url.length` bytes.
  ///   - url: Where its parts lie.
  package func verdict(_ subject: UnsafePointer<UInt8>, _ url: CanonicalURL) -> Verdict {
    var verdict = Verdict()
    guard !url.isAmbiguous else { return verdict }
    verdict.prefixNode = prefixes.find(subject, originLength: url.originLength, length: url.length)
    if verdict.prefixNode >= 0 { verdict.effects = prefixes.effects(verdict.prefixNode) }
    if !patterns.isEmpty { search(subject, url.length, &verdict) }
    if !handlers.isEmpty { callHandlers(subject, url, &verdict) }
    return verdict
  }

  /// The rules that matched by a prefix, in order: one retain when they lie ready, which they nearly always do.
  package func prefixRules(_ verdict: Verdict) -> [Int32] { prefixes.rules(verdict.prefixNode) }

  /// All rules that matched, in order.
  package func matchedRules(_ verdict: Verdict) -> [Int] {
    Set(prefixRules(verdict) + verdict.patternRules).sorted().map(Int.init)
  }

  private func search(_ subject: UnsafePointer<UInt8>, _ count: Int, _ verdict: inout Verdict) {
    guard count <= Self.subjectLimit else {
      for entry in patterns { fail(entry.rule, &verdict) }
      return
    }
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: filter.wordCount) { candidates in
      filter.select(subject, count, into: candidates)
      for wordIndex in 0..<filter.wordCount {
        var word = candidates[wordIndex]
        while word != 0 {
          let index = wordIndex &* 64 &+ word.trailingZeroBitCount
          word &= word &- 1
          let entry = patterns[index]
          if isMatched(entry.rule, verdict) { continue }
          switch entry.pattern.search(subject, count) {
          case .match: match(entry.rule, &verdict)
          case .noMatch: break
          case .limitReached: fail(entry.rule, &verdict)
          }
        }
      }
    }
  }

  private func callHandlers(_ subject: UnsafePointer<UInt8>, _ url: CanonicalURL, _ verdict: inout Verdict) {
    guard url.length <= Self.subjectLimit else {
      for entry in handlers { fail(entry.rule, &verdict) }
      return
    }
    let request = RequestURL(subject, url)
    for entry in handlers where !isMatched(entry.rule, verdict) {
      switch call(entry.handler, request) {
      case .said(true): match(entry.rule, &verdict)
      case .said(false): break
      case .threw, .overran: fail(entry.rule, &verdict)
      }
    }
  }

  enum HandlerOutcome {
    case said(Bool)
    case threw(String)
    case overran(nanoseconds: UInt64)
  }

  func call(_ handler: RuleHandler, _ request: RequestURL) -> HandlerOutcome {
    let start = clock?.nanoseconds() ?? 0
    let answer: Bool
    do { answer = try handler(request) } catch { return .threw("\(error)") }
    let elapsed = (clock?.nanoseconds() ?? 0) &- start
    return elapsed > Self.handlerBudgetNanoseconds ? .overran(nanoseconds: elapsed) : .said(answer)
  }

  private func isMatched(_ rule: Int32, _ verdict: Verdict) -> Bool {
    verdict.patternRules.contains(rule) || prefixes.contains(verdict.prefixNode, rule: rule)
  }

  private func match(_ rule: Int32, _ verdict: inout Verdict) {
    verdict.patternRules.append(rule)
    verdict.effects.formUnion(effects[Int(rule)])
  }

  private func fail(_ rule: Int32, _ verdict: inout Verdict) {
    if !verdict.failedRules.contains(rule) { verdict.failedRules.append(rule) }
  }
}

extension RuleSet {
  /// What the rules say about the text of a URL, or why it is none. A fragment is left out, as before sending.
  package func verdict(forURL text: String) -> Result<Verdict, TargetFault> {
    CanonicalText.read(Array(text.utf8), fragment: .cut).map { canonical in
      canonical.withSubject { verdict($0, canonical.url) } ?? Verdict()
    }
  }
}
