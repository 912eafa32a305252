import Effects
import ProxyConfiguration
import Testing

@Suite struct UserAgentTextTests {
  private func issues(_ text: String) -> [ConfigurationIssue] {
    let document = #"{"rules": [], "ahoy": {"baseURL": "https://a.example", "userAgent": "\#(text)"}}"#
    return ConfigurationLoader.forTests.load(Array(document.utf8), file: "f").issues
  }

  /// What the gem keeps (contract: Ahoy, section 3.6).
  @Test(arguments: [
    "AhoySwift/1.0 (X11; Linux x86_64)", "AhoySwift/1.0 (Linux)", "Mozilla/5.0 (X11; Linux x86_64)",
    "AhoySwift/1.0 (iOS 17.0)",
    "App/1 CFNetwork/1490 Darwin/23.0", "Botany/1.0 (Linux)", "Projector/1.0 (Linux)", "Proxyman/1.0 (Linux)",
  ])
  func takesWhatTheGemKeeps(text: String) { #expect(issues(text).isEmpty) }

  /// The words of the device detector 1.1.3 (contract: Ahoy, section 3.6), each at the end, and before a version.
  @Test(arguments: [
    "bot", "analyzer", "appengine", "archive", "archiver", "checker", "collector", "crawl", "crawler", "fetch",
    "fetcher", "indexer", "inspector", "monitor", "project", "proxy", "research", "resolver", "robots", "scanner",
    "scraper", "script", "searcher", "security", "spider", "study", "transcoder", "uptime", "user agent", "validator",
  ])
  func refusesTheWordsOfRobots(word: String) {
    for text in ["X/1 (Linux) \(word)", "Ahoy\(word.uppercased())/1.0 (Linux)", "my-\(word)-9 (X11; Linux)"] {
      let found = issues(text)
      #expect(found.map(\.code.rawValue) == ["taken-for-robot"], "\(text)")
      #expect(found.first?.severity == .error)
      #expect(found.first?.message.contains("\"\(word)\"") == true, "\(found)")
    }
  }

  @Test(arguments: ["okhttp/4.9", "Swift-NIO", "Go-http-client/1.1", "python-requests/2", "Ruby", "curl/8"])
  func doubtsOnesWithoutSystem(text: String) {
    #expect(issues(text).map(\.severity) == [.warning])
    #expect(issues(text).map(\.code.rawValue) == ["taken-for-robot"])
  }

  @Test(arguments: [
    "", " Linux", "Linux ", "Linux\\n", "Linux \\u0007", "L\u{fc}nux Linux", String(repeating: "Linux ", count: 60),
  ])
  func refusesWhatNoFieldHolds(text: String) { #expect(issues(text).map(\.code.rawValue) == ["invalid-text"]) }
}
