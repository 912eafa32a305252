import ProxyCore
import Testing

@testable import Recording

@Suite struct EventTableTests {
  @Test func showsAnEventOnOneLine() {
    #expect(
      EventTable.line(ExchangeEvent(id: "a", record: fullRecord()))
        == "2026-11-29T07:25:55.123Z  200     GET      1234 ms   http://api.example.com:80/v1/items"
        + "  (rules: api, v1; injected: x-visitor-id; error: upstream-timeout)")
  }

  @Test func showsAnEventWithoutAnswer() {
    var record = ExchangeRecord()
    record.method = "CONNECT"
    record.url = "h:443"
    #expect(
      EventTable.line(ExchangeEvent(id: "a", record: record))
        == "1970-01-01T00:00:00.000Z  -       CONNECT  0.0 ms    h:443")
  }

  @Test func showsThatThereIsNoURL() {
    var record = ExchangeRecord()
    record.status = 400
    #expect(EventTable.line(ExchangeEvent(id: "a", record: record)).hasSuffix("0.0 ms    -"))
  }

  @Test func alignsItsHeader() {
    let line = EventTable.line(ExchangeEvent(id: "a", record: fullRecord()))
    for (title, value) in [("STATUS", "200"), ("METHOD", "GET"), ("DURATION", "1234 ms"), ("URL", "http:")] {
      #expect(
        EventTable.header.ranges(of: title).first?.lowerBound.utf16Offset(in: EventTable.header)
          == line.ranges(of: value).first?.lowerBound.utf16Offset(in: line))
    }
  }

  @Test(
    arguments: [
      (0, "0.0 ms"), (99_999, "99.9 ms"), (100_000, "100 ms"), (9_999_999, "9999 ms"), (10_000_000, "10 s"),
      (Int64.max, "9223372036854 s"), (-5, "0.0 ms"),
    ] as [(Int64, String)])
  func choosesTheUnitOfADuration(microseconds: Int64, expected: String) {
    var record = ExchangeRecord()
    record.durationMicroseconds = microseconds
    #expect(EventTable.line(ExchangeEvent(id: "a", record: record)).contains("  " + expected))
  }

  @Test func letsNothingThroughThatATerminalObeys() {
    var record = fullRecord()
    let hostile = "\u{1b}]0;title\u{7}\r\n\u{9b}2J\u{202e}evil\u{200b}\u{2066}\u{7f}\u{0}\u{e0041}\u{feff}"
    record.url = "http://h/" + hostile
    record.method = hostile
    record.rules = [hostile]
    record.injected = [hostile]
    record.errorCode = hostile
    for line in [
      EventTable.line(ExchangeEvent(id: hostile, record: record)),
      EventTable.line(unreadable: hostile, ExchangeEvent.Fault(description: hostile)),
    ] {
      for scalar in line.unicodeScalars {
        #expect(![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory))
      }
      #expect(line.contains("]0;title"), "what is harmless stays readable")
    }
  }

  @Test(arguments: ["plain", "é€😀", "e\u{301}", "日本語", "❤\u{fe0f}", ""])
  func leavesOrdinaryTextAlone(text: String) {
    #expect(TerminalText.printable(text) == text)
  }

  @Test(arguments: ["\u{115f}", "\u{3164}", "\u{ad}", "\u{2028}", "\u{e000}", "\u{378}", "\u{85}", "\t"])
  func marksWhatCannotBeSeen(text: String) {
    #expect(TerminalText.printable("a" + text + "b") == "a\u{fffd}b")
  }

  @Test func namesEventsOfOtherKinds() {
    let tracked = TrackedEvent.json(
      name: "proxy.request\u{1b}", id: "a", timeMilliseconds: 0, properties: [], members: [])
    #expect(EventTable.line(other: tracked) == "1970-01-01T00:00:00.000Z  proxy.request\u{fffd}  (track)")
    #expect(EventTable.line(other: ExchangeEvent(id: "a", record: fullRecord()).json) == nil)
    #expect(EventTable.line(other: Array("{".utf8)) == nil)
  }
}
