import RuleEngines
import Testing

@Suite struct IDNA2008HostNameEncoderTests {
  @Test(arguments: [
    ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
    ("faß.de", "xn--fa-hia.de"), ("日本語.jp", "xn--wgv71a119e.jp"), ("bu\u{308}cher.example", "xn--bcher-kva.example"),
    ("api。example。com", "api.example.com"), ("ａpi.example.com", "api.example.com"),
  ])
  func makesALabels(_ host: String, _ ascii: String) {
    #expect(IDNA2008HostNameEncoder().asciiHost(host) == ascii)
  }

  @Test(arguments: [
    "", "\u{200d}.example", "a\u{0}b.example", "ü/x", "a＠b.example", "xn--\u{fc}.example", "-ü.example",
    String(repeating: "ü", count: 64) + ".example",
  ])
  func refusesWhatIsNoHost(_ host: String) {
    #expect(IDNA2008HostNameEncoder().asciiHost(host) == nil)
  }
}
