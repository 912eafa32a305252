/// What makes a server take a client for a bot, whose visits and events it answers with 200 and drops (contract, fact 1
/// and section 3.6).
package enum BotWords {
  /// Each counts where a character that is no letter follows, or the end; what stands before does not matter.
  package static let words = [
    "bot", "analyzer", "appengine", "archive", "archiver", "checker", "collector", "crawl", "crawler", "fetch",
    "fetcher",
    "indexer", "inspector", "monitor", "project", "proxy", "research", "resolver", "robots", "scanner", "scraper",
    "script", "searcher", "security", "spider", "study", "transcoder", "uptime", "user agent", "validator",
  ]

  /// Systems of which one must be named: a client without a known device and system is dropped like a bot.
  package static let systems = [
    "linux", "android", "windows nt", "mac os x", "macintosh", "darwin", "ios ", "iphone", "ipad", "freebsd", "openbsd",
    "netbsd", "cros ",
  ]

  /// The first word of the list in a `User-Agent`; nil when there is none.
  package static func found(in userAgent: String) -> String? {
    let text = lowercased(userAgent)
    return words.first { isFound(Array($0.utf8), in: text) }
  }

  /// Whether a `User-Agent` names a system that servers know.
  package static func namesSystem(_ userAgent: String) -> Bool {
    let text = lowercased(userAgent)
    return systems.contains { system in
      let system = Array(system.utf8)
      return text.indices.contains { text[$0...].starts(with: system) }
    }
  }

  private static func isFound(_ word: [UInt8], in text: [UInt8]) -> Bool {
    text.indices.contains { start in
      let rest = text[start...]
      guard rest.starts(with: word) else { return false }
      guard let next = rest.dropFirst(word.count).first else { return true }
      return !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next)
    }
  }

  private static func lowercased(_ text: String) -> [UInt8] {
    text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }
}
