/// Whether there is a visitor id.
public enum VisitorIDState: Sendable, Equatable {
  /// No configuration was given: nothing is made, nothing travels.
  case disabled
  /// The configuration is wrong: the same, for these reasons.
  case invalid([VisitorIDReason])
  /// It works, but without the rules that these reasons name.
  case degraded([VisitorIDReason])
  /// It works.
  case active

  /// Whether an id is made and travels.
  public var isOn: Bool {
    switch self {
    case .disabled, .invalid: false
    case .degraded, .active: true
    }
  }
}

/// What is wrong with a configuration.
public struct VisitorIDReason: Sendable, Hashable, CustomStringConvertible {
  /// The kind of mistake; stable.
  public enum Code: String, Sendable {
    /// There is no header name.
    case headerMissing = "header-missing"
    /// The header name cannot be used or is reserved.
    case headerNotAllowed = "header-not-allowed"
    /// The validity is not a positive finite number.
    case ttlNotPositive = "ttl-not-positive"
    /// There is no rule, or none that is valid.
    case noValidRule = "no-valid-rule"
    /// This rule is wrong and left out.
    case ruleNotValid = "rule-not-valid"
  }

  /// The kind of mistake.
  public let code: Code
  /// What is wrong and what to do.
  public let message: String
  /// Which `addMatch` it was, counted from 0; nil when no rule is meant.
  public let matchIndex: Int?

  init(_ code: Code, _ message: String, matchIndex: Int? = nil) {
    self.code = code
    self.message = message
    self.matchIndex = matchIndex
  }

  /// The code and the message on one line.
  public var description: String { "\(code.rawValue): \(message)" }
}
