public import URLRules

/// How the visitor id travels: in which header, for how long, to which URLs.
///
/// ```swift
/// var configuration = VisitorIDConfiguration()
/// configuration.header = "x-visitor-id"
/// configuration.addMatch(urlPrefix: "https://api.example.com/")
/// ```
///
/// Nothing is checked here. A `VisitorID` made of a wrong configuration is off and says why in its `state`.
public struct VisitorIDConfiguration: Sendable {
  /// The name of the request header, required: in lower case, such as `x-visitor-id`, and not one that is reserved for
  /// authentication, cookies, signatures, CSRF tokens, traces or HTTP itself.
  public var header: String?

  /// How long an id lives from its creation, in hours; a positive finite number. Reading does not extend it.
  public var ttlHours: Double = 24

  /// The rules, any of which is enough.
  private(set) var matchers: [RuleMatcher] = []

  /// A configuration without header and rules.
  public init() {}

  /// Lets the id travel to URLs that start with the text and have the same scheme, host and effective port.
  ///
  /// End it with a path separator: `https://api.example.com/v1` also covers `/v10`.
  public mutating func addMatch(urlPrefix: String) { matchers.append(.prefix(urlPrefix)) }

  /// Lets the id travel to URLs in which the pattern is found; `^` and `$` pin it to the ends.
  ///
  /// The pattern looks at the canonical URL: scheme and host in lower case, no default port, no fragment, always a path.
  public mutating func addMatch(regularExpression pattern: String) { matchers.append(.regex(pattern)) }

  /// Lets the id travel to URLs for which the closure returns true.
  ///
  /// The closure must be fast, safe on any thread, and must not wait. When it throws, the URL does not match. It cannot
  /// be interrupted: one that takes longer than 20 ms delays its caller, and then counts as no match.
  public mutating func addMatch(handler: @escaping @Sendable (RequestURL) throws -> Bool) {
    matchers.append(.handler(name: "handler \(matchers.count + 1)", handler))
  }
}
