package import Effects

/// One thing that is wrong, or likely wrong, with a configuration.
package struct ConfigurationIssue: Sendable, Hashable {
  /// Whether the configuration must change.
  package enum Severity: String, Sendable {
    /// `check` fails; what the issue concerns does not work.
    case error
    /// Allowed, but likely a mistake.
    case warning
  }

  /// What an issue does to a proxy that is started with the configuration.
  package enum Impact: Sendable, Hashable {
    /// Nothing; a warning.
    case none
    /// The proxy must not start, and a running one keeps its old configuration.
    case fatal
    /// The proxy runs without the visitor id.
    case disablesVisitorID
    /// The proxy runs without the rule, or the one matcher, of that index.
    case dropsRule(Int)
  }

  /// The kind of mistake; stable, for tests and tools.
  package struct Code: RawRepresentable, Sendable, Hashable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The file as it was named to the loader, or the environment variable that held the value.
  package var file: String
  /// Line and column of the name or value.
  package var position: JSONPosition
  /// The value; for an unknown key, the key.
  package var pointer: JSONPointer
  /// The kind of mistake.
  package var code: Code
  package var severity: Severity
  /// What is wrong.
  package var message: String
  /// What to do; empty when the message says it.
  package var hint: String
  /// Whether the value came from the environment or the command line: `file` names the variable or option then, and the
  /// position means nothing.
  package var isOverride: Bool

  /// An issue of that kind at that place.
  package init(
    file: String, position: JSONPosition, pointer: JSONPointer, code: Code, severity: Severity, message: String,
    hint: String, isOverride: Bool = false
  ) {
    self.file = file
    self.position = position
    self.pointer = pointer
    self.code = code
    self.severity = severity
    self.message = message
    self.hint = hint
    self.isOverride = isOverride
  }

  /// What the issue does to a proxy that is started with the configuration. The visitor id's own mistakes turn it off and
  /// a rule's own drop the rule: the proxy goes on as a plain one, and nothing is injected that was not asked for.
  package var impact: Impact {
    guard severity == .error else { return .none }
    if JSONSyntaxIssue.Code(rawValue: code.rawValue) != nil, code != .duplicateKey, code != .numberOutOfRange {
      return .fatal
    }
    switch pointer.steps.first {
    // The one key that the document must have is `rules`.
    case nil where code == .missingKey: return .disablesVisitorID
    case .name("visitorID"): return .disablesVisitorID
    case .name("rules"):
      if pointer.steps.count > 1, case .index(let index) = pointer.steps[1] { return .dropsRule(index) }
      return .disablesVisitorID
    default: return .fatal
    }
  }
}

extension ConfigurationIssue: CustomStringConvertible {
  /// `file:line:column: error /json/pointer: what: hint`, on one line; for an override `--option: what: hint`.
  package var description: String {
    let path = pointer.description
    var text: String
    if isOverride {
      text = severity == .error ? "\(file): \(message)" : "\(file): \(severity.rawValue): \(message)"
    } else {
      text = "\(file):\(position.line):\(position.column): \(severity.rawValue)"
      text += path.isEmpty ? ": \(message)" : " \(path): \(message)"
    }
    if !hint.isEmpty { text += ": \(hint)" }
    return text.withoutControls
  }

  /// The issue as an object with `file`, `line`, `column`, `pointer`, `code`, `severity`, `message` and `hint`.
  package var json: JSONValue {
    [
      "file": .string(file), "line": .integer(Int64(position.line)), "column": .integer(Int64(position.column)),
      "pointer": .string(pointer.description), "code": .string(code.rawValue), "severity": .string(severity.rawValue),
      "message": .string(message), "hint": .string(hint),
    ]
  }
}

extension String {
  /// The text with control characters escaped, so that a configuration cannot steer the terminal it is reported on.
  var withoutControls: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7f..<0xa0, 0x2028, 0x2029, 0x200e...0x200f, 0x202a...0x202e, 0x2066...0x2069:
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text in single quotes, cut at 60 characters, for a message.
  var quoted: String { count > 60 ? "'\(prefix(57))...'" : "'\(self)'" }
}
