package import Effects

/// What the rules say about one URL: the answer of `GET /rules/test` and of `footfall rules test --json`.
package struct RuleTestReport: Sendable, Hashable {
  /// One rule's verdict.
  package struct Rule: Sendable, Hashable {
    package var name: String
    package var matches: Bool
    /// Which matcher matched, or of each why it did not.
    package var reasons: [String]
    package var effects: [String]

    package init(name: String, matches: Bool, reasons: [String], effects: [String]) {
      self.name = name
      self.matches = matches
      self.reasons = reasons
      self.effects = effects
    }
  }

  /// The URL as given.
  package var url: String
  /// The text the rules look at; nil when the URL was refused.
  package var canonical: String?
  /// Why the URL cannot be looked at.
  package var refusal: String?
  /// The sum of the effects of all rules that match.
  package var effects: [String]
  package var rules: [Rule]
  /// What stands between the verdict and what happens to such a request; nil when nothing does.
  package var note: String?

  package init(
    url: String, canonical: String?, refusal: String?, effects: [String], rules: [Rule], note: String? = nil
  ) {
    self.url = url
    self.canonical = canonical
    self.refusal = refusal
    self.effects = effects
    self.rules = rules
    self.note = note
  }

  package var matches: Bool { rules.contains(where: \.matches) }

  package var json: JSONValue {
    .object([
      JSONMember("url", .string(url)),
      JSONMember("canonical", canonical.map { .string($0) } ?? .null),
      JSONMember("refusal", refusal.map { .string($0) } ?? .null),
      JSONMember("matches", .bool(matches)),
      JSONMember("effects", .array(effects.map { .string($0) })),
      JSONMember("note", note.map { .string($0) } ?? .null),
      JSONMember(
        "rules",
        .array(
          rules.map { rule in
            .object([
              JSONMember("name", .string(rule.name)), JSONMember("matches", .bool(rule.matches)),
              JSONMember("reasons", .array(rule.reasons.map { .string($0) })),
              JSONMember("effects", .array(rule.effects.map { .string($0) })),
            ])
          })),
    ])
  }
}
