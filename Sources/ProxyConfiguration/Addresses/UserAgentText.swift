import AhoyTracker
import Effects

extension ValueKind where Value == String {
  /// A User-Agent that the gem does not take for a robot. It stores nothing for what it takes for one, and answers 200 all
  /// the same (contract: Ahoy, sections 0 and 3.6).
  static var userAgent: Self {
    Self(schema: [JSONMember("type", "string"), JSONMember("pattern", "^[!-~]([ -~]{0,254}[!-~])?$")]) {
      node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "a text", hint: "such as \"\(AhoyEndpoint.defaultUserAgent)\"")
        return nil
      }
      guard FieldValueText.isValue(text, atMost: 256) else {
        context.report(
          .invalidText, at: node.position, "the text is not 1 to 256 visible ASCII characters",
          hint: "such as \"\(AhoyEndpoint.defaultUserAgent)\"")
        return nil
      }
      if let word = BotWords.found(in: text) {
        context.report(
          .takenForRobot, at: node.position,
          "the gem takes a User-Agent with \"\(word)\" for a robot and stores nothing",
          hint: "such as \"\(AhoyEndpoint.defaultUserAgent)\"")
        return nil
      }
      if !BotWords.namesSystem(text) {
        context.report(
          .takenForRobot, at: node.position,
          "a User-Agent without an operating system may be taken for a robot, and nothing be stored",
          hint: "add such as \"(X11; Linux x86_64)\"", severity: .warning)
      }
      return text
    } write: {
      .string($0)
    }
  }
}
