import CohorlyTracker
import Effects
import EventPipeline
import Testing

@Suite struct CohorlyAnswerTests {
  static func judge(_ status: Int, _ body: String = "") -> DeliveryVerdict {
    CohorlyAnswer.judge(.success(OutboundResponse(status: status, body: Array(body.utf8))))
  }

  @Test func row39_killsWhatIsRefused() {
    #expect(Self.judge(400, "too many") == .dead(reason: "status 400: too many"))
  }
  @Test func row43_keepsEverythingForAWrongToken() {
    #expect(Self.judge(401) == .misconfigured(reason: "status 401"))
  }
  @Test func row41_makesSmallerRequests() { #expect(Self.judge(413) == .tooLarge(reason: "status 413")) }

  @Test(arguments: [200, 201, 202, 204, 299]) func takesAnySuccessForOne(status: Int) {
    #expect(Self.judge(status, "whatever") == .delivered)
  }

  @Test(arguments: [301, 302, 307, 402, 403, 404, 405, 408, 410, 422, 425, 429, 451, 500, 502, 503, 504, 599])
  func keepsWhateverElseIsAnswered(status: Int) {
    #expect(Self.judge(status) == .retry(afterMilliseconds: nil, reason: "status \(status)"))
  }

  @Test(arguments: TransportError.Code.allCases) func keepsWhatIsNotAnswered(code: TransportError.Code) {
    let error = TransportError(code, "away")
    let verdict = CohorlyAnswer.judge(.failure(error))
    switch code {
    case .invalidRequest, .untrusted: #expect(verdict == .misconfigured(reason: "\(error)"))
    default: #expect(verdict == .retry(afterMilliseconds: nil, reason: "\(error)"))
    }
  }

  static func refusals(_ body: String, status: Int = 200) -> [String] {
    CohorlyAnswer.refusals(OutboundResponse(status: status, body: Array(body.utf8)))
  }

  @Test func row58_tellsWhatWasRefused() {
    let body =
      #"{"status":0,"error":"no","applied":1,"refused":[{"index":0,"op":"$unset"},{"index":2,"op":"$delete"}]}"#
    #expect(Self.refusals(body) == ["$unset refused: no", "$delete refused: no"])
    #expect(Self.refusals(#"{"status":0,"refused":[{}]}"#) == ["an operation refused"])
    #expect(Self.refusals(#"{"status":0,"error":"no\nmore"}"#) == ["the server reports a failure: no"])
  }

  @Test(arguments: [
    "", "{", "[]", "null", #"{"status":1}"#, #"{"status":1,"refused":[{"op":"$unset"}]}"#, #"{"status":"0"}"#,
  ])
  func tellsOfNoRefusal(body: String) { #expect(Self.refusals(body).isEmpty) }

  @Test func tellsOfNoRefusalInAFailure() { #expect(Self.refusals(#"{"status":0}"#, status: 401).isEmpty) }
}
