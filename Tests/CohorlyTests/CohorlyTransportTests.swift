import Effects
import Foundation
import TestKit
import Testing

@testable import Cohorly

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CohorlyTransportTests {
  static func send(_ request: OutboundRequest) async throws -> OutboundResponse {
    try await TransportAdapter(transport: CohorlyURLSession()).send(request)
  }

  @Test func carriesRequestAndAnswer() async throws {
    let origin = try ScriptedOrigin.answering { _ in
      "HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nDate: Thu, 01 Jan 1970 00:01:00 GMT\r\nContent-Length: 2\r\n\r\nno"
    }
    let response = try await Self.send(
      OutboundRequest(
        url: "http://127.0.0.1:\(origin.port)/track",
        fields: [OutboundField("Content-Type", "application/json"), OutboundField("X-Cohorly-Token", "t")],
        body: Array("[]".utf8)))
    #expect(response.status == 429 && response.body == Array("no".utf8))
    #expect(response.retryAfterMilliseconds(nowMilliseconds: 0) == 7_000)
    let seen = try #require(origin.requests.map(SeenRequest.init).first)
    #expect(seen.path == "/track" && seen.body == "[]")
    #expect(seen.fields["content-type"] == "application/json" && seen.fields["x-cohorly-token"] == "t")
    #expect(seen.fields["content-encoding"] == nil)
  }

  @Test func saysThatNobodyListens() async throws {
    let error = await #expect(throws: TransportError.self) {
      try await Self.send(OutboundRequest(url: "\(CohorlyHarness.nowhere)/track"))
    }
    #expect(error?.code == .unreachable)
  }

  @Test(
    arguments: [
      (.badURL, .invalidRequest), (.cannotFindHost, .unresolved), (.cannotConnectToHost, .unreachable),
      (.serverCertificateUntrusted, .untrusted), (.timedOut, .timedOut), (.badServerResponse, .malformedResponse),
      (.cancelled, .cancelled), (.networkConnectionLost, .interrupted),
    ] as [(URLError.Code, TransportError.Code)])
  func namesFailures(_ code: URLError.Code, _ expected: TransportError.Code) {
    #expect(TransportAdapter.translate(URLError(code)).code == expected)
  }

  @Test func namesFailuresOfOtherTransports() {
    struct Other: Error {}
    #expect(TransportAdapter.translate(Other()).code == .interrupted)
    #expect(TransportAdapter.translate(CancellationError()).code == .cancelled)
  }
}
