import Effects

/// Whether the visitor id can be used (contract: Visitor ID, section 1.2).
enum VisitorIDChecks {
  static func run(_ document: ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext) {
    let pointer = JSONPointer([.name("visitorID"), .name("header")])
    // A header of the wrong type is reported already, and empty here.
    guard let visitorID = document.visitorID,
      case .string = source.root.member("visitorID")?.node.member("header")?.node.kind
    else { return }
    guard let problem = HeaderNameProblem(of: visitorID.header) else { return }
    context.report(.invalidHeader, at: source.place(pointer), problem.message, hint: problem.hint)
  }

  /// What the document and its issues make of the feature.
  static func feature(
    _ document: ConfigurationDocument, _ source: ConfigurationSource, _ issues: [ConfigurationIssue]
  ) -> Configuration.VisitorIDFeature {
    guard source.holds("visitorID") else { return .disabled }
    let dropped = issues.filter { if case .dropsRule = $0.impact { true } else { false } }
    let reasons = issues.filter { $0.impact == .disablesVisitorID }
    guard let visitorID = document.visitorID, reasons.isEmpty else { return .invalid(reasons: reasons + dropped) }
    return .enabled(visitorID, degraded: dropped)
  }

  /// Whether the section itself is without mistakes.
  static func isUsable(_ document: ConfigurationDocument, _ issues: [ConfigurationIssue]) -> Bool {
    document.visitorID != nil && !issues.contains { $0.impact == .disablesVisitorID }
  }
}

/// Why a header must not carry the visitor id.
struct HeaderNameProblem {
  let message: String
  let hint: String

  /// Nil for a name that may be used.
  init?(of name: String) {
    let bytes = Array(name.utf8)
    func isEdge(_ byte: UInt8) -> Bool {
      byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
    if let first = bytes.first, let last = bytes.last, isEdge(first), isEdge(last), bytes.count <= 64,
      bytes.allSatisfy({ isEdge($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
    {
      return nil
    }
    message = "\(name.quoted) is not a header name that may be used"
    hint = "lower-case letters, digits, '-' and '_', such as \"x-visitor-id\""
  }
}
