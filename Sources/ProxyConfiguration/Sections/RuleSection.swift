import Effects

extension Configuration {
  /// Which requests a rule concerns, and what it does to them.
  package struct Rule: Sendable {
    /// The place in the list of the file, from 0.
    package var index: Int
    /// The name; unique.
    package var name: String
    /// Any of them suffices; never empty.
    package var matchers: [Matcher]
    /// What is injected.
    package var inject: Set<Injection>
    /// Whether a match makes the exchange an event when only matched ones are.
    package var record: Bool
    /// The flag that decides whether the rule applies; nil when it always does.
    package var gate: Gate?
  }

  /// A rule that has mistakes.
  package struct DroppedRule: Sendable {
    /// Its name, or rule- and its number.
    package var name: String
    /// The rule of ``Configuration/rules`` that is left of it: some of its conditions were right. Nil when all is off.
    package var rest: Int?
    /// What is wrong, one issue each.
    package var reasons: [ConfigurationIssue]
  }

  /// What a rule can inject.
  package enum Injection: String, Sendable, CaseIterable {
    /// The visitor id in its header field.
    case visitorID
    /// The tokens of the visit in the header fields Ahoy-Visit and Ahoy-Visitor.
    case ahoy
  }

  /// One condition on the canonical URL of a request.
  package struct Matcher: Sendable {
    /// The kind of condition.
    package enum Kind: Sendable, Hashable {
      /// The URL has this origin and starts with this text.
      case prefix(String)
      /// The expression is found in the URL.
      case regex(String)
    }

    /// The condition.
    package var kind: Kind
    /// Where its text was written.
    package var place: SourcePlace
  }

  /// A rule as it is written.
  struct RuleText: Sendable {
    var index = 0
    var place = SourcePlace()
    var name: PlacedText?
    var matchers: [Matcher] = []
    var inject: [Injection]?
    var record = true
    var gate: Gate?

    init() {}
  }

  /// A text that knows where it was written.
  struct PlacedText: Sendable {
    var text: String
    var place: SourcePlace
  }

  /// A condition as it is written.
  struct MatcherText: Sendable {
    var prefix: PlacedText?
    var regex: PlacedText?

    init() {}
  }
}

extension Configuration.RuleText: ConfigurationSection {
  static let summary = "A rule."

  static let expectations = [
    "if": "did you mean \"when\"?", "flag": "write \"when\": {\"flag\": ...}",
    "prefix": "write \"match\": {\"prefix\": ...}", "regex": "write \"match\": {\"regex\": ...}",
    "url": "write \"match\": {\"prefix\": ...}", "handler": "this version has no handlers",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      optional: "name", \.name,
      .placed("^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", isRuleName, "1 to 64 letters, digits, '.', '_' or '-'"),
      "The rule's name in events, metrics and status, unique. Absent: rule- and its number, from 1.", examples: ["api"]),
    ConfigurationKey(
      required: "match", \.matchers, .matchers, "One condition on the URL, or a list of which any suffices.",
      examples: [
        ["prefix": "http://api.example.com/"], ["regex": "^http://api\\.example\\.com/v[12]/"],
        [["prefix": "http://a.example/"], ["prefix": "http://b.example/"]],
      ]),
    ConfigurationKey(
      optional: "inject", \.inject,
      .list(.choice(Configuration.Injection.allCases.map { ($0.rawValue, $0) }), 0...16, of: "names"),
      "What is injected into requests that match. Absent: all that is configured.",
      examples: [["visitorID"], ["ahoy"], []]),
    ConfigurationKey(
      "record", \.record, .boolean,
      "Whether a match makes the exchange an event. What only rules that say false match is never recorded.",
      examples: [false]),
    ConfigurationKey(
      optional: "when", \.gate, .section, Configuration.Gate.summary,
      examples: [["flag": "checkout-headers"], ["flag": "banner", "is": "blue", "fallback": "blue"]]),
  ]

  private static func isRuleName(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    func isAlphanumeric(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    guard let first = bytes.first, bytes.count <= 64, isAlphanumeric(first) else { return false }
    return bytes.allSatisfy { isAlphanumeric($0) || $0 == 0x2e || $0 == 0x5f || $0 == 0x2d }
  }
}

extension Configuration.MatcherText: ConfigurationSection {
  static let summary = "A condition on the canonical URL of a request."

