package import URLRules

/// What a worker needs to decide about a request, as one immutable value: read without lock, replaced as a whole.
package final class InjectionSnapshot: Sendable {
  /// A header that rules may inject.
  package struct Injection: Sendable {
    /// The rules with this effect get the header.
    package let effect: RuleEffects
    /// The field name in lower case.
    package let name: [UInt8]
    /// The whole field line with its line end.
    package let line: [UInt8]

    /// A header of that name and value; nil when they could not stand in a field line (RFC 9110, section 5.5).
    package init?(effect: RuleEffects, name: String, value: String) {
      let tokenBytes = Array(name.utf8)
      let valueBytes = Array(value.utf8)
      guard !tokenBytes.isEmpty, tokenBytes.allSatisfy(FieldText.isLowercaseToken), !valueBytes.isEmpty,
        valueBytes.allSatisfy(FieldText.isVisible)
      else { return nil }
      self.effect = effect
      self.name = tokenBytes
      line = tokenBytes + [0x3a, 0x20] + valueBytes + [0x0d, 0x0a]
    }
  }

  package let settings: ProxySettings
  package let rules: RuleSet
  package let injections: [Injection]
  /// The visitor id current at the time; nil when the feature is off.
  package let visitorID: String?
  /// When the snapshot holds, milliseconds since the epoch: until the visitor id ends, and not when the clock was set
  /// back to long before the id was made.
  package let validity: Range<Int64>
  /// Counts reloads and resets.
  package let generation: Int
  /// Members of every recorded event, ready to be written, each with the comma in front of it: whose the exchange was for
  /// the backends. Empty for none.
  package let eventMembers: [UInt8]
  /// What feature flags decide about rules, one for each rule that asks one. The rules here follow them.
  package let gates: [GateDecision]
  /// Effects whose headers are on their way: they are missing until a backend has answered.
  package let awaited: RuleEffects
  /// Where an effect does not hold.
  package let reserved: ReservedPath?
  /// Whether requests have to be admitted one by one; a single question on their way when they do not.
  package let checksRequests: Bool

  package init(
    settings: ProxySettings, rules: RuleSet, injections: [Injection], visitorID: String?,
    eventMembers: [UInt8] = [], gates: [GateDecision] = [], awaited: RuleEffects = [], reserved: ReservedPath? = nil,
    validity: Range<Int64>,
    generation: Int
  ) {
    self.settings = settings
    self.rules = rules
    self.injections = injections
    self.visitorID = visitorID
    self.eventMembers = eventMembers
    self.gates = gates
    self.awaited = awaited
    self.reserved = reserved
    self.validity = validity
    self.generation = generation
    checksRequests = settings.checksRequests
  }
}

/// Which bytes may stand where in a field line (RFC 9110, sections 5.5 and 5.6.2).
package enum FieldText {
  /// A token character that is not an upper-case letter.
  package static func isLowercaseToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// A visible ASCII character.
  package static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7f }
}
