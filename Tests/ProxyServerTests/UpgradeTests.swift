import Foundation
import ProxyCore
import ProxyServer
import Synchronization
import TestKit
import Testing

/// A switch of protocols through plain HTTP (RFC 9110, section 7.8; RFC 6455): the origin decides, and nothing passes
/// unread before it has.
@Suite struct UpgradeTests {
  private static let accepted =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: a=\r\n\r\n"

  private func handshake(_ origin: ScriptedOrigin, _ fields: String..., upgrade: String = "websocket") -> String {
    message(
      (["GET \(origin.url)/chat HTTP/1.1", "Upgrade: \(upgrade)", "Connection: Upgrade"] + fields).joined(
        separator: "\r\n"))
  }

  @Test func switchesAndRelaysBothWaysWithWhatWasSentEarly() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send(Self.accepted + "early from the origin")
      try turn.connection.send(Array(try turn.connection.readToEnd().reversed()))
    }
    let client = try proxy.client()
    // The first frame travels with the request (RFC 9110, section 7.8 allows no waiting, and some clients do not).
    try client.send(handshake(origin, "Sec-WebSocket-Key: k") + "early,")
    let response = try client.readResponse()
    #expect(response.status == 101)
    #expect(
      response.head == [
        "HTTP/1.1 101 Switching Protocols", "Sec-WebSocket-Accept: a=", "Via: 1.1 footfall-test", "Connection: Upgrade",
        "Upgrade: websocket",
      ])
    #expect(try client.read(count: 21) == Array("early from the origin".utf8))
    #expect(proxy.counters.tunnelsOpen == 1)
    try client.send([0x81, 0x00, 0xff])
    client.shutdownWriting()
    #expect(try client.readToEnd() == [0xff, 0x00, 0x81] + Array(",ylrae".utf8))
    #expect(
      origin.requests == [
        "GET /chat HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\nSec-WebSocket-Key: k\r\nConnection: Upgrade\r\n"
          + "Upgrade: websocket\r\nVia: 1.1 footfall-test\r\n\r\n"
      ])
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 && $0.tunnelsOpen == 0 })
    let record = try #require(try proxy.records(1).first)
    #expect(record.status == 101)
    #expect(record.mode == .forward)
    #expect(record.url == "\(origin.url)/chat")
    #expect(record.errorCode == nil)
    #expect(record.requestBytes > 9 && record.responseBytes > 30)
  }

  @Test func letsNothingPassBeforeTheOriginHasSwitched() throws {
    let proxy = try ProxyFixture()
    let go = DispatchSemaphore(value: 0)
    let early = Mutex(true)
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      let isSilent = turn.connection.isSilent(milliseconds: 100)
      early.withLock { $0 = !isSilent }
      go.wait()
      try turn.connection.send(Self.accepted)
      try turn.connection.send(try turn.connection.readToEnd())
    }
    let client = try proxy.client()
    try client.send(handshake(origin) + "frame")
    #expect(client.isSilent(milliseconds: 50))
    go.signal()
    #expect(try client.readResponse().status == 101)
    #expect(!early.withLock { $0 })
    client.shutdownWriting()
    #expect(try client.readTextToEnd() == "frame")
  }

  @Test(arguments: ["200 OK", "400 Bad Request", "426 Upgrade Required", "500 Oops"])
  func takesWhatFollowsForTheNextRequestWhenTheOriginDeclines(status: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { request in
      request.hasPrefix("GET /chat")
        ? "HTTP/1.1 \(status)\r\nContent-Length: 2\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nno" : ok("next")
    }
    let client = try proxy.client()
    try client.send(handshake(origin) + message("POST \(origin.url)/next HTTP/1.1", "Content-Length: 1", body: "x"))
    let response = try client.readResponse()
    #expect(response.head[0] == "HTTP/1.1 \(status)")
    #expect(response.body == "no")
    #expect(response["Connection"] == nil)
    #expect(try client.readResponse().body == "next")
    #expect(origin.requests.count == 2)
    #expect(origin.requests[1].hasPrefix("POST /next HTTP/1.1\r\nHost: 127.0.0.1:"))
    #expect(proxy.counters.tunnelsOpen == 0)
  }

  @Test func answers400ToRawBytesBehindADeclinedSwitch() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("no") }
    let client = try proxy.client()
    try client.send(handshake(origin) + "\u{1}\u{2}raw frame\r\n\r\n")
    #expect(try client.readResponse().body == "no")
    #expect(try client.readResponse().status == 400)
    #expect(origin.requests.count == 1)
  }

  @Test(arguments: ["h2c", "h2c, foo", "tls/1.2"])
  func stripsOtherProtocols(protocols: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("plain") }
    let response = try proxy.response(
      to: message(
        "GET \(origin.url)/ HTTP/1.1", "Upgrade: \(protocols)", "Connection: Upgrade, HTTP2-Settings",
        "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"))
    #expect(response.body == "plain")
    #expect(
      origin.requests == [
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\nVia: 1.1 footfall-test\r\n\r\n"
      ])
  }

  @Test(
    arguments: [
      (["Upgrade: websocket", "Connection: Upgrade"], "Upgrade: h2c"),
      (["Upgrade: websocket", "Connection: Upgrade"], "Upgrade: websocket, h2c"),
      (["Upgrade: websocket", "Connection: Upgrade"], "X: y"), (["Upgrade: websocket"], "Upgrade: websocket"),
      (["Upgrade: h2c", "Connection: Upgrade"], "Upgrade: h2c"), (["X: y"], "Upgrade: websocket"),
    ] as [([String], String)])
  func answers502ToASwitchThatNobodyAskedFor(asked: [String], answered: String) throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\(answered)\r\n\r\nraw")
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(message((["GET \(origin.url)/ HTTP/1.1"] + asked).joined(separator: "\r\n")))
    let response = try client.readResponse()
    #expect(response.status == 502)
    #expect(response.body.contains("unexpected_switch"))
    // The request was whole and the client may go on; the connection to the origin is gone.
    #expect(client.isSilent(milliseconds: 20))
    #expect(proxy.waits { $0.upstreamsOpen == 0 && $0.tunnelsOpen == 0 })
  }

  @Test func ignoresTheWishOfAClientOfHTTP10() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin.answering { _ in ok("plain") }
    let client = try proxy.client()
    try client.send("GET \(origin.url)/ HTTP/1.0\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
    #expect(try client.readTextToEnd().hasSuffix("\r\n\r\nplain"))
    #expect(try #require(origin.requests.first).lowercased().contains("upgrade") == false)
  }

  @Test func switchesToWhatTheSettingsAllowAndToNothingElse() throws {
    let proxy = try ProxyFixture { $0.upgrades = [Array("echo".utf8)] }
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo/1\r\n\r\n")
      try turn.connection.send(try turn.connection.readToEnd())
    }
    let client = try proxy.client()
    try client.send(handshake(origin, upgrade: "websocket, Echo/1"))
    #expect(try client.readResponse().status == 101)
    try client.send("hello")
    client.shutdownWriting()
    #expect(try client.readTextToEnd() == "hello")
    #expect(origin.requests.first?.contains("\r\nUpgrade: Echo/1\r\n") == true)
  }

  @Test func sendsA100BeforeThe101() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send("HTTP/1.1 100 Continue\r\n\r\n")
      #expect(try turn.connection.read(count: 4) == Array("body".utf8))
      try turn.connection.send(Self.accepted)
      try turn.connection.send(try turn.connection.readToEnd())
    }
    let client = try proxy.client()
    try client.send(handshake(origin, "Content-Length: 4", "Expect: 100-continue"))
    #expect(try client.readResponse().status == 100)
    try client.send("bodyframe")
    #expect(try client.readResponse().status == 101)
    client.shutdownWriting()
    #expect(try client.readTextToEnd() == "frame")
  }

  @Test func refusesASwitchInTheMiddleOfARequest() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send(Self.accepted)
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(handshake(origin, "Content-Length: 9") + "part")
    let response = try client.readResponse()
    #expect(response.status == 502)
    #expect(response["Connection"] == "close")
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
  }

  @Test func letsEitherEndFinishFirst() throws {
    let proxy = try ProxyFixture()
    let heard = Mutex<[UInt8]?>(nil)
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send(Self.accepted + "bye")
      turn.connection.shutdownWriting()
      let rest = try turn.connection.readToEnd()
      heard.withLock { $0 = rest }
    }
    let client = try proxy.client()
    try client.send(handshake(origin))
    #expect(try client.readResponse().status == 101)
    #expect(try client.readTextToEnd() == "bye")
    try client.send("still here")
    client.shutdownWriting()
    #expect(eventually { heard.withLock { $0 } == Array("still here".utf8) })
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 && $0.tunnelsOpen == 0 })
  }

  @Test func carriesMoreThanTheBuffersHold() throws {
    let proxy = try ProxyFixture()
    let size = 8 << 20
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send(Array(Self.accepted.utf8) + [UInt8](repeating: 7, count: size))
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client(receiveBuffer: 8192)
    try client.send(handshake(origin))
    #expect(try client.readResponse().status == 101)
    #expect(try client.read(count: size).allSatisfy { $0 == 7 })
  }

  @Test func endsAnIdleSwitchedConnection() throws {
    let proxy = try ProxyFixture { $0.timeouts.tunnel = 200_000_000 }
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send(Self.accepted)
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(handshake(origin))
    #expect(try client.readResponse().status == 101)
    #expect(try client.readToEnd() == [])
    #expect(proxy.waits { $0.upstreamsOpen == 0 && $0.tunnelsOpen == 0 })
  }

  @Test func forgetsTheOfferWithItsRequest() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.send(ok("no"))
      _ = try turn.readHead()
      try turn.connection.send(Self.accepted)
    }
    let client = try proxy.client()
    try client.send(handshake(origin))
    #expect(try client.readResponse().body == "no")
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(try client.readResponse().status == 502)
  }

  @Test func passesA101InDrops() throws {
    let proxy = try ProxyFixture()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readHead()
      try turn.connection.sendSlowly(Self.accepted + "data")
    }
    let client = try proxy.client()
    try client.send(handshake(origin))
    #expect(try client.readResponse().status == 101)
    #expect(try client.readTextToEnd() == "data")
  }
}