  static let laterKeys = ["handler"]

  static let expectations = [
    "url": "did you mean \"prefix\"?", "host": "write the origin as \"prefix\": \"http://host/\"",
    "path": "write the whole URL as \"prefix\"", "pattern": "did you mean \"regex\"?",
    "when": "it belongs to the rule, beside \"match\"",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      optional: "prefix", \.prefix, .placed(".", { !$0.isEmpty }, "such as \"http://api.example.com/\""),
      "The URL has the same scheme, host and port, and starts with this text.", examples: ["http://api.example.com/"]),
    ConfigurationKey(
      optional: "regex", \.regex, .placed(".", { !$0.isEmpty }, "such as \"^http://api\\\\.example\\\\.com/\""),
      "This PCRE2 expression is found in the URL; start it with ^ to anchor it.",
      examples: ["^http://api\\.example\\.com/v[12]/"]),
  ]
}

extension ValueKind where Value == Configuration.PlacedText {
  /// A text of a form, with its place.
  static func placed(_ pattern: String, _ isValid: @escaping @Sendable (String) -> Bool, _ form: String) -> Self {
    Self(schema: [JSONMember("type", "string"), JSONMember("pattern", .string(pattern))]) { node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "a string")
        return nil
      }
      guard isValid(text) else {
        let message = text.isEmpty ? "the text is empty" : "\(text.quoted) does not have the form"
        context.report(.invalidText, at: node.position, message, hint: form)
        return nil
      }
      return Configuration.PlacedText(text: text, place: context.place(of: node))
    } write: {
      .string($0.text)
    }
  }
}

extension ValueKind where Value == [Configuration.RuleText] {
  /// The rules; one that cannot be read is reported and left out.
  static var rules: Self {
    let rule = ValueKind<Configuration.RuleText>.section
    return Self(schema: [JSONMember("type", "array"), JSONMember("items", .object(rule.schema))]) { node, context in
      guard case .array(let elements) = node.kind else {
        context.reportType(node, expected: "a list of rules")
        return nil
      }
      var rules: [Configuration.RuleText] = []
      for (index, element) in elements.enumerated() {
        context.descend(.index(index)) { context in
          guard var text = rule.read(element, &context) else { return }
          text.index = index
          text.place = context.place(of: element)
          rules.append(text)
        }
      }
      return rules
    } write: { _ in
      []
    }
  }
}

extension ValueKind where Value == [Configuration.Matcher] {
  /// One condition, or a list of them; one that cannot be read is reported and left out.
  static var matchers: Self {
    let one = ValueKind<Configuration.MatcherText>.section
    let object = JSONValue.object(one.schema + [JSONMember("minProperties", 1), JSONMember("maxProperties", 1)])
    let list: JSONValue = ["type": "array", "items": object, "minItems": 1]
    return Self(schema: [JSONMember("anyOf", [object, list])]) { node, context in
      switch node.kind {
      case .object: return matcher(node, one, &context).map { [$0] } ?? []
      case .array(let elements):
        if elements.isEmpty { context.report(.ruleWithoutMatch, at: node.position, "the list is empty") }
        return elements.enumerated().compactMap { index, element in
          context.descend(.index(index)) { matcher(element, one, &$0) }
        }
      case .string(let text):
        context.reportType(node, expected: "an object", hint: "write {\"prefix\": \"\(text)\"}")
      default: context.reportType(node, expected: "an object, or a list of them")
      }
      return nil
    } write: { _ in
      []
    }
  }

  private static func matcher(
    _ node: JSONNode, _ kind: ValueKind<Configuration.MatcherText>, _ context: inout ReadingContext
  ) -> Configuration.Matcher? {
    guard let text = kind.read(node, &context), case .object(let members) = node.kind else { return nil }
    if members.isEmpty {
      context.report(.ruleWithoutMatch, at: node.position, "no condition", hint: "\"prefix\" or \"regex\"")
    }
    if text.prefix != nil, text.regex != nil {
      context.report(
        .invalidMatcher, at: node.position, "two conditions in one object", hint: "make it a list of two objects")
      return nil
    }
    if let prefix = text.prefix { return Configuration.Matcher(kind: .prefix(prefix.text), place: prefix.place) }
    return text.regex.map { Configuration.Matcher(kind: .regex($0.text), place: $0.place) }
  }
}
