import Effects
import ProxyConfiguration
import ProxyCore
import Testing

@Suite struct TunnelPortListTests {
  private func load(_ json: String) -> LoadedConfiguration {
    let text = #"{"proxy":{"tunnelPorts":\#(json)},"rules":[]}"#
    return ConfigurationLoader.forTests.load(Array(text.utf8), file: "f")
  }

  @Test(
    arguments: [
      (#""usual""#, .usual), (#""any""#, .any), ("[443]", .only([443...443])),
      (#"[443,"8000-8999","22"]"#, .only([443...443, 8000...8999, 22...22])),
      ("[1,65535]", .only([1...1, 65535...65535])),
    ] as [(String, TunnelPorts)])
  func readsWordsPortsAndRanges(_ json: String, _ expected: TunnelPorts) {
    let loaded = load(json)
    #expect(loaded.issues.isEmpty)
    #expect(loaded.configuration?.proxy.tunnelPorts == expected)
  }

  @Test(arguments: [
    (#""ani""#, "unknown-choice", "did you mean \"any\"?"), (#""443""#, "wrong-type", "write [443]"),
    (#""1-2""#, "wrong-type", "write [\"1-2\"]"), (#""web""#, "unknown-choice", "a list such as"),
    ("443", "wrong-type", "such as [443"), ("[]", "list-length", ""), ("[0]", "out-of-range", "1 to 65535"),
    ("[65536]", "out-of-range", "1 to 65535"), (#"["65536"]"#, "invalid-port", "such as"),
    (#"["0-5"]"#, "invalid-port", "such as"), (#"["9-8"]"#, "invalid-port", "swap"),
    (#"["1-2-3"]"#, "invalid-port", ""),
    (#"["-5"]"#, "invalid-port", ""), (#"["http"]"#, "invalid-port", "such as 443"),
    ("[443,443]", "duplicate-element", ""),
    (#"[443,"443"]"#, "duplicate-element", ""), ("null", "wrong-type", ""),
  ])
  func saysWhatIsWrong(_ json: String, _ code: String, _ hint: String) throws {
    let loaded = load(json)
    let issue = try #require(loaded.issues.first)
    #expect(loaded.issues.count == 1)
    #expect(issue.code.rawValue == code)
    #expect(issue.hint.contains(hint), "\(issue.hint)")
    #expect(loaded.configuration == nil)
  }
}
