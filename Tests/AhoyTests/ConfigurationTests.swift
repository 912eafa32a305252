import AhoyTracker
import Foundation
import Testing

@testable import Ahoy

@Suite struct ConfigurationTests {
  static func configuration(_ url: String, _ change: (inout Configuration) -> Void = { _ in }) throws -> Configuration {
    var configuration = Configuration(
      environment: .init(platform: "Linux", appVersion: "1.0", osVersion: "12"), baseUrl: try #require(URL(string: url))
    )
    change(&configuration)
    return configuration
  }

  @Test func hasTheDefaultsOfTheDocumentation() throws {
    let configuration = try Self.configuration("https://your-server.com")
    #expect(configuration.visitDuration == 14_400)
    #expect(configuration.automaticVisitRenewal)
    #expect(configuration.visitParams == nil)
    #expect(configuration.ahoyPath == "ahoy")
    #expect(configuration.visitsPath == "visits")
    #expect(configuration.eventsPath == "events")
    #expect(configuration.maximumEventsPerRequest == 10)
    #expect(configuration.maximumRequestBytes == 8192)
    #expect(configuration.userAgent == AhoyEndpoint.defaultUserAgent)
    #expect(BotWords.found(in: configuration.userAgent) == nil)
    #expect(BotWords.namesSystem(configuration.userAgent))
  }

  @Test(arguments: [
    ("https://a.com", "ahoy", "https://a.com/ahoy/visits"), ("https://a.com/", "/ahoy/", "https://a.com/ahoy/visits"),
    ("https://a.com/app", "api/ahoy", "https://a.com/app/api/ahoy/visits"),
    ("https://a.com/app/", "", "https://a.com/app/visits"),
    ("http://[::1]:3000", "a b", "http://[::1]:3000/a%20b/visits"),
  ])
  func appendsThePathsToTheBase(_ base: String, _ path: String, _ url: String) throws {
    let configuration = try Self.configuration(base) { $0.ahoyPath = path }
    #expect(configuration.visitsURL.absoluteString == url)
    #expect(configuration.eventsURL.absoluteString == url.replacingOccurrences(of: "visits", with: "events"))
  }

  @Test(
    arguments: [
      (3600, 3_600_000), (0.5, 500), (.infinity, .max), (0, 14_400_000), (-5, 14_400_000), (.nan, 14_400_000),
    ] as [(TimeInterval, Int64)])
  func takesAnyDuration(_ seconds: TimeInterval, _ milliseconds: Int64) throws {
    #expect(try Self.configuration("https://a.com") { $0.visitDuration = seconds }.windowMilliseconds == milliseconds)
  }

  @Test func sendsAtLeastOneEventPerRequest() throws {
    let configuration = try Self.configuration("https://a.com") { $0.maximumEventsPerRequest = 0 }
    #expect(configuration.limits.maximumEvents == 1)
  }
}
