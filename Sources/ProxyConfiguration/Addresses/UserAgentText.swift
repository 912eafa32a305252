import Effects

/// The text of the User-Agent that requests to Ahoy carry. The gem stores nothing for what it takes for a robot, and
/// answers 200 all the same (contract: Ahoy, sections 0 and 3.6).
package enum UserAgentText {
  /// One that the gem keeps.
  package static let usual = "AhoySwift/1.0 (X11; Linux x86_64)"

  /// What a program that names one of these is taken for a robot by, unless a letter follows.
  static let robotWords = [
    "bot", "analyzer", "appengine", "archive", "archiver", "checker", "collector", "crawl", "crawler", "fetch",
    "fetcher", "indexer", "inspector", "monitor", "project", "proxy", "research", "resolver", "robots", "scanner",
    "scraper", "script", "searcher", "security", "spider", "study", "transcoder", "uptime", "user agent", "validator",
  ]

  /// What the gem knows operating systems by, most of them.
  private static let systems = [
    "linux", "x11", "windows", "macintosh", "mac os", "darwin", "ios ", "iphone", "ipad", "android", "cros", "freebsd",
    "openbsd", "netbsd", "sunos", "ubuntu", "debian", "fedora",
  ]

  /// The word that makes the gem's device detector see a robot; nil when there is none.
  static func robotWord(in text: String) -> String? {
    let bytes = Array(text.lowercased().utf8)
    return robotWords.filter { word in
      ends(of: Array(word.utf8), in: bytes).contains { end in
        end == bytes.count || bytes[end] < UInt8(ascii: "a") || bytes[end] > UInt8(ascii: "z")
      }
    }.max { $0.utf8.count < $1.utf8.count }
  }

  /// Whether an operating system is named.
  static func namesSystem(_ text: String) -> Bool {
    let bytes = Array(text.lowercased().utf8)
    return systems.contains { !ends(of: Array($0.utf8), in: bytes).isEmpty }
  }

  /// Behind each place where the word stands.
  private static func ends(of word: [UInt8], in text: [UInt8]) -> [Int] {
    guard word.count <= text.count else { return [] }
    return (0...(text.count &- word.count)).filter { text[$0...].starts(with: word) }.map { $0 &+ word.count }
  }
}

extension ValueKind where Value == String {
  /// A User-Agent that the gem does not take for a robot.
  static var userAgent: Self {
    Self(schema: [JSONMember("type", "string"), JSONMember("pattern", "^[!-~]([ -~]{0,254}[!-~])?$")]) {
      node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "a text", hint: "such as \"\(UserAgentText.usual)\"")
        return nil
      }
      guard FieldValueText.isValue(text, atMost: 256) else {
        context.report(
          .invalidText, at: node.position, "the text is not 1 to 256 visible ASCII characters",
          hint: "such as \"\(UserAgentText.usual)\"")
        return nil
      }
      if let word = UserAgentText.robotWord(in: text) {
        context.report(
          .takenForRobot, at: node.position,
          "the gem takes a User-Agent with \"\(word)\" for a robot and stores nothing",
          hint: "such as \"\(UserAgentText.usual)\"")
        return nil
      }
      if !UserAgentText.namesSystem(text) {
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
