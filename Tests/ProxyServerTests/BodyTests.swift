import Foundation
import ProxyCore
import ProxyServer
import Synchronization
import TestKit
import Testing

/// Bodies: each framing each way, what breaks off, and who waits for whom.
@Suite struct BodyTests {
  @Test func carriesBodiesOfEachFramingUp() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let client = try proxy.client()
    let large = String(repeating: "0123456789abcdef", count: 40_000)
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: \(large.utf8.count)", body: large))
    #expect(try client.readResponse().status == 200)
    let chunk = String(large.utf8.count, radix: 16) + "\r\n" + large + "\r\n"
    try client.send(
      message("POST \(origin.url)/ HTTP/1.1", "Transfer-Encoding: chunked", body: chunk + chunk + "0\r\n\r\n"))
    #expect(try client.readResponse().status == 200)
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 0"))
    #expect(try client.readResponse().status == 200)
    let bodies = origin.requests.map {
      $0.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
    }
    #expect(bodies.count == 3)
    #expect(bodies[0] == large)
    #expect(bodies[1] == chunk + chunk + "0\r\n\r\n")
    #expect(bodies[2] == "")
  }

  @Test func carriesALargeChunkedBodyDown() throws {
    let proxy = try ProxyFixture()
    let data = String(repeating: "x", count: 300_000)
    let body = (0..<10).map { _ in "493e0;ext=\"1\"\r\n\(data)\r\n" }.joined() + "0\r\n\r\n"
    let origin = try ScriptedOrigin.answering { _ in "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body }
    let response = try proxy.response(to: message("GET \(origin.url)/ HTTP/1.1"))
    #expect(response.body == body.replacingOccurrences(of: ";ext=\"1\"", with: ""))
  }

  @Test func waitsForASlowReader() throws {
    let size = 128 << 20
    let proxy = try ProxyFixture()
    let sent = Mutex(0)
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
      let piece = [UInt8](repeating: 65, count: 1 << 16)
      while sent.withLock({ $0 }) < size {
        try turn.connection.send(piece)
        sent.withLock { $0 += piece.count }
      }
    }
    let client = try proxy.client(receiveBuffer: 8192)
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    // The kernel's buffers fill; what lies beyond them would be the proxy's memory.
    #expect(plateau { sent.withLock { $0 } } < size / 2)
    _ = try client.read(until: "\r\n\r\n")
    var rest = size
    while rest > 0 { rest -= try client.read(count: min(1 << 20, rest)).count }
    #expect(sent.withLock { $0 } == size)
  }

  @Test func waitsForASlowOrigin() throws {
    let size = 128 << 20
    let proxy = try ProxyFixture()
    let go = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      go.wait()
      var rest = size
      while rest > 0 { rest -= try turn.connection.read(count: min(1 << 20, rest)).count }
      try turn.connection.send(ok("got it"))
    }
    let client = try proxy.client()
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: \(size)"))
    let sent = Mutex(0)
    try withThread({
      let piece = [UInt8](repeating: 65, count: 1 << 16)
      while sent.withLock({ $0 }) < size {
        try client.send(piece)
        sent.withLock { $0 += piece.count }
      }
    }) {
      #expect(plateau { sent.withLock { $0 } } < size / 2)
      go.signal()
      let response = try client.readResponse()
      #expect(response.body == "got it")
    }
    #expect(sent.withLock { $0 } == size)
  }

  @Test func keepsAnUnreadPipelineOutOfMemory() throws {
    let proxy = try ProxyFixture()
    let body = String(repeating: "x", count: 20_000)
    let served = Mutex(0)
    let origin = try ScriptedOrigin.answering { _ in
      served.withLock { $0 += 1 }
      return ok(body)
    }
    let client = try proxy.client(receiveBuffer: 8192)
    let request = message("GET \(origin.url)/ HTTP/1.1")
    try withThread({
      for _ in 0..<20_000 { try client.send(request) }
    }) {
      // 400 MB of answers wait to be asked for; the kernel takes some megabytes of them.
      #expect(plateau { served.withLock { $0 } } < 4000)
      for _ in 0..<50 {
        let response = try client.readResponse()
        #expect(response.body.utf8.count == 20_000)
      }
      client.close(reset: true)
    }
    #expect(proxy.waits { $0.clientsOpen == 0 })
  }

  @Test func passesExpectContinueEndToEnd() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      let head = try turn.readHead()
      #expect(head.contains("\r\nExpect: 100-continue\r\n"))
      try turn.connection.send("HTTP/1.1 100 Continue\r\nX-I: 1\r\n\r\n")
      #expect(try turn.connection.read(count: 4) == Array("body".utf8))
      try turn.connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok("done"))
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(message("PUT \(origin.url)/ HTTP/1.1", "Content-Length: 4", "Expect: 100-continue"))
    let interim = try client.readResponse()
    #expect(interim.status == 100)
    #expect(interim["X-I"] == "1")
    try client.send("body")
    #expect(try client.readResponse().status == 103)
    #expect(try client.readResponse().body == "done")
  }

  @Test func passesA417AndEndsTheConnection() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nno")
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(message("PUT \(origin.url)/ HTTP/1.1", "Content-Length: 4", "Expect: 100-continue"))
    let response = try client.readResponse()
    #expect(response.status == 417)
    #expect(response.body == "no")
    #expect(response["Connection"] == "close")
    #expect(try client.readToEnd() == [])
    #expect(proxy.waits { $0.upstreamsOpen == 0 && $0.clientsOpen == 0 })
  }

  @Test func keepsInterimResponsesFromAClientOfHTTP10() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in "HTTP/1.1 102 Processing\r\n\r\n" + ok("x") }
    let client = try proxy.client()
    try client.send("GET \(origin.url)/ HTTP/1.0\r\n\r\n")
    let text = try client.readTextToEnd()
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(text.hasSuffix("\r\n\r\nx"))
  }

  @Test func deliversAnEarlyRefusalOfAnUpload() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send(
        "HTTP/1.1 413 Content Too Large\r\nContent-Length: 7\r\nConnection: close\r\n\r\ntoo big")
      // Goes on reading for a while, as RFC 9112, section 9.6, asks.
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    let total = 4 << 20
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: \(total)"))
    try withThread({
      // The proxy closes while this goes on, so it may fail.
      do { try client.send([UInt8](repeating: 1, count: total)) } catch {}
    }) {
      let response = try client.readResponse()
      #expect(response.status == 413)
      #expect(response.body == "too big")
    }
    client.close()
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 })
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "HTTP/1.1"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "HTTP/1.1"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "HTTP/1.0"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalfXX", "HTTP/1.1"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n", "HTTP/1.0"),
  ])
  func cutsTheClientOffWhenAResponseBreaksOff(answer: String, version: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(answer)
    }
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/ \(version)"))
    if version == "HTTP/1.0" {
      // The end of the stream would look like the end of the body.
      #expect(throws: RawSocketError.self) { try client.readToEnd() }
    } else {
      let text = try client.readTextToEnd()
      #expect(text.contains("half"))
      #expect(!text.hasSuffix("0\r\n\r\n"))
    }
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 })
    let code = try #require(try proxy.records(1).first?.errorCode)
    #expect(["response_incomplete", "malformed_response"].contains(code))
  }

  @Test func answersAnUploadWhoseChunksAreMalformed() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in _ = try turn.readRequest() }
    let response = try proxy.response(
      to: message("POST \(origin.url)/ HTTP/1.1", "Transfer-Encoding: chunked", body: "3\r\nabc\r\nxyz\r\n"))
    #expect(response.status == 400)
    #expect(response["Connection"] == "close")
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
  }

  @Test func holdsRequestBodiesToTheLimit() throws {
    let proxy = try ProxyFixture { $0.limits.requestBody = 5 }
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    #expect(
      try proxy.response(to: message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 5", body: "12345")).status == 200)
    #expect(
      try proxy.response(to: message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 6", body: "123456")).status == 413
    )
    #expect(
      try proxy.response(
        to: message("POST \(origin.url)/ HTTP/1.1", "Transfer-Encoding: chunked", body: "6\r\n123456\r\n0\r\n\r\n")
      ).status == 413)
    #expect(proxy.waits { $0.clientsOpen == 0 })
  }

  @Test func forgetsAnUploadWhoseClientGoes() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in _ = try turn.connection.readToEnd() }
    let client = try proxy.client()
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 100", body: "part"))
    #expect(proxy.waits { $0.upstreamsOpen == 1 })
    client.close()
    #expect(proxy.waits { $0.upstreamsOpen == 0 && $0.clientsOpen == 0 })
    #expect(try proxy.records(1).first?.errorCode == "client_closed")
  }
}

/// The value once it has stopped growing for a third of a second.
func plateau(_ value: () -> Int) -> Int {
  var last = -1
  var same = 0
  while same < 10 {
    let now = value()
    same = now == last ? same + 1 : 0
    last = now
    usleep(30_000)
  }
  return last
}

/// Runs the work on a thread beside the body, and waits for it.
func withThread(_ work: @escaping @Sendable () throws -> Void, _ body: () throws -> Void) throws {
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    // What failed there shows in what the body sees.
    do { try work() } catch {}
    done.signal()
  }
  defer { done.wait() }
  try body()
}
