import HTTPWire
import TestKit
import Testing

@Suite struct TrailerSectionTests {
  @Test func forwardsOrdinaryTrailersAtEveryCut() throws {
    let text = "3¶abc¶0¶X-Checksum:\t1 ¶grpc-status: 0¶Server-Timing: a¶Content-Digest: sha-256=:x:¶¶"
    for pieces in SplitFeeder.pieces(of: message(text)) {
      let run = try ChunkedRun(pieces)
      #expect(run.output == message(text))
      #expect(run.isFinished)
    }
  }

  static let dropped = [
    "Content-Length: 100", "content-length: 0", "Transfer-Encoding: chunked", "Trailer: X", "Host: other",
    "Connection: close", "Keep-Alive: x", "Upgrade: h2c", "TE: trailers", "Proxy-Connection: close",
    "Proxy-Authorization: x", "Proxy: x", "HTTP2-Settings: x", "Authorization: x", "WWW-Authenticate: x",
    "Cookie: a=b", "Set-Cookie: a=b", "Content-Type: text/html", "Content-Encoding: gzip", "Content-Range: bytes 0-1/2",
    "Cache-Control: no-store", "Expect: 100-continue", "Max-Forwards: 0", "Pragma: x", "Range: bytes=0-", "Age: 1",
    "Expires: 0", "Date: x", "Location: /", "Retry-After: 1", "Vary: *", "Warning: x", "If-Match: *",
    "If-None-Match: x", "Via: 1.1 x", "Forwarded: for=x", "X-Forwarded-For: 1.2.3.4", "X-Forwarded_Host: h",
    "Content_Length: 5", "transfer_encoding: chunked", "Set_Cookie: a=b", "X-HTTP-Method-Override: DELETE",
  ]

  @Test(arguments: dropped) func dropsTrailersThatMustNotReachAHead(line: String) throws {
    let text = "3¶abc¶0¶Before: 1¶\(line)¶After: 2¶¶"
    for pieces in SplitFeeder.pieces(of: message(text)) {
      #expect(try ChunkedRun(pieces).output == message("3¶abc¶0¶Before: 1¶After: 2¶¶"))
    }
    #expect(try ChunkedRun("0¶\(line)¶¶").sent == "0\r\n\r\n")
  }

  @Test(arguments: ["X-Visitor-Id", "x-visitor-id", "X_Visitor_ID", "x-visitor_id"])
  func dropsNamesTheCallerGives(name: String) throws {
    let run = try ChunkedRun("0¶\(name): spoof¶X-Visitor-Idx: kept¶¶", dropping: ["x-visitor-id", "other"])
    #expect(run.sent == "0\r\nX-Visitor-Idx: kept\r\n\r\n")
  }

  @Test func holdsCallerNamesWithUnderscoresToo() throws {
    #expect(try ChunkedRun("0¶A_B: 1¶A-B: 2¶¶", dropping: ["a_b"]).sent == "0\r\n\r\n")
  }

  @Test func sendsNoTrailersToAnOlderReceiver() throws {
    #expect(try ChunkedRun("1¶a¶0¶X: y¶¶", output: .decoded).sent == "a")
  }

  @Test func boundsTheSection() throws {
    let limits = ChunkLimits(trailers: 32)
    let fits = String(repeating: "a", count: 32 - 3 - 4)
    #expect(try ChunkedRun("0¶X: \(fits)¶¶", limits: limits).isFinished)
    #expect(try ChunkedRun("0¶X: \(fits)a¶¶", limits: limits).fault == .trailerTooLarge)
    #expect(try ChunkedRun("0¶X: 1¶X: 2¶X: 3¶X: 4¶X: 5¶¶", limits: limits).isFinished)
    #expect(try ChunkedRun("0¶X: 1¶X: 2¶X: 3¶X: 4¶X: 5¶X¶", limits: limits).fault == .trailerTooLarge)
    #expect(try ChunkedRun("0¶" + String(repeating: "X: y¶", count: 100) + "¶").isFinished)
    #expect(try ChunkedRun("0¶" + String(repeating: "X: y¶", count: 101) + "¶").fault == .trailerTooLarge)
    #expect(try ChunkedRun("0¶X: " + String(repeating: "a", count: 16384)).fault == .trailerTooLarge)
    #expect(try ChunkedRun("0¶X", limits: ChunkLimits(trailers: 0)).fault == .trailerTooLarge)
    #expect(try ChunkedRun("0¶¶", limits: ChunkLimits(trailers: 0)).isFinished)
  }
}
