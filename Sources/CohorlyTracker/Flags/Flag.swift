package import Effects

/// What a flag evaluates to for one identity.
package struct Flag: Sendable, Hashable {
  package var isEnabled: Bool
  /// The name of the variant; nil for a flag without variants, and where none applies.
  package var variant: String?
  /// What the project attaches to the variant; never `JSONValue.null`.
  package var payload: JSONValue?

  package init(isEnabled: Bool, variant: String? = nil, payload: JSONValue? = nil) {
    self.isEnabled = isEnabled
    self.variant = variant
    self.payload = payload == .null ? nil : payload
  }

  /// What a reader of the flag gets: its variant, else whether it is enabled.
  package var value: FlagValue {
    if let variant { .text(variant) } else { .bool(isEnabled) }
  }
}

/// The value of a flag, or what stands in for it while it is unknown.
package enum FlagValue: Sendable, Hashable {
  case bool(Bool)
  /// The name of a variant.
  case text(String)

  /// Whether a fallback of this value counts as enabled: as in JavaScript, so every text but the empty one does.
  package var isTruthy: Bool {
    switch self {
    case .bool(let truth): truth
    case .text(let text): !text.isEmpty
    }
  }

  package var json: JSONValue {
    switch self {
    case .bool(let truth): .bool(truth)
    case .text(let text): .string(text)
    }
  }
}
