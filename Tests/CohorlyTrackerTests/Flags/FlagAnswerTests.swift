import Effects
import Testing

@testable import CohorlyTracker

/// What counts as a success of `POST /flags/evaluate`, and the reason of everything else.
@Suite struct FlagAnswerTests {
  static func parse(_ text: String, status: Int = 200) -> FlagAnswer {
    .parse(status: status, body: FlagVectors.bytes(text))
  }

  @Test(arguments: [200, 201, 299]) func readsTheFlags(_ status: Int) throws {
    guard case .evaluated(let evaluated) = Self.parse(#"{"flags":\#(FlagVectors.map())}"#, status: status) else {
      Issue.record("not evaluated")
      return
    }
    #expect(evaluated.flags == FlagVectors.flags)
    #expect(JSONWriter.text(.object(evaluated.received)) == FlagVectors.map())
  }

  @Test func readsNoFlagsAndFlagsWithLessInThem() {
    #expect(Self.flags(of: Self.parse(#"{"flags":{}}"#)) == [:])
    #expect(
      Self.flags(of: Self.parse(#"{"status":1,"flags":{"a":{"enabled":false},"":{"enabled":true,"payload":[0]}}}"#))
        == ["a": Flag(isEnabled: false), "": Flag(isEnabled: true, payload: [0])])
  }

  /// Two spellings that `String` holds equal: one of them is taken, and nothing traps.
  @Test func survivesNamesThatLookTheSame() {
    let answer = Self.parse("{\"flags\":{\"\u{e9}\":{\"enabled\":true},\"e\u{301}\":{\"enabled\":false}}}")
    #expect(Self.flags(of: answer)?.count == 1)
  }

  @Test(arguments: [
    ("", "no JSON"), ("null", "no flags"), (#""not-an-object""#, "no flags"), ("[]", "no flags"), ("{}", "no flags"),
    (#"{"flags":null}"#, "no object"), (#"{"flags":[]}"#, "no object"), (#"{"flags":"x"}"#, "no object"),
    (#"{"flags":{"a":true}}"#, "'a' is no object"), (#"{"flags":{"a":null}}"#, "'a' is no object"),
    (#"{"flags":{"a":{}}}"#, "'a' does not say"), (#"{"flags":{"a":{"enabled":1}}}"#, "'a' does not say"),
    (#"{"flags":{"a":{"enabled":true,"variant":false}}}"#, "'a' has a variant"),
    (#"{"flags":{"good":{"enabled":true},"bad\n":{"enabled":null}}}"#, "'bad?' does not say"),
    (#"{"flags":{"a":{"enabled":true},"a":{"enabled":false}}}"#, "no JSON"),
    (#"{"flags":{"a":{"enabled":true}}"#, "no JSON"), (#"{"flags":{"a":{"enabled":true}}} x"#, "no JSON"),
  ])
  func refusesWhatIsNotAllOfIt(_ text: String, _ words: String) throws {
    let reason = try #require(Self.reason(of: Self.parse(text)))
    #expect(reason.hasPrefix("status 200, but "))
    #expect(reason.contains(words), "\(reason)")
  }

  @Test(arguments: [
    (401, #"{"status":0,"error":"invalid token"}"#, "status 401: invalid token"), (429, "", "status 429"),
    (503, "<html>", "status 503"), (500, #"{"error":7}"#, "status 500"), (302, #"{"flags":{}}"#, "status 302"),
    (400, "{\"error\":\"a\\u0000\\u001b[2J\u{e9}\"}", "status 400: a??[2J?"), (304, #"{"flags":{}}"#, "status 304"),
  ])
  func namesTheStatusOfARefusal(_ status: Int, _ text: String, _ reason: String) {
    #expect(Self.parse(text, status: status) == .failed(reason: reason))
  }

  @Test func keepsReasonsShort() throws {
    let long = String(repeating: "x", count: 5000)
    let answers = [
      Self.parse(#"{"error":"\#(long)"}"#, status: 500), Self.parse(#"{"flags":{"\#(long)":1}}"#), Self.parse(long),
    ]
    for answer in answers { #expect(try #require(Self.reason(of: answer)).utf8.count < 250) }
  }

  @Test func namesWhyNoAnswerCame() {
    #expect(
      FlagAnswer.parse(.failure(TransportError(.timedOut, "30 s"))) == .failed(reason: "timed_out: 30 s"))
    let response = OutboundResponse(status: 200, body: FlagVectors.bytes(#"{"flags":\#(FlagVectors.map())}"#))
    #expect(FlagAnswer.parse(.success(response)) == FlagVectors.answer())
  }

  /// A cut anywhere is a failure, never a part of the flags.
  @Test func takesNoPartOfAnAnswer() {
    let whole = FlagVectors.bytes(#"{"flags":\#(FlagVectors.map())}"#)
    for length in whole.indices {
      #expect(Self.reason(of: .parse(status: 200, body: Array(whole[..<length]))) != nil)
    }
  }

  static func flags(of answer: FlagAnswer) -> [String: Flag]? {
    if case .evaluated(let evaluated) = answer { return evaluated.flags }
    return nil
  }

  static func reason(of answer: FlagAnswer) -> String? {
    if case .failed(let reason) = answer { return reason }
    return nil
  }
}
