import Foundation
import ProxyCore
import ProxyServer
import Synchronization
import TestKit
import Testing

@Suite struct TunnelTests {
  private func connect(_ proxy: ProxyFixture, to port: UInt16, early: String = "") throws -> RawConnection {
    let client = try proxy.client()
    try client.send("CONNECT 127.0.0.1:\(port) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n" + early)
    #expect(try client.read(until: "\r\n\r\n") == "HTTP/1.1 200 Connection Established\r\n\r\n")
    return client
  }

  @Test func passesBytesBothWaysUnread() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      let bytes = try turn.connection.read(count: 256)
      try turn.connection.send(bytes.reversed())
      _ = try turn.connection.readToEnd()
    }
    let client = try connect(proxy, to: origin.port)
    let bytes = (0...255).map { UInt8($0) }
    try client.send(bytes)
    #expect(try client.read(count: 256) == bytes.reversed())
    #expect(proxy.counters.tunnelsOpen == 1)
    client.close()
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 && $0.tunnelsOpen == 0 })
    let record = try #require(try proxy.records(1).first)
    #expect(record.mode == .tunnel)
    #expect(record.method == "CONNECT")
    #expect(record.url == "127.0.0.1:\(origin.port)")
    #expect(record.status == 200)
    #expect(record.requestBytes >= 256 && record.responseBytes >= 256)
  }

  @Test func passesOnWhatTheClientSentEarly() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in try turn.connection.send(try turn.connection.readToEnd()) }
    let client = try connect(proxy, to: origin.port, early: "early")
    try client.send(" late")
    client.shutdownWriting()
    #expect(try client.readTextToEnd() == "early late")
  }

  @Test func tunnelsBehindPipelinedRequests() throws {
    let proxy = try ProxyFixture()
    let web = try ScriptedOrigin.answering { _ in ok("page") }
    let origin = try ScriptedOrigin { turn in try turn.connection.send(try turn.connection.readToEnd()) }
    let client = try proxy.client()
    let connect = "CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\nHost: h\r\n\r\n"
    try client.send(message("GET \(web.url)/ HTTP/1.1") + connect + "GET http://not-a-request/ HTTP/1.1\r\n\r\n")
    client.shutdownWriting()
    #expect(try client.readResponse().body == "page")
    #expect(try client.read(until: "\r\n\r\n") == "HTTP/1.1 200 Connection Established\r\n\r\n")
    #expect(try client.readTextToEnd() == "GET http://not-a-request/ HTTP/1.1\r\n\r\n")
  }

  @Test func letsEitherEndFinishFirst() throws {
    let proxy = try ProxyFixture()
    let heard = Mutex<[UInt8]?>(nil)
    let origin = try ScriptedOrigin { turn in
      try turn.connection.send("bye")
      turn.connection.shutdownWriting()
      let rest = try turn.connection.readToEnd()
      heard.withLock { $0 = rest }
    }
    let client = try connect(proxy, to: origin.port)
    #expect(try client.readTextToEnd() == "bye")
    try client.send("still here")
    client.shutdownWriting()
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 })
    #expect(eventually { heard.withLock { $0 } == Array("still here".utf8) })
  }

  @Test func keepsAllEarlyBytesOfAClientThatHasFinished() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in try turn.connection.send(try turn.connection.readToEnd()) }
    let client = try proxy.client()
    // The early bytes come while the name is looked up, and then the end.
    let early = String(repeating: "e", count: 50_000)
    try client.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\nHost: h\r\n\r\n" + early)
    client.shutdownWriting()
    #expect(try client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    #expect(try client.readTextToEnd() == early)
  }

  @Test func carriesMoreThanTheBuffersHold() throws {
    let proxy = try ProxyFixture()
    let size = 8 << 20
    let origin = try ScriptedOrigin { turn in
      try turn.connection.send([UInt8](repeating: 7, count: size))
      _ = try turn.connection.readToEnd()
    }
    let client = try connect(proxy, to: origin.port)
    #expect(try client.read(count: size).allSatisfy { $0 == 7 })
  }

  @Test(arguments: [
    ("CONNECT 127.0.0.1:22 HTTP/1.1", 403, "port_prohibited"),
    ("CONNECT 127.0.0.1:25 HTTP/1.1", 403, "port_prohibited"),
    ("CONNECT 127.0.0.1:1023 HTTP/1.1", 403, "port_prohibited"),
    ("CONNECT 127.0.0.1:1024 HTTP/1.1", 502, "connection_"),
    ("CONNECT 127.0.0.1 HTTP/1.1", 400, "malformed_target"),
    ("CONNECT 127.0.0.1:0 HTTP/1.1", 400, "malformed_target"),
    ("CONNECT 127.0.0.1:65616 HTTP/1.1", 400, "malformed_target"),
    ("CONNECT u@127.0.0.1:443 HTTP/1.1", 400, "malformed_target"), ("CONNECT :443 HTTP/1.1", 400, "malformed_target"),
    ("CONNECT http://127.0.0.1:443/ HTTP/1.1", 400, "malformed_target"),
    ("CONNECT no-such-name.invalid:443 HTTP/1.1", 502, "name_"),
  ])
  func refusesBadAndDeadTargets(startLine: String, status: Int, code: String) throws {
    let proxy = try ProxyFixture()
    let client = try proxy.client()
    try client.send("\(startLine)\r\nHost: h\r\n\r\nSECRET")
    let response = try client.readResponse()
    #expect(response.status == status)
    #expect(response.body.contains(code))
    #expect(!response.body.contains("SECRET"))
    // What was meant for the tunnel is not read as a request.
    #expect(response["Connection"] == "close")
    #expect(try client.readToEnd() == [])
    #expect(proxy.counters.requests == 1)
    #expect(proxy.counters.errors.reduce(0, +) == 1)
  }

  @Test func reachesAnyPortWhenAllowed() throws {
    let proxy = try ProxyFixture { $0.tunnelPorts = .any }
    #expect(try proxy.response(to: message("CONNECT 127.0.0.1:1 HTTP/1.1")).status == 502)
  }

  @Test func refusesABodyInCONNECT() throws {
    let proxy = try ProxyFixture()
    let response = try proxy.response(to: message("CONNECT 127.0.0.1:1024 HTTP/1.1", "Content-Length: 3", body: "abc"))
    #expect(response.status == 400)
  }

  @Test func endsAnIdleTunnel() throws {
    let proxy = try ProxyFixture { $0.timeouts.tunnel = 200_000_000 }
    let origin = try ScriptedOrigin { turn in _ = try turn.connection.readToEnd() }
    let client = try connect(proxy, to: origin.port)
    #expect(try client.readToEnd() == [])
    #expect(proxy.waits { $0.upstreamsOpen == 0 && $0.tunnelsOpen == 0 })
  }

  @Test func endsBothWaysWhenOneEndBreaks() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.connection.read(count: 1)
      turn.connection.close(reset: true)
    }
    let client = try connect(proxy, to: origin.port)
    try client.send("x")
    #expect(throws: RawSocketError.self) { try client.readToEnd() }
    let other = try connect(proxy, to: origin.port)
    other.close(reset: true)
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 && $0.tunnelsOpen == 0 })
  }
}
