import Effects
import Foundation
import ProxyCore
import Testing

@testable import Recording

/// A record with every member set.
func fullRecord() -> ExchangeRecord {
  var record = ExchangeRecord()
  record.startedAtMilliseconds = 1_795_937_155_123
  record.mode = .forward
  record.method = "GET"
  record.url = "http://api.example.com:80/v1/items"
  record.status = 200
  record.errorCode = "upstream-timeout"
  record.durationMicroseconds = 1_234_567
  record.connectMicroseconds = 89
  record.firstByteMicroseconds = 1_000_000
  record.requestBytes = 312
  record.responseBytes = 1 << 40
  record.reusedConnection = true
  record.rules = ["api", "v1"]
  record.injected = ["x-visitor-id"]
  record.visitorID = "0b8e0d60-5d2f-4a06-9a3a-2f3f5c9a1b11"
  return record
}

@Suite struct ExchangeEventTests {
  private let id = "019ad3f0-0000-7000-8000-000000000001"

  private func text(_ record: ExchangeRecord) -> String {
    String(decoding: ExchangeEvent(id: id, record: record).json, as: UTF8.self)
  }

  @Test func writesEveryMember() {
    #expect(
      text(fullRecord())
        == #"{"event":"proxy.request","id":"019ad3f0-0000-7000-8000-000000000001","#
        + #""time":"2026-11-29T07:25:55.123Z","mode":"forward","method":"GET","#
        + #""url":"http://api.example.com:80/v1/items","status":200,"requestBytes":312,"#
        + #""responseBytes":1099511627776,"durationMs":1234.567,"connectMs":0.089,"firstByteMs":1000.000,"#
        + #""reusedConnection":true,"rules":["api","v1"],"injected":["x-visitor-id"],"#
        + #""visitorID":"0b8e0d60-5d2f-4a06-9a3a-2f3f5c9a1b11","error":"upstream-timeout"}"#)
  }

  @Test func leavesOutWhatThereIsNot() {
    #expect(
      text(ExchangeRecord())
        == #"{"event":"proxy.request","id":"019ad3f0-0000-7000-8000-000000000001","#
        + #""time":"1970-01-01T00:00:00.000Z","mode":"forward","method":"","url":"","status":null,"#
        + #""requestBytes":0,"responseBytes":0,"durationMs":0.000,"reusedConnection":false,"rules":[],"injected":[]}"#)
  }

  /// The encoder by hand and the writer of JSON trees must agree on every string.
  @Test func escapesAsTheJSONWriterDoes() {
    var strings = (0..<0x180).compactMap { Unicode.Scalar($0).map { "a\($0)b" } }
    strings += ["\u{2027}\u{2028}\u{2029}\u{202a}", "\"\\\n\r\t", "é€😀", "\u{fffd}", "e\u{301}", "", "\u{10ffff}"]
    for string in strings {
      var record = ExchangeRecord()
      record.url = string
      record.rules = [string, string]
      let expected = JSONWriter.text(.string(string))
      #expect(text(record).contains(#""url":\#(expected),"status""#))
      #expect(text(record).contains(#""rules":[\#(expected),\#(expected)]"#))
      #expect(!ExchangeEvent(id: id, record: record).json.contains(10))
    }
  }

  @Test func isReadByOtherReaders() throws {
    var record = fullRecord()
    record.url = "http://h/\u{1}\u{7f}\"\\é\u{2028}😀"
    let object =
      try JSONSerialization.jsonObject(with: Data(ExchangeEvent(id: id, record: record).json)) as? [String: Any]
    #expect(object?["url"] as? String == record.url)
    #expect(object?["status"] as? Int == 200)
    #expect(object?["durationMs"] as? Double == 1234.567)
  }

  @Test func readsBackWhatItWrote() throws {
    #expect(
      try ExchangeEvent(json: ExchangeEvent(id: id, record: fullRecord()).json)
        == ExchangeEvent(id: id, record: fullRecord()))
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      var record = fullRecord()
      record.mode = [.forward, .tunnel, .local].randomElement(using: &generator) ?? .forward
      record.startedAtMilliseconds = Int64.random(in: 0...4_000_000_000_000, using: &generator)
      record.durationMicroseconds = Int64.random(in: 0...1 << 50, using: &generator)
      record.connectMicroseconds = Bool.random() ? nil : Int64.random(in: 0...1 << 40, using: &generator)
      record.firstByteMicroseconds = Bool.random() ? nil : 0
      record.visitorID = Bool.random() ? nil : "v"
      record.errorCode = Bool.random() ? nil : "e"
      record.status = Int.random(in: 0...599, using: &generator)
      #expect(
        try ExchangeEvent(json: ExchangeEvent(id: id, record: record).json) == ExchangeEvent(id: id, record: record))
    }
  }

  @Test(arguments: [
    "", "{", "[]", "1", #"{"event":"other"}"#, #"{"event":"proxy.request"}"#,
    #"{"event":"proxy.request","id":"a","time":"yesterday","mode":"forward","method":"GET","url":""}"#,
    #"{"event":"proxy.request","id":"a","time":"1970-01-01T00:00:00.000Z","mode":"sideways","method":"","url":""}"#,
    #"{"event":"proxy.request","id":7,"time":"1970-01-01T00:00:00.000Z","mode":"local","method":"","url":""}"#,
  ])
  func refusesWhatIsNotOurs(json: String) {
    #expect(throws: ExchangeEvent.Fault.self) { _ = try ExchangeEvent(json: Array(json.utf8)) }
  }

  @Test func survivesNumbersOfAnySize() throws {
    let event = try ExchangeEvent(
      json: Array(
        (#"{"event":"proxy.request","id":"a","time":"1970-01-01T00:00:00.000Z","mode":"local","method":"","url":"","#
          + #""status":9223372036854775807,"durationMs":1e300,"connectMs":9223372036854775807,"new":{"x":[1]}}"#).utf8))
    #expect(event.record.durationMicroseconds == 0)
    #expect(event.record.connectMicroseconds == nil)
  }

  @Test(
    arguments: [
      (Int64.min, "0.000"), (-1, "0.000"), (0, "0.000"), (1, "0.001"), (999, "0.999"), (1000, "1.000"),
      (Int64.max, "9223372036854775.807"),
    ] as [(Int64, String)])
  func writesDurationsWithThreeDecimals(microseconds: Int64, expected: String) {
    var record = ExchangeRecord()
    record.durationMicroseconds = microseconds
    #expect(text(record).contains(#""durationMs":\#(expected),"#))
  }

  @Test func writesNumbersToTheirEnds() {
    var record = ExchangeRecord()
    record.requestBytes = .min
    record.responseBytes = .max
    #expect(text(record).contains(#""requestBytes":-9223372036854775808,"responseBytes":9223372036854775807"#))
  }
}
