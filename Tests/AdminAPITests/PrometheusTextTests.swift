import Testing

@testable import AdminAPI

@Suite struct PrometheusTextTests {
  @Test func escapesHelpAndLabels() {
    let family = MetricFamily(
      "a", .gauge, help: "one\\two\n\"three\"",
      samples: [.init(labels: [.init("l", "x\\y\n\"z\""), .init("m", "")], .count(1))])
    #expect(
      PrometheusText.render([family])
        == "# HELP a one\\\\two\\n\"three\"\n# TYPE a gauge\na{l=\"x\\\\y\\n\\\"z\\\"\",m=\"\"} 1\n")
  }

  @Test(
    arguments: [
      (.count(.max), "18446744073709551615"), (.measure(0.5), "0.5"), (.measure(.infinity), "+Inf"),
      (.measure(-.infinity), "-Inf"), (.measure(.nan), "NaN"), (.measure(3), "3.0"),
    ] as [(MetricFamily.Value, String)])
  func writesNumbers(value: MetricFamily.Value, text: String) { #expect(PrometheusText.number(value) == text) }

  @Test func leavesOutFamiliesWithoutSamples() {
    #expect(PrometheusText.render([MetricFamily("a", .gauge, help: "h", samples: [])]).isEmpty)
  }
}
