import HTTPWire
import ProxyCore
import Testing

/// What is offered to an origin of what a client asks for, and which answers are answers to it.
@Suite struct UpgradeOfferTests {
  private func offer(_ fields: [String], version: String = "HTTP/1.1", allowed: [String] = ["websocket"]) throws
    -> UpgradeOffer?
  {
    let message = (["GET http://h/ \(version)", "Host: h"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
    return try SampleRequest.with(message) {
      UpgradeOffer($0.bytes, $0.head, $0.parser.lines, allowed: allowed.map { Array($0.utf8) })
    }
  }

  private func covers(_ offer: UpgradeOffer, _ fields: [String]) throws -> Bool {
    let message = (["HTTP/1.1 101 Switching Protocols"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
    let raw = Array(message.utf8)
    return try raw.withUnsafeBufferPointer { buffer in
      let bytes = try #require(buffer.baseAddress)
      let parser = HeadParser()
      var head = ResponseHead()
      try #require(parser.parseResponse(bytes, buffer.count, into: &head) == .complete)
      return offer.covers(bytes, head, parser.lines)
    }
  }

  @Test(
    arguments: [
      (["Connection: upgrade", "Upgrade: websocket"], "websocket"),
      (["Connection: Keep-Alive, UPGRADE", "Upgrade: WebSocket"], "WebSocket"),
      (["Connection: upgrade", "Upgrade: websocket/13"], "websocket/13"),
      (["Connection: upgrade", "Upgrade: h2c, websocket , foo"], "websocket"),
      (["Connection: upgrade", "Upgrade: h2c", "Upgrade: ,websocket,"], "websocket"),
      (["Connection: upgrade", "Upgrade: websocket, WEBSOCKET/8"], "websocket, WEBSOCKET/8"),
      (["Connection: upgrade", "Upgrade: h2c"], nil), (["Connection: upgrade", "Upgrade: websockets"], nil),
      (["Connection: upgrade", "Upgrade: websocket x"], nil),
      (["Connection: upgrade", "Upgrade: websocket/\"1\""], nil),
      (["Connection: upgrade", "Upgrade: /websocket"], nil), (["Connection: upgrade", "Upgrade:"], nil),
      (["Upgrade: websocket"], nil), (["Connection: x-upgrade", "Upgrade: websocket"], nil),
      (["Connection: upgrade"], nil),
      (["Proxy-Connection: upgrade", "Upgrade: websocket"], nil),
    ] as [([String], String?)])
  func offersWhatIsAskedForAndAllowed(fields: [String], value: String?) throws {
    #expect(try offer(fields).map { String(decoding: $0.value, as: UTF8.self) } == value)
  }

  @Test func offersNothingForHTTP10AndNothingWhenNothingIsAllowed() throws {
    let fields = ["Connection: upgrade", "Upgrade: websocket"]
    #expect(try offer(fields, version: "HTTP/1.0") == nil)
    #expect(try offer(fields, allowed: []) == nil)
    #expect(try offer(fields, allowed: ["tls"]) == nil)
  }

  @Test(arguments: [
    (["Upgrade: websocket"], true), (["Upgrade: WebSocket"], true), (["Upgrade: websocket/13"], true),
    (["Upgrade: foo/1"], true), (["Upgrade: foo"], true), (["Upgrade: websocket, foo/1"], true),
    (["Upgrade: foo/2"], false), (["Upgrade: h2c"], false), (["Upgrade: websocket, h2c"], false),
    (["Upgrade: websocket", "Upgrade: h2c"], false), (["Upgrade:"], false), (["Upgrade: ,"], false), ([], false),
    (["Upgrade: websocket x"], false), (["Connection: websocket"], false),
  ])
  func takesAnAnswerOnlyToWhatItOffered(fields: [String], isCovered: Bool) throws {
    let made = try #require(
      try offer(["Connection: upgrade", "Upgrade: websocket, foo/1"], allowed: ["websocket", "foo"]))
    #expect(try covers(made, fields) == isCovered)
  }
}
