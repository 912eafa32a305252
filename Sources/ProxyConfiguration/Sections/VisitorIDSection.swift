import Effects

extension Configuration {
  /// The visitor id (contract: Visitor ID, section 1.2).
  package struct VisitorID: Sendable {
    /// The request header that carries it: lower case, not a reserved name.
    package var header = ""
    /// How long an id lives from its creation, hours; finite, above 0.
    package var ttlHours = 24.0

    package init() {}
  }
}

extension Configuration.VisitorID: ConfigurationSection {
  static let summary = "The visitor id that rules inject. Absent or null: the feature is off."

  static let laterKeys = ["webBridge"]

  static let expectations = [
    "rules": "\"rules\" is a key of the whole file, beside \"visitorID\"",
    "id": "the proxy makes the id itself", "value": "the proxy makes the id itself",
    "visitorID": "the proxy makes the id itself", "enabled": "to turn the feature off write \"visitorID\": null",
  ]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      required: "header", \.header, .headerName,
      "The name of the request header, in lower case. Names of authentication, cookies, signatures, CSRF protection, "
        + "tracing and of HTTP itself are refused.",
      examples: ["x-visitor-id"]),
    ConfigurationKey(
      "ttlHours", \.ttlHours, .positiveNumber, "How many hours an id lives, counted from its creation.",
      examples: [24, 0.5, 8760]),
  ]
}

extension ValueKind where Value == String {
  /// The name of a header that the proxy may set. Whether it is reserved is asked later, of the feature itself.
  static var headerName: Self {
    let schema = [
      JSONMember("type", "string"), JSONMember("pattern", "^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$"),
    ]
    return Self(schema: schema) { node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "a header name", hint: "such as \"x-visitor-id\"")
        return nil
      }
      return text
    } write: {
      .string($0)
    }
  }

  /// Any text.
  static var anyText: Self {
    Self(schema: [JSONMember("type", "string")]) { node, context in
      if case .string(let text) = node.kind { return text }
      context.reportType(node, expected: "a string")
      return nil
    } write: {
      .string($0)
    }
  }
}
