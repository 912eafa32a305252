import Foundation
import ProxyCore
import ProxyServer
import TestKit
import Testing

/// Final answers before the end of the request (RFC 9110, section 10.1.1; RFC 9112, sections 9.3 and 9.6): the answer
/// arrives whole, and the rest of the body is never taken for a request.
@Suite struct EarlyAnswerTests {
  private static let refusal = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"

  /// Answers each connection's first head at once, and reads on.
  private func refusing(_ answer: String = refusal) throws -> ScriptedOrigin {
    try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send(answer)
      _ = try turn.connection.readToEnd()
    }
  }

  @Test func keepsTheConnectionWhenLittleIsLeftOfTheRequest() throws {
    let proxy = try ProxyFixture()
    let origin = try refusing()
    let good = try ScriptedOrigin.answering { _ in ok("fine") }
    let client = try proxy.client()
    let body = message("GET \(good.url)/smuggled HTTP/1.1")
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: \(body.utf8.count)"))
    let response = try client.readResponse()
    #expect(response.status == 401)
    #expect(response.body == "no")
    #expect(response["Connection"] == nil)
    // The body looks like a request, and is none; the request behind it is one.
    try client.sendSlowly(body)
    try client.send(message("GET \(good.url)/next HTTP/1.1"))
    #expect(try client.readResponse().body == "fine")
    #expect(good.requests.count == 1)
    #expect(good.requests.first?.hasPrefix("GET /next ") == true)
    #expect(proxy.waits { $0.upstreamsOpen == 1 })
  }

  @Test func servesTheRequestThatIsAlreadyBehindTheRest() throws {
    let proxy = try ProxyFixture()
    let origin = try refusing()
    let good = try ScriptedOrigin.answering { _ in ok("fine") }
    let client = try proxy.client()
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 5000", body: "begun"))
    #expect(try client.readResponse().status == 401)
    let next = message("GET \(good.url)/ HTTP/1.1")
    try client.send(String(repeating: "b", count: 4995) + next + next)
    #expect(try client.readResponse().body == "fine")
    #expect(try client.readResponse().body == "fine")
  }

  @Test(arguments: ["Content-Length: 100000", "Transfer-Encoding: chunked"])
  func saysThatItClosesWhenMuchOrWhoKnowsHowMuchIsLeft(framing: String) throws {
    let proxy = try ProxyFixture()
    let origin = try refusing()
    let client = try proxy.client()
    try client.send(message("POST \(origin.url)/ HTTP/1.1", framing))
    let response = try client.readResponse()
    #expect(response.body == "no")
    #expect(response["Connection"] == "close")
    // What still comes is read, and answered by nothing.
    try client.send("5\r\nhello\r\n0\r\n\r\n" + message("GET \(origin.url)/ HTTP/1.1"))
    #expect(try client.readToEnd() == [])
    #expect(origin.connections == 1)
    client.close()
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 })
  }

  @Test func closesWhenTheRestDoesNotCome() throws {
    // Long enough for an origin on a busy machine.
    let proxy = try ProxyFixture { $0.timeouts.read = 1_500_000_000 }
    let origin = try refusing()
    let client = try proxy.client()
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 9", body: "part"))
    #expect(try client.readResponse().status == 401)
    #expect(try client.readTextToEnd() == "")
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 })
  }

  @Test func keepsBothConnectionsWhenTheRestComesDuringTheAnswer() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let echo = String(decoding: try turn.connection.read(count: 5), as: UTF8.self)
      try turn.connection.send("5\r\n\(echo)\r\n0\r\n\r\n")
      _ = try turn.readRequest()
      try turn.connection.send(ok("again"))
    }
    let client = try proxy.client()
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 5"))
    #expect(try client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
    try client.send("hello")
    #expect(try client.read(until: "0\r\n\r\n") == "5\r\nhello\r\n0\r\n\r\n")
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(try client.readResponse().body == "again")
    #expect(origin.connections == 1)
  }

  @Test func deliversTheAnswerOfAnOriginThatTakesNoMore() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(ok("first"))
      _ = try turn.readHead()
      try turn.connection.send(
        "HTTP/1.1 413 Content Too Large\r\nContent-Length: 7\r\nConnection: close\r\n\r\ntoo big")
      // Closes on unread bytes: the proxy's next send to this pooled connection fails.
    }
    for _ in 0..<10 {
      let client = try proxy.client()
      try client.send(message("GET \(origin.url)/ HTTP/1.1"))
      #expect(try client.readResponse().body == "first")
      let size = 8 << 20
      try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: \(size)"))
      try withThread({
        // The proxy closes while this goes on, so it may fail.
        do { try client.send([UInt8](repeating: 1, count: size)) } catch {}
      }) {
        let response = try client.readResponse()
        #expect(response.status == 413)
        #expect(response.body == "too big")
        client.close()
      }
    }
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 })
    #expect(proxy.counters.reuses == 10)
  }
}
