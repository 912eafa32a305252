import Effects
import Foundation
import HTTPWire
import ProxyConfiguration
import ProxyCore
import Testing
import URLRules

@Suite struct ConfigurationLoaderTests {
  private func load(
    _ text: String, file: String = "/etc/footfall/config.json",
    overrides: ConfigurationOverrides = ConfigurationOverrides()
  ) -> LoadedConfiguration {
    ConfigurationLoader.forTests.load(Array(text.utf8), file: file, overrides: overrides)
  }

  private let rules = #""rules": [{"name": "api", "match": {"prefix": "http://a.example/"}}]"#

  // MARK: Values

  @Test func readsEachSection() throws {
    let file = try #require(GoldenFileTests.files.first { $0.lastPathComponent == "everything.conftest" })
    let text = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n----------\n")[0]
    let configuration = try #require(load(text).configuration)
    #expect(configuration.proxy.listen.map(\.description) == ["127.0.0.1:0", "[::1]:8080"])
    #expect(configuration.proxy.workers == 4)
    #expect(configuration.admin.listen == .unix("/etc/footfall/admin.sock"))
    #expect(configuration.admin.tokenFile == "/etc/footfall/admin.token")
    #expect(configuration.state.directory == "/etc/footfall/state")
    guard case .enabled(let visitorID, let degraded) = configuration.visitorID else {
      Issue.record("the visitor id is off")
      return
    }
    #expect(visitorID.header == "x-visitor-id")
    #expect(visitorID.ttlHours == 0.5)
    #expect(degraded.isEmpty)
    #expect(configuration.rules.map(\.name) == ["a", "rule-2"])
    #expect(configuration.rules.map(\.record) == [true, false])
    #expect(configuration.rules.map(\.inject) == [[.visitorID], [.visitorID]])
    #expect(configuration.limits.requestBodyBytes == 1_000_000)
    #expect(configuration.timeouts.idle == .milliseconds(2500))
    #expect(configuration.timeouts.drain == .zero)
    #expect(configuration.log.accessFile == .standardOutput)
  }

  @Test func defaultsAreThoseOfTheProxy() {
    let configuration = Configuration()
    let defaults = ProxySettings()
    #expect(configuration.limits.requestLineBytes == defaults.limits.head.requestLine)
    #expect(configuration.limits.headBytes == defaults.limits.head.head)
    #expect(configuration.limits.fields == defaults.limits.head.fields)
    #expect(configuration.limits.requestBodyBytes == defaults.limits.requestBody)
    #expect(configuration.limits.connections == defaults.limits.connections)
    #expect(configuration.limits.idleUpstreamPerOrigin == defaults.limits.idlePerOrigin)
    #expect(configuration.timeouts.head == .nanoseconds(Int64(defaults.timeouts.head)))
    #expect(configuration.timeouts.idle == .nanoseconds(Int64(defaults.timeouts.idle)))
    #expect(configuration.timeouts.connect == .nanoseconds(Int64(defaults.timeouts.connect)))
    #expect(configuration.timeouts.read == .nanoseconds(Int64(defaults.timeouts.read)))
    #expect(configuration.timeouts.tunnel == .nanoseconds(Int64(defaults.timeouts.tunnel)))
    #expect(configuration.events.keepQuery == defaults.keepsQuery)
  }

