import Effects
import FootfallApp
import Testing

@Suite struct RulesCommandTests {
  private let configuration = #"""
    {
      "visitorID": {"header": "x-visitor-id"},
      "rules": [
        {"name": "api", "match": {"prefix": "http://api.example.com/"}},
        {"name": "v", "match": [{"regex": "/v[12]/"}, {"prefix": "http://b.example/"}], "inject": [], "record": true}
      ]
    }
    """#

  @Test(
    arguments: [
      (["http://api.example.com/"], .ok), (["http://other.example/"], .noMatch),
      (["http://api.example.com/", "http://b.example/x"], .ok),
      (["http://api.example.com/", "http://other.example/"], .noMatch), (["not a url"], .noMatch),
      (["http://api.example.com/a/../b"], .noMatch), ([], .usage),
    ] as [([String], ExitCode)])
  func tellsByItsExitCode(urls: [String], code: ExitCode) {
    #expect(CommandRun(["rules", "test"] + urls, configuration: configuration).code == code)
  }

  @Test func saysWhichRulesMatchAndWhatTheyDo() {
    let run = CommandRun(["rules", "test", "http://api.example.com/v1/x"], configuration: configuration)
    #expect(
      run.output == "match     http://api.example.com/v1/x  (rules: api, v; effects: visitorID, record)\n")
    #expect(run.error.isEmpty)
  }

  @Test func saysThatHTTPSGetsNothing() throws {
    let text = #"{"rules": [{"name": "s", "match": {"prefix": "https://s.example/"}}]}"#
    let run = CommandRun(["rules", "test", "https://s.example/a"], configuration: text)
    #expect(run.code == .ok)
    #expect(run.output.contains("note: https URLs travel in tunnels that this version does not open"))
    let json = CommandRun(["rules", "test", "-j", "https://s.example/a", "http://s.example/"], configuration: text)
    let notes = try JSONReader().value(json.output).array?.map { $0["note"]?.string != nil }
    #expect(notes == [true, false])
  }

  @Test func explainsEachRule() {
    let run = CommandRun(["rules", "test", "-e", "HTTP://B.example:80/x"], configuration: configuration)
    #expect(run.output.contains("rules look at http://b.example/x"))
    #expect(run.output.contains("    - api\n        prefix http://api.example.com/: the host is b.example\n"))
    #expect(run.output.contains("    + v\n"))
  }

  @Test func saysWhyAURLIsNotLookedAt() {
    let run = CommandRun(["rules", "test", "http://u@api.example.com/"], configuration: configuration)
    #expect(run.code == .noMatch)
    #expect(run.output.contains("user information"))
  }

  @Test func jsonHasOneReportPerURL() throws {
    let urls = ["http://api.example.com/v1/", "http://other.example/"]
    let run = CommandRun(["rules", "test", "--json"] + urls, configuration: configuration)
    #expect(run.code == .noMatch)
    let reports = try #require(try JSONReader().value(run.output).array)
    #expect(reports.compactMap { $0["url"]?.string } == urls)
    #expect(reports.compactMap { $0["matches"]?.bool } == [true, false])
    #expect(reports[0]["effects"] == ["visitorID", "record"])
    #expect(reports[0]["rules"]?.array?.compactMap { $0["name"]?.string } == ["api", "v"])
  }

  @Test func aWrongConfigurationGivesNoVerdict() {
    let wrong = #"{"rules": [{"match": {"regex": "("}}, {"match": {"prefix": "http://h.example/"}}]}"#
    for arguments in [["rules", "test", "http://h.example/"], ["rules", "list"]] {
      let run = CommandRun(arguments, configuration: wrong)
      #expect(run.code == .configuration)
      #expect(run.output.isEmpty)
      #expect(run.error.contains("/rules/0/match/regex"))
    }
  }

  @Test func tellsOfTheFlagThatARuleAsks() throws {
    let gated = #"""
      {"cohorly": {"apiHost": "https://a.example"}, "rules": [
        {"name": "banner", "match": {"prefix": "http://a.example/"}, "when": {"flag": "banner", "is": "blue"}},
        {"name": "plain", "match": {"prefix": "http://b.example/"}}]}
      """#
    let run = CommandRun(["rules", "test", "--explain", "http://a.example/"], configuration: gated)
    #expect(run.code == .ok)
    #expect(run.output.contains("note: banner applies only while the flag banner is blue\n"))
    #expect(run.output.contains("        applies only while the flag banner is blue\n"))
    let other = CommandRun(["rules", "test", "http://b.example/"], configuration: gated)
    #expect(!other.output.contains("flag"))
    let list = CommandRun(["rules", "list"], configuration: gated)
    #expect(list.output.contains("when banner is blue\n"))
    let json = CommandRun(["rules", "list", "--json"], configuration: gated)
    let rules = try #require(try JSONReader().value(json.output).array)
    #expect(rules.first?["when"] == ["flag": "banner", "is": "blue", "fallback": false])
    #expect(rules.last?["when"] == nil)
  }

  @Test func listsRulesInColumns() {
    let run = CommandRun(["rules", "list"], configuration: configuration)
    #expect(run.code == .ok)
    #expect(
      run.output == """
        RULE  EFFECTS            MATCHES
        api   visitorID, record  prefix http://api.example.com/
        v     record             regex /v[12]/
                                 prefix http://b.example/

        """)
  }

  @Test func listsRulesAsJSON() throws {
    let run = CommandRun(["rules", "list", "--json"], configuration: configuration)
    let rules = try #require(try JSONReader().value(run.output).array)
    #expect(rules.compactMap { $0["name"]?.string } == ["api", "v"])
    #expect(rules[1]["match"] == [["regex": "/v[12]/"], ["prefix": "http://b.example/"]])
  }

  @Test func noRulesAreNoError() {
    let run = CommandRun(["rules", "list"], configuration: #"{"rules": []}"#)
    #expect(run.code == .ok)
    #expect(run.output.isEmpty)
    #expect(run.error.contains("no rules"))
  }
}
