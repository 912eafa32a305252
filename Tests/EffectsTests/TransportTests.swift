import Testing

@testable import Effects

@Suite struct TransportTests {
  private let response = OutboundResponse(
    status: 503, fields: [OutboundField("Retry-After", "7"), OutboundField("X", "a"), OutboundField("x", "b")])

  @Test(arguments: [("retry-after", "7"), ("RETRY-AFTER", "7"), ("x", "a"), ("retry", nil)] as [(String, String?)])
  func findsTheFirstFieldWhateverItsCase(name: String, expected: String?) {
    #expect(response.field(name) == expected)
  }

  @Test func namesItsCodesForMetrics() {
    #expect(
      TransportError.Code.allCases.map(\.rawValue) == [
        "invalid_request", "unresolved", "unreachable", "untrusted", "timed_out", "interrupted", "malformed_response",
        "cancelled",
      ])
    #expect(TransportError(.timedOut, "after 3 s").description == "timed_out: after 3 s")
    #expect(!TransportError(.timedOut, "").mayHaveArrived)
  }
}
