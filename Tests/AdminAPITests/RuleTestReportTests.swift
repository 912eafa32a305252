import Effects
import Testing

@testable import AdminAPI

@Suite struct RuleTestReportTests {
  private func rule(_ name: String, matches: Bool) -> RuleTestReport.Rule {
    RuleTestReport.Rule(
      name: name, matches: matches, reasons: matches ? [] : ["another host"], effects: matches ? ["visitorID"] : [])
  }

  @Test func matchesWhenAnyRuleDoes() {
    for (matching, expected) in [([false, false], false), ([false, true], true), ([], false)] {
      let rules = matching.enumerated().map { rule("r\($0.offset)", matches: $0.element) }
      let report = RuleTestReport(url: "u", canonical: "u", refusal: nil, effects: [], rules: rules)
      #expect(report.matches == expected)
      #expect(report.json["matches"]?.bool == expected)
    }
  }

  @Test func writesEveryMemberAlsoWhereThereIsNothingToSay() throws {
    let report = RuleTestReport(
      url: "https://a@b/", canonical: nil, refusal: "a user name", effects: [], rules: [rule("api", matches: false)])
    #expect(
      JSONWriter.text(report.json)
        == #"{"url":"https://a@b/","canonical":null,"refusal":"a user name","matches":false,"effects":[],"note":null,"#
        + #""rules":[{"name":"api","matches":false,"reasons":["another host"],"effects":[]}]}"#)
    let noted = RuleTestReport(
      url: "https://b/", canonical: "https://b/", refusal: nil, effects: ["visitorID"],
      rules: [rule("api", matches: true)], note: "tunnelled")
    #expect(noted.json["note"]?.string == "tunnelled")
    #expect(noted.json["effects"] == .array(["visitorID"]))
  }
}
