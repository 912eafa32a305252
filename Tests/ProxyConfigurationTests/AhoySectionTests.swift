import Effects
import ProxyConfiguration
import Testing

@Suite struct AhoySectionTests {
  private func load(_ text: String) -> LoadedConfiguration {
    ConfigurationLoader.forTests.load(Array(text.utf8), file: "/conf/f.json")
  }

  @Test func withoutTheSectionTheFeatureIsOff() throws {
    for text in [#"{"rules": []}"#, #"{"ahoy": null, "rules": []}"#] {
      let loaded = load(text)
      #expect(loaded.issues.isEmpty)
      #expect(try #require(loaded.configuration).ahoy == nil)
    }
  }

  @Test func theDefaultsAreThoseOfTheContract() throws {
    let loaded = load(#"{"ahoy": {"baseURL": "https://a.example"}, "rules": []}"#)
    #expect(loaded.issues.isEmpty)
    let configuration = try #require(loaded.configuration)
    let ahoy = try #require(configuration.ahoy)
    #expect(ahoy.visitsURL == "https://a.example/ahoy/visits")
    #expect(ahoy.eventsURL == "https://a.example/ahoy/events")
    #expect(ahoy.visitDurationHours == 4)
    #expect(ahoy.automaticVisitRenewal)
    #expect(ahoy.visitParams.isEmpty)
    #expect(ahoy.userAgent == "AhoySwift/1.0 (X11; Linux x86_64)")
    #expect(ahoy.environment.platform == "Linux")
    #expect(ahoy.events.name == "proxy.request")
    #expect(ahoy.events.maxPerRequest == 10)
    #expect(ahoy.events.maxBytes == 8192)
    #expect(configuration.pipeline.flushInterval == .seconds(5))
    #expect(configuration.pipeline.flushAt == 20)
    #expect(configuration.pipeline.maximumInFlight == 1)
    #expect(configuration.pipeline.drain == .seconds(5))
  }

  @Test func everyKeyIsRead() throws {
    let loaded = load(
      #"""
      {"ahoy": {"baseURL": "https://a.example:8443/base/", "ahoyPath": "x/y", "visitsPath": "v", "eventsPath": "e",
        "visitDurationHours": 0.5, "automaticVisitRenewal": false,
        "environment": {"platform": "Debian", "appVersion": "2.1", "osVersion": "12"},
        "visitParams": {"utm_source": "egress", "level": 3, "ratio": 0.5, "test": false},
        "events": {"name": "e", "properties": ["status", "duration_ms"], "maxPerRequest": 5, "maxBytes": 4096},
        "headers": {"X-Tenant": "north"}, "certificateFiles": ["ca.pem", "/etc/other.pem"]},
       "pipeline": {"flushIntervalSeconds": 0.5, "flushAt": 7, "maximumInFlight": 3, "drainSeconds": 30}, "rules": []}
      """#)
    #expect(loaded.issues.isEmpty)
    let configuration = try #require(loaded.configuration)
    let ahoy = try #require(configuration.ahoy)
    #expect(ahoy.visitsURL == "https://a.example:8443/base/x/y/v")
    #expect(ahoy.eventsURL == "https://a.example:8443/base/x/y/e")
    #expect(ahoy.visitDurationHours == 0.5)
    #expect(!ahoy.automaticVisitRenewal)
    #expect(
      [ahoy.environment.platform, ahoy.environment.appVersion, ahoy.environment.osVersion] == ["Debian", "2.1", "12"])
    #expect(
      ahoy.visitParams == [
        JSONMember("utm_source", "egress"), JSONMember("level", 3), JSONMember("ratio", 0.5), JSONMember("test", false),
      ])
    #expect(ahoy.events.properties == [.status, .durationMilliseconds])
    #expect(ahoy.headers == [OutboundField("X-Tenant", "north")])
    #expect(ahoy.certificateFiles == ["/conf/ca.pem", "/etc/other.pem"])
    #expect(configuration.pipeline.flushInterval == .milliseconds(500))
    #expect(configuration.pipeline.flushAt == 7)
    #expect(configuration.pipeline.maximumInFlight == 3)
    #expect(configuration.pipeline.drain == .seconds(30))
  }

  @Test func thePropertiesOfAnEventCanBeChosenOrLeftOut() throws {
    let all = Configuration.ExchangeProperty.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    for (list, count) in [(all, Configuration.ExchangeProperty.allCases.count), ("", 0)] {
      let loaded = load(
        #"{"ahoy": {"baseURL": "https://a.example", "events": {"properties": [\#(list)]}}, "rules": []}"#)
      #expect(loaded.issues.isEmpty)
      #expect(try #require(loaded.configuration?.ahoy).events.properties.count == count)
    }
    #expect(!Configuration.ExchangeProperty.usual.contains(.user))
    #expect(!Configuration.ExchangeProperty.usual.contains(.visitorID))
  }
}
