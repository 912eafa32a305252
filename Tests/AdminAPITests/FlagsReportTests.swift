import AdminAPI
import Effects
import Testing

@Suite struct FlagsReportTests {
  @Test func whatIsNotKnownIsNull() throws {
    let json = FlagsReport(policy: "networkOnly", distinctID: "user-4711", isLoaded: false).json(ids: .masked)
    #expect(
      json == [
        "policy": "networkOnly", "distinctID": "user…", "loaded": false, "evaluatedAt": nil, "lastError": nil,
        "flags": [], "gates": [],
      ])
    let schema = try #require(OpenAPIDocument.json(version: "1")["components"]?["schemas"]?["Flags"])
    #expect(SchemaCheck.problems(of: json, against: schema, at: "").isEmpty)
  }

  @Test func valuesAreWordsOrTruths() {
    #expect(FlagsReport.Word.bool(false).json == false)
    #expect(FlagsReport.Word.text("true").json == "true")
  }

  @Test func theStatusTellsOfIdentityAndFlags() throws {
    let masked = try #require(SampleContext.status.json(ids: .masked)["cohorly"])
    #expect(masked["apiHost"] == "https://cohorly.example.com")
    #expect(masked["distinctID"] == "user-471…")
    #expect(masked["deviceID"] == "1f0c9f5e…")
    #expect(masked["anonymous"] == false)
    #expect(masked["token"] == true)
    #expect(
      masked["flags"] == [
        "policy": "networkFirst", "loaded": true, "source": "network", "count": 3,
        "evaluatedAt": "2026-11-30T07:05:23.120Z", "evaluations": 5, "failures": 2,
      ])
    #expect(masked["refusedOperations"] == 1)
    #expect(masked["failedAliases"] == 1)
    #expect(masked["lastError"] == "status 429")
    #expect(SampleContext.status.json(ids: .full)["cohorly"]?["distinctID"] == "user-4711-of-north")
    #expect(StatusReport().json(ids: .full)["cohorly"] == JSONValue.null)
  }

  @Test func theStatusTellsWhichFlagARuleAsks() {
    var report = StatusReport()
    report.rules = [.init(name: "a", matchers: [], effects: [], matched: 0, failed: 0, gate: "checkout is true")]
    #expect(report.json(ids: .masked)["rules"]?.array?.first?["when"] == "checkout is true")
  }

  @Test func theMetricsCountFlagsAndGates() {
    let text = PrometheusText.render(SampleContext.metrics.families)
    for line in [
      #"footfall_flags{source="network"} 3"#, #"footfall_flags{source="persistence"} 0"#, "footfall_flags_loaded 1",
      #"footfall_flag_evaluations_total{outcome="success"} 5"#,
      #"footfall_flag_evaluations_total{outcome="failure"} 2"#,
      #"footfall_gates_total{rule="api",flag="checkout",value="true"} 7"#,
      #"footfall_gates_total{rule="api",flag="checkout",value="false"} 2"#,
      "footfall_cohorly_refused_operations_total 1", "footfall_cohorly_failed_aliases_total 1",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
    #expect(!PrometheusText.render(MetricsSnapshot().families).contains("flag"))
  }
}