  @Test(arguments: [
    ("config.json", "./a"), ("etc/config.json", "etc/a"), ("/config.json", "/a"), ("/etc/x/config.json", "/etc/x/a"),
  ])
  func relativePathsAreSeenFromTheFilesFolder(_ file: String, _ expected: String) throws {
    let loaded = load(#"{"state": {"directory": "a"}, "rules": []}"#, file: file)
    #expect(try #require(loaded.configuration).state.directory == expected)
  }

  @Test func lifeBeyondAllNumbersIsNoTrap() throws {
    let loaded = load(#"{"visitorID": {"header": "x-v", "ttlHours": 1e308}, \#(rules)}"#)
    #expect(!loaded.hasErrors)
  }

  @Test(arguments: [
    ("1e-320", true), ("0.0002", true), ("0.0003", false), ("24", false), ("876600", false), ("876601", true),
    ("1e300", true),
  ])
  func doubtsAValidityOfNoUse(_ hours: String, _ isDoubted: Bool) throws {
    let loaded = load(#"{"visitorID": {"header": "x-v", "ttlHours": \#(hours)}, \#(rules)}"#)
    #expect(!loaded.hasErrors)
    let doubts = loaded.issues.filter { $0.code == .doubtfulValidity }
    #expect(doubts.map(\.pointer.description) == (isDoubted ? ["/visitorID/ttlHours"] : []))
    #expect(doubts.allSatisfy { $0.severity == .warning })
  }

  // MARK: What mistakes do

  @Test(arguments: [
    #"{"proxy": {"via": 1}, "rules": []}"#, #"{"rules": [],}"#, "", "[]", #"{"ahoy": {}, "rules": []}"#,
    #"{"rules": [{"match": {"prefix": "http://a.example/"},}]}"#,
  ])
  func mistakesOfTheProxyAreFatal(_ text: String) {
    let loaded = load(text)
    #expect(loaded.hasErrors)
    #expect(loaded.configuration == nil)
  }

  @Test(arguments: [
    #""visitorID": []"#, #""visitorID": {}"#, #""visitorID": {"header": "X-V"}"#,
    #""visitorID": {"header": "x-v", "ttlHours": 0}"#, #""visitorID": {"header": "x-v", "ttlHours": "24"}"#,
    #""visitorID": {"header": "x-v", "ttlHours": 1e999}"#, #""visitorID": {"header": "x-v", "ttlHours": true}"#,
    #""visitorID": {"header": "x-v", "id": "me"}"#, #""visitorID": {"header": "x-v", "header": "x-w"}"#,
    #""visitorID": {"header": "x-v", "webBridge": {"allowHosts": []}}"#,
  ])
  func mistakesOfTheVisitorIDTurnItOffAndTheProxyRuns(_ section: String) throws {
    let loaded = load("{\(section), \(rules)}")
    #expect(loaded.hasErrors)
    let configuration = try #require(loaded.configuration)
    guard case .invalid(let reasons) = configuration.visitorID else {
      Issue.record("the visitor id is not invalid")
      return
    }
    #expect(!reasons.isEmpty)
    #expect(configuration.rules.map(\.inject) == [[]])
  }

  @Test(arguments: ["{\"visitorID\": null, \"rules\": []}", "{\"rules\": []}"])
  func withoutSectionTheVisitorIDIsDisabled(_ text: String) throws {
    let loaded = load(text)
    #expect(loaded.issues.isEmpty)
    guard case .disabled = try #require(loaded.configuration).visitorID else {
      Issue.record("not disabled")
      return
    }
  }

  @Test func aHeaderThatIsWrongInTwoWaysIsToldBoth() {
    let loaded = load("{\"visitorID\": {\"header\": \"Cookie\"}, \(rules)}")
    #expect(loaded.issues.filter { $0.severity == .error }.map(\.code) == [.invalidHeader, .reservedHeader])
  }

  @Test(arguments: [
    (#"{"proxy": {}, "#, 1), (#"{"proxy": {"via": true}}, "rules": []}"#, 1),
    // The rule is whole, so that what it lacks is known; the list and the file are not.
    (#"{"rules": [{"name": "a"}, {"name": "b""#, 2),
  ])
  func nothingIsMissingThatALostEndMayHold(_ text: String, _ count: Int) {
    let errors = load(text).issues.filter { $0.severity == .error }
    #expect(errors.count == count)
    #expect(errors.filter { $0.code == .missingKey }.map(\.pointer.description) == (count == 2 ? ["/rules/0"] : []))
  }

  @Test func sectionsAreKnownBesideMistakesElsewhere() {
    let elsewhere = load(#"{"log": 1, "admin": {"tokenFile": "/t"}, "state": {"directory": "/d"}, "rules": []}"#)
    #expect(elsewhere.configuration == nil)
    #expect(elsewhere.state?.directory == "/d")
    #expect(elsewhere.admin?.tokenFile == "/t")
    #expect(load(#"{"state": {"directory": 1}, "rules": []}"#).state == nil)
    #expect(load(#"{"rules": []"#).state == nil, "the file may go on with it")
  }

  @Test func depthIsAnErrorAndNoCrash() {
    let text = "{\"rules\": " + String(repeating: "[", count: 1_000_000)
    let loaded = load(text)
    #expect(loaded.issues.map(\.code.rawValue).contains("too-deep"))
    #expect(loaded.configuration == nil)
  }
}
