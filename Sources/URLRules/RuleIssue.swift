/// Something a rule's author should know, found while the rules were compiled.
package struct RuleIssue: Sendable, Hashable {
  package enum Severity: String, Sendable {
    /// The matcher was dropped: it matches nothing.
    case error
    /// The matcher works, but perhaps not as its author thinks.
    case warning
  }

  /// What was found; stable, used by tests and by `footfall check --format json`.
  package enum Code: String, Sendable, CaseIterable {
    case prefixEmpty = "prefix-empty"
    case prefixNotAbsolute = "prefix-not-absolute"
    case prefixScheme = "prefix-scheme"
    case prefixForbiddenByte = "prefix-forbidden-byte"
    case prefixUserinfo = "prefix-userinfo"
    case prefixWildcardHost = "prefix-wildcard-host"
    case prefixHost = "prefix-host"
    case prefixHostEncoding = "prefix-host-encoding"
    case prefixPort = "prefix-port"
    case prefixFragment = "prefix-fragment"
    case prefixDotSegment = "prefix-dot-segment"
    case prefixTooLong = "prefix-too-long"
    case regexEmpty = "regex-empty"
    case regexSyntax = "regex-syntax"
    case regexUnsupported = "regex-unsupported"
    case regexTooLarge = "regex-too-large"
    case handlerUnknown = "handler-unknown"
    case ruleWithoutMatcher = "rule-without-matcher"

    case prefixWithoutPath = "prefix-without-path"
    case prefixInsideSegment = "prefix-inside-segment"
    case prefixWildcardPath = "prefix-wildcard-path"
    case regexUnanchored = "regex-unanchored"
    case regexEndsAfterHost = "regex-ends-after-host"
    case regexDefaultPort = "regex-default-port"
    case regexUnescapedDot = "regex-unescaped-dot"
    case regexUpperCaseHost = "regex-upper-case-host"
    case regexNestedSet = "regex-nested-set"
  }

  package var severity: Severity
  package var code: Code
  /// The index of the rule in the definitions.
  package var ruleIndex: Int
  /// The index of the matcher in its rule; nil when the rule as a whole is meant.
  package var matcherIndex: Int?
  /// What is wrong and what to do.
  package var message: String
  /// Where in the UTF-8 bytes of the matcher's text, when known.
  package var offset: Int?

  package init(
    _ severity: Severity, _ code: Code, rule: Int, matcher: Int?, _ message: String, offset: Int? = nil
  ) {
    self.severity = severity
    self.code = code
    ruleIndex = rule
    matcherIndex = matcher
    self.message = message
    self.offset = offset
  }
}
