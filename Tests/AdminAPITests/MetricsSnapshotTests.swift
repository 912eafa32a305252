import Testing

@testable import AdminAPI

/// The rules that `promtool check metrics` holds a text to, as far as names go, and the closed sets of labels.
@Suite struct MetricsSnapshotTests {
  private let families = SampleContext.metrics.families

  @Test func countersAndOnlyCountersEndInTotal() {
    for family in families { #expect(family.name.hasSuffix("_total") == (family.kind == .counter), "\(family.name)") }
  }

  @Test func namesAreUniqueAndSpeakInBaseUnits() {
    #expect(Set(families.map(\.name)).count == families.count)
    for family in families {
      #expect(family.name.hasPrefix("footfall_") || family.name.hasPrefix("process_"), "\(family.name)")
      for unit in ["milliseconds", "_ms", "minutes", "hours", "kilobytes", "_kib", "percent"] {
        #expect(!family.name.contains(unit), "\(family.name)")
      }
      #expect(family.help.hasSuffix("."), "\(family.name)")
    }
  }

  @Test func bucketsAddUpAndEndAtInfinity() throws {
    let histogram = try #require(families.first { $0.name == "footfall_request_duration_seconds" })
    let text = PrometheusText.render([histogram])
    #expect(
      text == """
        # HELP footfall_request_duration_seconds \(histogram.help)
        # TYPE footfall_request_duration_seconds histogram
        footfall_request_duration_seconds_bucket{le="0.001"} 3
        footfall_request_duration_seconds_bucket{le="0.01"} 5
        footfall_request_duration_seconds_bucket{le="+Inf"} 6
        footfall_request_duration_seconds_sum 0.25
        footfall_request_duration_seconds_count 6

        """)
  }

  @Test func namesTheStatusClassNotTheStatus() {
    let text = PrometheusText.render(families)
    #expect(text.contains(#"footfall_requests_total{mode="forward",code="2xx"} 7"#))
    #expect(text.contains(#"footfall_requests_total{mode="tunnel",code="none"} 1"#))
  }

  @Test func leavesOutWhatIsNotKnown() {
    let text = PrometheusText.render(MetricsSnapshot().families)
    #expect(!text.contains("footfall_event"))
    #expect(!text.contains("process_"))
    #expect(!text.contains("footfall_requests_total"))
    #expect(text.contains("footfall_ready 0"))
  }

  @Test func holdsNoIdentifier() {
    #expect(!PrometheusText.render(families).contains(SampleContext.visitorID.prefix(8)))
  }
}
