package import HTTPWire

/// Why each rule matched a URL or did not; for people, so nothing here is fast.
package struct Explanation: Sendable, Equatable {
  package struct Rule: Sendable, Equatable {
    package var name: String
    package var isMatch: Bool
    /// Which matcher matched, or of each one why it did not.
    package var reasons: [String]
    /// What the rule makes happen when it matches.
    package var effects: RuleEffects
  }

  /// The text as given.
  package var input: String
  /// What rules look at; nil when the text is no URL that could be requested.
  package var canonical: String?
  /// Why no rule looked at it.
  package var refusal: Refusal?
  /// The rules, in order; empty when the text was refused.
  package var rules: [Rule] = []
  /// The effects of all rules that matched.
  package var effects: RuleEffects = []

  /// Whether any rule matched.
  package var isMatch: Bool { rules.contains { $0.isMatch } }

  /// Why a text matches nothing, whatever the rules.
  package enum Refusal: Sendable, Equatable {
    /// The text is no http or https URL; the proxy would not forward it by this name.
    case target(TargetFault)
    /// Servers disagree about the path: it is forwarded and matches nothing.
    case ambiguous

    /// In words.
    package var message: String {
      switch self {
      case .ambiguous:
        "the path has a dot segment or a backslash, which servers read in different ways, so no rule looks at it"
      case .target(let fault):
        switch fault {
        case .forbiddenByte: "the URL has a space or a control character"
        case .notHTTP: "rules look at http and https only"
        case .userinfo: "the URL has user information before the host (\"@\")"
        case .malformedHost: "the host is missing or malformed"
        case .malformedPort: "the port is not a number from 1 to 65535"
        case .fragment: "a request target cannot have a fragment"
        case .malformed: "this is not an absolute URL with a scheme and a host"
        }
      }
    }
  }
}

extension RuleSet {
  /// Tells about one URL what each rule makes of it. Searches every pattern, also those that a verdict would skip.
  package func explain(_ text: String) -> Explanation {
    var explanation = Explanation(input: text)
    let canonical: CanonicalText
    switch CanonicalText.read(Array(text.utf8), fragment: .cut) {
    case .success(let value): canonical = value
    case .failure(let fault):
      explanation.refusal = .target(fault)
      return explanation
    }
    explanation.canonical = canonical.text
    if canonical.url.isAmbiguous {
      explanation.refusal = .ambiguous
      return explanation
    }
    for (index, definition) in definitions.enumerated() {
      var rule = Explanation.Rule(name: definition.name, isMatch: false, reasons: [], effects: definition.effects)
      for (position, matcher) in definition.matchers.enumerated() {
        let id = MatcherID(rule: index, matcher: position)
        let (isMatch, reason) = explain(matcher, id, canonical)
        if isMatch {
          rule.isMatch = true
          rule.reasons = [reason]
          explanation.effects.formUnion(definition.effects)
          break
        }
        rule.reasons.append(reason)
      }
      explanation.rules.append(rule)
    }
    return explanation
  }

  private func explain(_ matcher: RuleMatcher, _ id: MatcherID, _ subject: CanonicalText) -> (Bool, String) {
    switch matcher {
    case .prefix(let text):
      guard let prefix = canonicalPrefixes[id] else { return (false, "prefix \(text): invalid") }
      let reason = Self.difference(prefix, subject)
      return (reason == nil, "prefix \(prefix.text)" + (reason.map { ": \($0)" } ?? ""))
    case .regex(let pattern):
      let entry = patterns.first { Int($0.rule) == id.rule && $0.matcher == id.matcher }
      guard let entry else { return (false, "regex \(pattern): invalid") }
      guard subject.bytes.count <= Self.subjectLimit else {
        return (false, "regex \(pattern): failed, the URL is longer than \(Self.subjectLimit) bytes")
      }
      switch subject.withSubject({ entry.pattern.search($0, subject.bytes.count) }) {
      case .match: return (true, "regex \(pattern)")
      case .limitReached: return (false, "regex \(pattern): failed, the search took too many steps")
      case .noMatch, nil: return (false, "regex \(pattern): not found")
      }
    case .handler(let name, _):
      let entry = handlers.first { Int($0.rule) == id.rule && $0.matcher == id.matcher }
      guard let entry else { return (false, "handler \(name): unknown") }
      guard subject.bytes.count <= Self.subjectLimit else {
        return (false, "handler \(name): failed, the URL is longer than \(Self.subjectLimit) bytes")
      }
      guard let request = subject.withSubject({ RequestURL($0, subject.url) }) else { return (false, "") }
      switch call(entry.handler, request) {
      case .said(let answer): return (answer, "handler \(name)" + (answer ? "" : ": said no"))
      case .threw(let error): return (false, "handler \(name): failed, it threw \(error)")
      case .overran(let nanoseconds):
        return (false, "handler \(name): failed, it took \(nanoseconds / 1_000_000) ms")
      }
    }
  }

  /// Why the subject does not start with the prefix, nil when it does.
  private static func difference(_ prefix: CanonicalText, _ subject: CanonicalText) -> String? {
    func host(_ text: CanonicalText) -> String {
      String(decoding: text.bytes[text.url.hostStart...].prefix(text.url.hostLength), as: UTF8.self)
    }
    if prefix.url.isSecure != subject.url.isSecure {
      return "the scheme is \(subject.url.isSecure ? "https" : "http")"
    }
    if host(prefix) != host(subject) { return "the host is \(host(subject))" }
    if prefix.url.port != subject.url.port { return "the port is \(subject.url.port)" }
    if !subject.bytes.starts(with: prefix.bytes) {
      let path = String(decoding: prefix.bytes[prefix.url.originLength...], as: UTF8.self)
      return "the path does not start with \(path)"
    }
    return nil
  }
}
