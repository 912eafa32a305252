/// Whether rules are about https URLs. Those pass through in CONNECT tunnels (RFC 9110, section 9.3.6): the proxy sees a
/// host and a port there, but no URL, so that a rule of this version can do nothing to them.
package enum HTTPSRuleChecks {
  /// What a user should know of an https URL.
  package static let urlNote = "\(reason): this URL gets nothing injected"

  private static let reason = "https URLs travel in tunnels that this version does not open"

  static func run(_ rules: [Configuration.Rule], _ context: inout ReadingContext) {
    for rule in rules {
      let concerned = rule.matchers.filter { isHTTPS($0.kind) }
      let what = concerned.count == rule.matchers.count ? "this rule" : "this condition"
      for matcher in concerned {
        context.report(.httpsNotOpened, at: matcher.place, "\(reason): \(what) injects nothing", severity: .warning)
      }
    }
  }

  /// Whether an absolute URL is an https one.
  package static func isHTTPS(url: String) -> Bool { url.lowercased().utf8.starts(with: "https://".utf8) }

  /// A prefix is always about one scheme; an expression surely is when it starts with it.
  private static func isHTTPS(_ kind: Configuration.Matcher.Kind) -> Bool {
    switch kind {
    case .prefix(let text): isHTTPS(url: text)
    case .regex(let text):
      ["^https://", "^https:\\/\\/", "\\Ahttps://"].contains { text.utf8.starts(with: $0.utf8) }
    }
  }
}
