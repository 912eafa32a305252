import Effects
import ProxyConfiguration
import TestKit
import Testing

@testable import FootfallApp

@Suite struct ServiceLogTests {
  private typealias Level = Configuration.Log.Level

  private func log(_ level: Configuration.Log.Level = .debug) -> (ServiceLog, KeptLines) {
    let kept = KeptLines()
    return (ServiceLog(level: level, clock: ManualClock()) { kept.add($0) }, kept)
  }

  private func writeOneOfEach(_ log: ServiceLog) {
    log.error("e")
    log.warning("w")
    log.info("i")
    log.debug("d")
  }

  @Test func startsWithTheMomentAndTheLevel() {
    let (log, kept) = log()
    log.info("the proxy listens", ["address": "127.0.0.1:8080", "workers": "2"])
    #expect(kept.lines == ["2023-11-14T22:13:20.000Z info the proxy listens address=127.0.0.1:8080 workers=2"])
  }

  @Test(
    arguments: [
      (.error, ["error e"]), (.warning, ["error e", "warning w"]), (.info, ["error e", "warning w", "info i"]),
      (.debug, ["error e", "warning w", "info i", "debug d"]),
    ] as [(Configuration.Log.Level, [String])])
  func writesWhatIsSevereEnough(_ level: Configuration.Log.Level, _ expected: [String]) {
    let (log, kept) = log(level)
    writeOneOfEach(log)
    #expect(kept.lines.map { String($0.dropFirst(25)) } == expected)
  }

  @Test func changesItsLevelWhileItRuns() {
    let (log, kept) = log(.error)
    log.setLevel(.debug)
    writeOneOfEach(log)
    log.setLevel(.error)
    writeOneOfEach(log)
    #expect(kept.lines.count == 5)
  }

  @Test(
    arguments: [
      ("plain-1.2:3/x", "plain-1.2:3/x"), ("", #""""#), ("two words", #""two words""#), (#"a"b"#, #""a\"b""#),
      ("a=b", #""a=b""#), ("tab\there", #""tab\there""#), ("line\nend", #""line\nend""#), ("cr\rhere", #""cr\rhere""#),
      ("é", #""é""#), ("\u{1b}[31m", #""\u001b[31m""#), ("\u{7f}", #""\u007f""#), ("\u{9b}31m", #""\u009b31m""#),
      ("\u{202e}x", #""\u202ex""#), ("\u{2028}", #""\u2028""#), ("\u{0}", #""\u0000""#),
    ])
  func quotesWhatIsNotPlain(_ value: String, _ expected: String) {
    let (log, kept) = log()
    log.info("m", ["name": value])
    #expect(kept.lines == ["2023-11-14T22:13:20.000Z info m name=\(expected)"])
  }

  @Test func isOneLineWhateverTheValuesHold() throws {
    let (log, kept) = log()
    let all = String(String.UnicodeScalarView((0..<UInt32(0x2100)).compactMap { Unicode.Scalar($0) }))
    log.error("m", ["first": all, "second": "\n2023-11-14T22:13:20.000Z info forged"])
    let line = try #require(kept.lines.first)
    #expect(kept.lines.count == 1)
    #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) })
    #expect(!line.unicodeScalars.contains { ["\u{2028}", "\u{2029}", "\u{202e}", "\u{200f}"].contains($0) })
    // A reader of quoted values gets back what was there.
    let quoted = try #require(line.split(separator: "first=", maxSplits: 1).last?.split(separator: " second=").first)
    #expect(try JSONReader().value(Array(quoted.utf8)).string == all)
  }
}
