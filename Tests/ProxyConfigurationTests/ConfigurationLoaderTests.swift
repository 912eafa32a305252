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

  @Test func settingsOfTheProxyFollowTheConfiguration() throws {
    let text = """
      {"proxy": {"profile": "server", "trailers": "drop"}, "rules": [], "events": {"record": "none", "keepQuery": true},
       "limits": {"requestLineBytes": 100, "headBytes": 300, "fields": 7, "requestBodyBytes": 8, "connections": 9,
         "idleUpstreamPerOrigin": 10},
       "timeouts": {"head": 1, "idle": 2, "connect": 3, "read": 4.5, "tunnel": 5}}
      """
    let settings = try #require(load(text).configuration).proxySettings
    #expect(settings.limits.head == HeadLimits(requestLine: 100, head: 300, fields: 7))
    #expect(settings.limits.requestBody == 8)
    #expect(settings.limits.connections == 9)
    #expect(settings.limits.idlePerOrigin == 10)
    #expect(settings.timeouts.head == 1_000_000_000)
    #expect(settings.timeouts.read == 4_500_000_000)
    #expect(settings.timeouts.tunnel == 5_000_000_000)
    #expect(settings.trailers == .drop)
    #expect(settings.recording == .none)
    #expect(settings.keepsQuery)
    #expect(settings.destinations.profile == .server)
  }

  @Test func defaultsAreThoseOfTheProxy() {
    let settings = Configuration().proxySettings
    let defaults = ProxySettings()
    #expect(settings.limits == defaults.limits)
    #expect(settings.timeouts == defaults.timeouts)
    #expect(settings.trailers == defaults.trailers)
    #expect(settings.recording == defaults.recording)
    #expect(settings.destinations.profile == defaults.destinations.profile)
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

  @Test func oneBadRuleIsDroppedAndTheFeatureIsDegraded() throws {
    let loaded = load(
      #"""
      {"visitorID": {"header": "x-v"}, "rules": [
        {"name": "bad", "match": {"regex": "("}},
        {"name": "half", "match": [{"prefix": "http://a.example/"}, {"prefix": "nonsense"}]},
        {"name": "flag", "match": {"prefix": "http://b.example/"}, "when": {"flag": "x"}},
        {"name": "good", "match": {"prefix": "http://c.example/"}}]}
      """#)
    let configuration = try #require(loaded.configuration)
    guard case .enabled(_, let degraded) = configuration.visitorID else {
      Issue.record("not enabled")
      return
    }
    #expect(
      degraded.map(\.pointer.description) == ["/rules/0/match/regex", "/rules/1/match/1/prefix", "/rules/2/when"])
    #expect(configuration.rules.map(\.name) == ["half", "good"])
    #expect(loaded.ruleSet.names == ["half", "good"])
    #expect(configuration.rules.map(\.matchers.count) == [1, 1])
  }

  @Test(arguments: [
    #""rules": []"#, #""rules": 7"#, #""rules": [{"match": {"regex": "("}}]"#,
    #""rules": [{"match": {"prefix": "http://a.example/"}, "inject": []}]"#, #""log": {}"#,
  ])
  func withoutValidRuleTheVisitorIDIsInvalid(_ rules: String) throws {
    let loaded = load(#"{"visitorID": {"header": "x-v"}, \#(rules)}"#)
    guard case .invalid(let reasons) = try #require(loaded.configuration).visitorID else {
      Issue.record("not invalid")
      return
    }
    #expect(!reasons.isEmpty)
  }

  // MARK: Issues

  @Test func issuesAreObjectsForTools() throws {
    let issue = try #require(load("{\n  \"rulez\": [], \"rules\": []}").issues.first)
    #expect(
      issue.json == [
        "file": "/etc/footfall/config.json", "line": 2, "column": 3, "pointer": "/rulez", "code": "unknown-key",
        "severity": "error", "message": "unknown key 'rulez'", "hint": "did you mean \"rules\"?",
      ])
    #expect(
      issue.description
        == "/etc/footfall/config.json:2:3: error /rulez: unknown key 'rulez': did you mean \"rules\"?")
  }

  @Test func theOffsetOfARegexIsAColumnOfTheFile() throws {
    //                       column 35 is the bracket that the engine objects to
    let text = #"{"rules": [{"match": {"regex": "\u00e9[z-a]"}}]}"#
    let issue = try #require(load(text).issues.first { $0.severity == .error })
    #expect(issue.code.rawValue == "regex-syntax")
    let column = issue.position.column
    let marked = text.dropFirst(column - 1)
    #expect(marked.hasPrefix("]") || marked.hasPrefix("a]") || marked.hasPrefix("-a]"), "at '\(marked)'")
  }

  @Test func depthIsAnErrorAndNoCrash() {
    let text = "{\"rules\": " + String(repeating: "[", count: 1_000_000)
    let loaded = load(text)
    #expect(loaded.issues.map(\.code.rawValue).contains("too-deep"))
    #expect(loaded.configuration == nil)
  }

  @Test func tenThousandRulesAreRead() throws {
    let list = (0..<10_000).map { #"{"name": "r\#($0)", "match": {"prefix": "http://h\#($0).example/"}}"# }
    let loaded = load("{\"rules\": [\(list.joined(separator: ","))]}")
    #expect(loaded.issues.isEmpty)
    #expect(try #require(loaded.configuration).rules.count == 10_000)
  }
}
