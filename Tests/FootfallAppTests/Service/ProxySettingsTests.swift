import Effects
import HTTPWire
import ProxyConfiguration
import ProxyCore
import RuleEngines
import Testing

@testable import FootfallApp

@Suite struct ProxySettingsTests {
  private func settings(_ change: (inout Configuration) -> Void) -> ProxySettings {
    var configuration = Configuration()
    change(&configuration)
    return ProxySettings(configuration, ownEndpoints: [], localAddresses: [])
  }

  @Test func defaultsOfTheConfigurationAreThoseOfTheProxy() {
    let mapped = settings { _ in }
    let defaults = ProxySettings()
    #expect(mapped.timeouts == defaults.timeouts)
    #expect(mapped.limits == defaults.limits)
    #expect(mapped.trailers == defaults.trailers)
    #expect(mapped.recording == defaults.recording)
    #expect(mapped.keepsQuery == defaults.keepsQuery)
    #expect(mapped.destinations.profile == defaults.destinations.profile)
    #expect(mapped.tunnelPorts == defaults.tunnelPorts)
    #expect(mapped.upgrades == defaults.upgrades)
  }

  @Test func takesEachTimeout() {
    let mapped = settings {
      $0.timeouts.head = .seconds(1)
      $0.timeouts.idle = .seconds(2)
      $0.timeouts.connect = .seconds(3)
      $0.timeouts.read = .seconds(4)
      $0.timeouts.tunnel = .milliseconds(5_500)
    }.timeouts
    #expect(mapped.head == 1_000_000_000)
    #expect(mapped.idle == 2_000_000_000)
    #expect(mapped.connect == 3_000_000_000)
    #expect(mapped.read == 4_000_000_000)
    #expect(mapped.tunnel == 5_500_000_000)
  }

  @Test func takesEachLimit() {
    let mapped = settings {
      $0.limits.requestLineBytes = 101
      $0.limits.headBytes = 1_002
      $0.limits.fields = 3
      $0.limits.requestBodyBytes = 4
      $0.limits.connections = 5
      $0.limits.idleUpstreamPerOrigin = 6
      $0.limits.resolverCacheEntries = 7
      $0.limits.upstreamConnectionsPerOrigin = 8
    }.limits
    #expect(mapped.head == HeadLimits(requestLine: 101, head: 1_002, fields: 3))
    #expect(mapped.requestBody == 4)
    #expect(mapped.connections == 5)
    #expect(mapped.idlePerOrigin == 6)
    #expect(mapped.resolverCache == 7)
    #expect(mapped.connectionsPerOrigin == 8)
  }

  @Test func takesEachChoice() {
    #expect(settings { $0.proxy.trailers = .drop }.trailers == .drop)
    #expect(settings { $0.proxy.trailers = .forward }.trailers == .forward)
    #expect(settings { $0.proxy.profile = .server }.destinations.profile == .server)
    #expect(settings { $0.events.record = .matched }.recording == .matched)
    #expect(settings { $0.events.record = .none }.recording == RecordingScope.none)
    #expect(settings { $0.events.keepQuery = true }.keepsQuery)
    #expect(settings { $0.proxy.tunnelPorts = .any }.tunnelPorts == .any)
    #expect(settings { $0.proxy.upgrades = ["a", "b"] }.upgrades == [Array("a".utf8), Array("b".utf8)])
  }

  @Test func refusesTheProxysOwnEndpoints() {
    let own = Endpoint(IPAddress(v4: 0), port: 3128)
    let local = IPAddress(v4: 0x0a00_0001)
    let policy = ProxySettings(Configuration(), ownEndpoints: [own], localAddresses: [local]).destinations
    #expect(policy.refusal(of: Endpoint(local, port: 3128)) == .destinationIsProxy)
    #expect(policy.refusal(of: Endpoint(local, port: 3129)) == nil)
  }

  @Test(
    arguments: [
      (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1_500), 1_500_000_000), (.seconds(-1), 0),
      (.seconds(Int64.max), UInt64.max / 2),
    ] as [(Duration, UInt64)])
  func turnsDurationsIntoNanoseconds(_ duration: Duration, _ nanoseconds: UInt64) {
    #expect(duration.wholeNanoseconds == nanoseconds)
  }

  @Test func turnsDurationsIntoMilliseconds() {
    #expect(Duration.seconds(30).wholeMilliseconds == 30_000)
    #expect(Duration.microseconds(1_999).wholeMilliseconds == 1)
  }

  @Test func takesTheParentProxy() throws {
    #expect(settings { $0.upstream.credentialsFile = "x" }.parent == nil)
    let loaded = ConfigurationLoader(
      patterns: PCRE2PatternEngine(), hostNames: IDNA2008HostNameEncoder(),
      readSecret: { _ in .content(Array("a:".utf8)) }
    ).load(
      Array(
        #"{"upstream": {"proxy": "http://[::1]:3128", "credentialsFile": "x", "bypass": [".near"]}, "rules": []}"#.utf8),
      file: "f")
    let configuration = try #require(loaded.configuration)
    let parent = try #require(settings { $0 = configuration }.parent)
    #expect(parent.host == "::1" && parent.port == 3128)
    #expect(parent.authorizationLine == Array("Proxy-Authorization: Basic YTo=\r\n".utf8))
    #expect(parent.bypass.contains("a.near", literal: nil) && !parent.bypass.contains("near", literal: nil))
  }
}
