import Effects
import VisitorID

/// Whether the visitor id can be used (contract: Visitor ID, section 1.2).
enum VisitorIDChecks {
  static func run(_ document: ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext) {
    checkValidity(document, source, &context)
    let pointer = JSONPointer([.name("visitorID"), .name("header")])
    // A header of the wrong type is reported already, and empty here.
    guard let visitorID = document.visitorID,
      case .string = source.root.member("visitorID")?.node.member("header")?.node.kind
    else { return }
    let place = source.place(pointer)
    let lowercase = visitorID.header.lowercased()
    guard let fault = HeaderNameFault.check(visitorID.header) else {
      if let doubt = HeaderNameFault.lint(visitorID.header) {
        context.report(.doubtfulHeader, at: place, doubt, hint: "use \"-\"", severity: .warning)
      }
      return
    }
    guard fault == .notLowercase else { return report(fault, at: place, &context) }
    // What else is wrong with the name is not left for the next run.
    let rest = HeaderNameFault.check(lowercase)
    report(fault, at: place, hint: rest == nil ? "write \"\(lowercase)\"" : "", &context)
    if let rest { report(rest, at: place, &context) }
  }

  /// Hours that make sense: from one second to a hundred years. The contract takes any positive number, so that one
  /// outside is a doubt and no mistake.
  static let sensibleHours = 1.0 / 3600...876_600.0

  private static func checkValidity(
    _ document: ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext
  ) {
    guard let hours = document.visitorID?.ttlHours, !sensibleHours.contains(hours) else { return }
    let place = source.place(JSONPointer([.name("visitorID"), .name("ttlHours")]))
    if hours < sensibleHours.lowerBound {
      context.report(
        .doubtfulValidity, at: place, "an id that lives less than a second is another one at almost every request",
        hint: "the number counts hours: 0.5 are thirty minutes", severity: .warning)
    } else {
      context.report(
        .doubtfulValidity, at: place, "an id that lives more than a hundred years never ends",
        hint: "the number counts hours: 8760 are a year", severity: .warning)
    }
  }

  private static func report(
    _ fault: HeaderNameFault, at place: SourcePlace, hint: String = "", _ context: inout ReadingContext
  ) {
    let code: ConfigurationIssue.Code =
      switch fault {
      case .reserved, .reservedPart: .reservedHeader
      case .empty, .notLowercase, .notToken, .outsidePolicy: .invalidHeader
      }
    context.report(code, at: place, fault.message, hint: hint)
  }

  /// What the document and its issues make of the feature.
  static func feature(
    _ document: ConfigurationDocument, _ source: ConfigurationSource, _ issues: [ConfigurationIssue]
  ) -> Configuration.VisitorIDFeature {
    guard source.holds("visitorID") else { return .disabled }
    let dropped = issues.filter { if case .dropsRule = $0.impact { true } else { false } }
    let reasons = issues.filter { $0.impact == .disablesVisitorID }
    guard let visitorID = document.visitorID, reasons.isEmpty else { return .invalid(reasons: reasons) }
    return .enabled(visitorID, degraded: dropped)
  }

  /// Whether the section itself is without mistakes.
  static func isUsable(_ document: ConfigurationDocument, _ issues: [ConfigurationIssue]) -> Bool {
    document.visitorID != nil && !issues.contains { $0.impact == .disablesVisitorID }
  }
}
