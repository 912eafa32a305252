import Foundation
import ProxyCore
import ProxyServer
import TestKit
import Testing

/// Interim responses and expectations (RFC 9110, sections 10.1.1 and 15.2): who waits for whom before a body.
@Suite struct ExpectationTests {
  private static let short: UInt64 = 100_000_000

  private func put(_ origin: ScriptedOrigin, _ fields: String..., version: String = "HTTP/1.1", body: String = "")
    -> String
  {
    message((["PUT \(origin.url)/ \(version)", "Content-Length: 4"] + fields).joined(separator: "\r\n"), body: body)
  }

  @Test func relaysEveryInterimResponseBeforeAndAfterTheBody() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send(
        "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\nA: 1\r\n\r\n"
          + "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 9\r\n\r\n")
      #expect(try turn.connection.read(count: 4) == Array("body".utf8))
      try turn.connection.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 199 Odd\r\nTrailer: X\r\n\r\n" + ok("done"))
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(put(origin, "Expect: 100-continue"))
    var interim = try (0..<3).map { _ in try client.readResponse() }
    try client.send("body")
    interim += try (0..<2).map { _ in try client.readResponse() }
    #expect(interim.map(\.status) == [102, 100, 103, 100, 199])
    #expect(interim[1]["A"] == "1")
    #expect(interim[2]["Link"] == "</a>")
    for response in interim {
      #expect(response["Content-Length"] == nil && response["Trailer"] == nil && response["Date"] == nil)
      #expect(response["Via"] == "1.1 footfall-test")
    }
    #expect(try client.readResponse().body == "done")
  }

  @Test(arguments: ["GET", "HEAD", "POST"])
  func relaysAContinueThatNobodyAskedFor(method: String) throws {
    let proxy = try ProxyFixture()
    let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let origin = try ScriptedOrigin.answering { _ in
      "HTTP/1.1 100 Continue\r\n\r\n" + (method == "HEAD" ? answer : answer + "1\r\nx\r\n0\r\n\r\n")
    }
    let client = try proxy.client()
    for _ in 0..<2 {
      try client.send(message("\(method) \(origin.url)/ HTTP/1.1"))
      #expect(try client.readResponse().status == 100)
      let response = try client.readResponse(toHEAD: method == "HEAD")
      #expect(response.status == 200)
      #expect(response.body == (method == "HEAD" ? "" : "1\r\nx\r\n0\r\n\r\n"))
    }
    #expect(origin.connections == 1)
  }

  @Test func answers502IfNothingFollowsAnInterimResponse() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send("HTTP/1.1 103 Early Hints\r\n\r\n")
    }
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(try client.readResponse().status == 103)
    let response = try client.readResponse()
    #expect(response.status == 502)
    #expect(response.body.contains("response_incomplete"))
  }

  @Test func saysContinueItselfWhenTheOriginSaysNothing() throws {
    let proxy = try ProxyFixture { $0.timeouts.expectation = Self.short }
    let origin = try ScriptedOrigin { turn in
      // Knows no expectations: it waits for the body.
      let request = try turn.readRequest()
      #expect(request.contains("\r\nExpect: 100-continue\r\n"))
      try turn.connection.send("HTTP/1.1 100 Continue\r\nLate: 1\r\n\r\n" + ok("done"))
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(put(origin, "Expect: 100-continue"))
    #expect(try client.readResponse().head == ["HTTP/1.1 100 Continue"])
    try client.send("body")
    #expect(try client.readResponse()["Late"] == "1")
    #expect(try client.readResponse().body == "done")
  }

  @Test func saysNothingToAClientThatDoesNotWait() throws {
    let proxy = try ProxyFixture { $0.timeouts.expectation = 1 }
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      usleep(50_000)
      try turn.connection.send(ok("done"))
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(put(origin, "Expect: 100-continue", body: "body"))
    #expect(try client.readResponse().body == "done")
  }

  @Test func endsAnUploadThatNeverComes() throws {
    let proxy = try ProxyFixture {
      $0.timeouts.expectation = Self.short
      $0.timeouts.read = 400_000_000
    }
    let origin = try ScriptedOrigin { turn in _ = try turn.connection.readToEnd() }
    let client = try proxy.client()
    try client.send(put(origin, "Expect: 100-continue"))
    #expect(try client.readResponse().status == 100)
    let response = try client.readResponse()
    #expect(response.status == 408)
    #expect(response["Connection"] == "close")
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
  }

  @Test func passesOneOfTwoExpectationsOn() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("done") }
    let client = try proxy.client()
    try client.send(put(origin, "Expect: 100-continue", "Expect: 100-continue", body: "body"))
    #expect(try client.readResponse().body == "done")
    #expect(try #require(origin.requests.first).components(separatedBy: "Expect").count == 2)
  }

  @Test(arguments: ["200-ok", "100-continue, 100-continue", "100-continue; x", ""])
  func answers417ToWhatItDoesNotKnow(value: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("no") }
    let client = try proxy.client()
    try client.send(put(origin, "Expect: \(value)"))
    let response = try client.readResponse()
    #expect(response.status == 417)
    #expect(response["Connection"] == "close")
    #expect(origin.connections == 0)
  }

  @Test(arguments: ["100-continue", "200-ok"])
  func ignoresTheExpectationOfAClientOfHTTP10(value: String) throws {
    let proxy = try ProxyFixture { $0.timeouts.expectation = 1 }
    let origin = try ScriptedOrigin.answering { _ in "HTTP/1.1 100 Continue\r\n\r\n" + ok("done") }
    let client = try proxy.client()
    try client.send(put(origin, "Expect: \(value)", version: "HTTP/1.0", body: "body"))
    let text = try client.readTextToEnd()
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("\r\n\r\ndone"))
    #expect(try #require(origin.requests.first).contains("Expect") == false)
  }
}
