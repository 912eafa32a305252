import AhoyTracker
import Testing

@Suite struct BotWordsTests {
  @Test(arguments: [
    AhoyEndpoint.defaultUserAgent, "AhoySwift/1.0 (Linux)", "Mozilla/5.0 (X11; Linux x86_64)",
    "AhoySwift/1.0 (iOS 17.0)",
    "App/1 CFNetwork/1492.0.1 Darwin/23.3.0",
  ])
  func keepsTheNamesThatServersKeep(_ userAgent: String) {
    #expect(BotWords.found(in: userAgent) == nil)
    #expect(BotWords.namesSystem(userAgent))
  }

  @Test(arguments: BotWords.words) func findsEveryWordBeforeWhatIsNoLetter(_ word: String) {
    for end in ["", "/1.0", " (Linux)", "1", "-x", ";"] {
      #expect(BotWords.found(in: word + end) != nil)
      #expect(BotWords.found(in: "Ahoy\(word.uppercased())\(end)") != nil)
    }
    #expect(BotWords.found(in: word + "zzz (Linux)") == nil)
  }

  @Test(arguments: [
    ("AhoyProxy/1.0 (X11; Linux x86_64)", "proxy"), ("Googlebot", "bot"), ("My Project 2 (Linux)", "project"),
    ("Crawlers crawl (Linux)", "crawl"),
  ])
  func namesTheWord(_ userAgent: String, _ word: String) {
    #expect(BotWords.found(in: userAgent) == word)
  }

  @Test(arguments: ["", "curl/7.88.1", "app (unknown version) curl/7.88.1", "Swift-NIO", "Go-http-client", "Ruby"])
  func seesThatNoSystemIsNamed(_ userAgent: String) {
    #expect(!BotWords.namesSystem(userAgent))
  }
}
