package import Effects

extension Configuration {
  /// The flag of Cohorly that decides whether a rule applies to what it matches.
  package struct Gate: Sendable, Hashable {
    /// The key of the flag.
    package var flag = ""
    /// The value with which the rule applies.
    package var `is` = GateValue.bool(true)
    /// What the flag counts as while it is unknown.
    package var fallback = GateValue.bool(false)

    package init() {}

    /// `checkout-headers is true`.
    package var text: String { "\(flag) is \(self.is.text)" }
  }

  /// What a flag is compared with.
  package enum GateValue: Sendable, Hashable {
    /// Whether the flag is enabled.
    case bool(Bool)
    /// The name of its variant.
    case text(String)

    package var text: String {
      switch self {
      case .bool(let truth): "\(truth)"
      case .text(let text): text
      }
    }

    /// As it is written in the file.
    package var json: JSONValue {
      switch self {
      case .bool(let truth): .bool(truth)
      case .text(let text): .string(text)
      }
    }
  }
}

extension Configuration.Gate: ConfigurationSection {
  static let summary =
    "The flag of Cohorly that decides whether the rule applies to what it matches. Absent: it always applies."

  static let expectations = [
    "key": "did you mean \"flag\"?", "name": "did you mean \"flag\"?", "feature": "did you mean \"flag\"?",
    "value": "did you mean \"is\"?", "equals": "did you mean \"is\"?", "enabled": "write \"is\": true or false",
    "variant": "write \"is\": and the name of the variant", "not": "write \"is\": false, or name a variant",
    "isNot": "write \"is\": false, or name a variant", "default": "did you mean \"fallback\"?",
    "else": "did you mean \"fallback\"?", "unknown": "did you mean \"fallback\"?",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      required: "flag", \.flag, .shortText, "The key of the flag.", examples: ["checkout-headers"]),
    ConfigurationKey(
      "is", \.is, .gateValue,
      "The value with which the rule applies: true or false for whether the flag is enabled, a text for its variant.",
      examples: [false, "blue"]),
    ConfigurationKey(
      "fallback", \.fallback, .gateValue, "What the flag counts as while its value is unknown.",
      examples: [true, "control"]),
  ]
}

extension ValueKind where Value == Configuration.GateValue {
  /// `true`, `false` or the name of a variant.
  static var gateValue: Self {
    let name = ValueKind<String>.shortText
    // No variant is called "true": whoever writes that means the boolean.
    let schema: JSONValue = [
      "anyOf": [
        ["type": "boolean"], ["type": "string", "pattern": "^(?!(true|false)$)[^\\u0000-\\u001f\\u007f]{1,255}$"],
      ]
    ]
    return Self(schema: schema.members ?? []) { node, context in
      switch node.kind {
      case .bool(let truth): return .bool(truth)
      case .string(let text) where text == "true" || text == "false":
        context.reportType(node, expected: "true, false or the name of a variant", hint: "remove the quotes")
        return nil
      case .string: return name.read(node, &context).map { .text($0) }
      default:
        context.reportType(node, expected: "true, false or the name of a variant")
        return nil
      }
    } write: {
      $0.json
    }
  }
}
