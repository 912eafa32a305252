import AhoyTracker
import Effects
import Testing

/// The table of the contract, section 4.2, every row.
@Suite struct AhoyAnswerTests {
  static let tokens = VisitVectors.tokens

  static func response(_ status: Int, _ body: String = "", retryAfter: String? = nil) -> OutboundResponse {
    OutboundResponse(
      status: status, fields: retryAfter.map { [OutboundField("Retry-After", $0)] } ?? [], body: Array(body.utf8))
  }

  static func echo(_ visit: String, _ visitor: String) -> String {
    #"{"visit_token":"\#(visit)","visitor_token":"\#(visitor)","visit_id":"1","visitor_id":"2"}"#
  }

  static func visit(_ response: OutboundResponse) -> VisitVerdict {
    AhoyAnswer.judge(visit: .success(response), for: tokens)
  }

  static func events(_ response: OutboundResponse) -> EventsVerdict { AhoyAnswer.judge(events: .success(response)) }

  @Test(arguments: [200, 201, 299])
  func takesAnEchoForARegistration(_ status: Int) {
    #expect(Self.visit(Self.response(status, Self.echo(VisitVectors.visit, VisitVectors.visitor))) == .registered)
    #expect(Self.events(Self.response(status, "{}")) == .delivered)
    #expect(Self.events(Self.response(status)) == .delivered)
  }

  @Test(arguments: [
    echo(VisitVectors.visit.lowercased(), VisitVectors.visitor), echo(VisitVectors.visit, "other"),
    echo(VisitVectors.visitor, VisitVectors.visit), "", "{}", "<html>", #"{"visit_token":"a"}"#, "[]", "null",
    #"{"visit_token":1,"visitor_token":2}"#,
  ])
  func takesNothingElseForARegistration(_ body: String) {
    guard case .mismatch = Self.visit(Self.response(200, body)) else {
      Issue.record("\(body) counts as a registration")
      return
    }
  }

  @Test(arguments: [300, 301, 302, 303, 307, 308])
  func followsNoRedirect(_ status: Int) {
    var response = Self.response(status)
    response.fields.append(OutboundField("Location", "https://other.example/\u{7}"))
    let reason = "status \(status): redirected to https://other.example/?"
    #expect(Self.visit(response) == .misconfigured(reason: reason))
    #expect(Self.events(response) == .misconfigured(reason: reason))
  }

  @Test func splitsABadBatchAndRefusesABadVisit() {
    let response = Self.response(400, "Missing required parameters\n")
    let reason = "status 400: Missing required parameters"
    #expect(Self.visit(response) == .refused(reason: reason))
    #expect(Self.events(response) == .split(reason: reason))
  }

  @Test(arguments: [401, 403, 404, 405, 422, 402, 406, 409, 410, 415, 421, 431, 451])
  func keepsWhatIsMisconfigured(_ status: Int) {
    #expect(Self.visit(Self.response(status)) == .misconfigured(reason: "status \(status)"))
    #expect(Self.events(Self.response(status)) == .misconfigured(reason: "status \(status)"))
  }

  @Test(arguments: [408, 425, 429, 500, 501, 502, 503, 504, 599])
  func triesAgainWhenTheServerMayWish(_ status: Int) {
    let reason = "status \(status)"
    #expect(Self.visit(Self.response(status)) == .retry(afterMilliseconds: nil, reason: reason))
    #expect(Self.events(Self.response(status)) == .retry(afterMilliseconds: nil, reason: reason))
    let asked = Self.response(status, retryAfter: "7")
    let retry = EventsVerdict.retry(afterMilliseconds: 7000, reason: reason)
    #expect(AhoyAnswer.judge(events: .success(asked), at: VisitVectors.start) == retry)
    #expect(
      AhoyAnswer.judge(visit: .success(asked), for: Self.tokens, at: VisitVectors.start)
        == .retry(afterMilliseconds: 7000, reason: reason))
    // Without a clock the field is left to the caller.
    #expect(Self.events(asked) == .retry(afterMilliseconds: nil, reason: reason))
  }

  @Test func makesTheRequestSmallerWhenItIsTooLarge() {
    let response = Self.response(413, "Payload too large\n")
    #expect(Self.visit(response) == .tooLarge(reason: "status 413: Payload too large"))
    #expect(Self.events(response) == .split(reason: "status 413: Payload too large"))
  }

  @Test(arguments: TransportError.Code.allCases)
  func triesAgainAfterAFailureOfTheNetwork(_ code: TransportError.Code) {
    let error = TransportError(code, "why")
    let visit = AhoyAnswer.judge(visit: .failure(error), for: Self.tokens)
    let events = AhoyAnswer.judge(events: .failure(error))
    switch code {
    case .invalidRequest, .untrusted:
      #expect(visit == .misconfigured(reason: "\(code.rawValue): why"))
      #expect(events == .misconfigured(reason: "\(code.rawValue): why"))
    case .unresolved, .unreachable, .timedOut, .interrupted, .malformedResponse, .cancelled:
      #expect(visit == .retry(afterMilliseconds: nil, reason: "\(code.rawValue): why"))
      #expect(events == .retry(afterMilliseconds: nil, reason: "\(code.rawValue): why"))
    }
  }

  @Test func quotesOneShortLineOfText() {
    #expect(Self.events(Self.response(404, "<!DOCTYPE html>")) == .misconfigured(reason: "status 404"))
    let long = String(repeating: "x", count: 500) + "\nsecond"
    #expect(
      Self.events(Self.response(403, long))
        == .misconfigured(reason: "status 403: " + String(repeating: "x", count: 120)))
    #expect(Self.events(Self.response(403, "a\u{1b}[2Jb")) == .misconfigured(reason: "status 403: a?[2Jb"))
  }
}
