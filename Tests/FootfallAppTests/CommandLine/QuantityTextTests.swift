import FootfallApp
import Testing

@Suite struct QuantityTextTests {
  @Test(
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567"), (.max, "9,223,372,036,854,775,807"),
    ]
      as [(Int64, String)])
  func separatesThousands(number: Int64, text: String) { #expect(QuantityText.count(number) == text) }

  @Test(
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (1 << 20, "1 MiB"), (1 << 50, "1024 TiB"),
      (.max, "8388608 TiB"),
    ] as [(Int64, String)])
  func namesBinaryUnits(number: Int64, text: String) { #expect(QuantityText.bytes(number) == text) }

  @Test(
    arguments: [
      (0, "0 s"), (1.25, "1.3 s"), (59.9, "59.9 s"), (60, "1 min"), (61, "1 min 1 s"), (3600, "1 h"),
      (11_520, "3 h 12 min"), (90_000, "1 d 1 h"), (-5, "0 s"), (.infinity, "0 s"), (.nan, "0 s"),
    ] as [(Double, String)])
  func namesTheTwoLargestUnits(seconds: Double, text: String) { #expect(QuantityText.span(seconds: seconds) == text) }

  @Test(arguments: [(0, "0 tunnels"), (1, "1 tunnel"), (2, "2 tunnels")] as [(Int64, String)])
  func countsNouns(number: Int64, text: String) { #expect(QuantityText.counted(number, "tunnel") == text) }
}
