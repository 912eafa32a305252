import Foundation
import ProxyCore
import ProxyServer
import TestKit
import Testing
import URLRules

/// Clients and origins that stop, close and break at random moments. The seeds are fixed; the moments are the kernel's.
@Suite struct ChaosTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func returnsToZeroWhateverPeersDo(seed: UInt64) throws {
    let rule = RuleDefinition(name: "all", matchers: [.regex("^http://127")], effects: .visitorID)
    let proxy = try ProxyFixture(workers: 2, rules: [rule]) { $0.timeouts.read = 2_000_000_000 }
    let origin = try ScriptedOrigin { turn in
      var random = SeededGenerator(seed: seed &* 1000 &+ UInt64(turn.number))
      try ChaosTests.misbehave(as: turn, &random)
    }
    let dead = try ScriptedOrigin { _ in }.port
    var random = SeededGenerator(seed: seed)
    for _ in 0..<150 {
      let client = try proxy.client(receiveBuffer: Bool.random(using: &random) ? 4096 : nil)
      // The proxy may be gone before the last byte is sent; that is one of the cases.
      do { try ChaosTests.misbehave(client, origin.url, origin.port, dead, &random) } catch {}
      client.close(reset: Bool.random(using: &random))
    }
    #expect(proxy.waits { $0.clientsOpen == 0 })
    #expect(proxy.waits { $0.upstreamsOpen == $0.upstreamsIdle && $0.tunnelsOpen == 0 })
    // It still serves.
    let good = try ScriptedOrigin.answering { _ in ok("fine") }
    #expect(try proxy.response(to: message("GET \(good.url)/ HTTP/1.1")).body == "fine")
    #expect(proxy.service.drain(milliseconds: 5000))
  }

  private static func misbehave(
    _ client: RawConnection, _ url: String, _ port: UInt16, _ dead: UInt16, _ random: inout SeededGenerator
  ) throws {
    let messages = [
      message("GET \(url)/ HTTP/1.1"), message("HEAD \(url)/ HTTP/1.1"), message("GET \(url)/ HTTP/1.0"),
      message("POST \(url)/ HTTP/1.1", "Content-Length: 5", body: "12345"),
      message("POST \(url)/ HTTP/1.1", "Content-Length: 100000", body: String(repeating: "b", count: 100_000)),
      message("PUT \(url)/ HTTP/1.1", "Transfer-Encoding: chunked", body: "5\r\nhello\r\n0\r\nT: 1\r\n\r\n"),
      message("PUT \(url)/ HTTP/1.1", "Transfer-Encoding: chunked", body: "5\r\nhelloX"),
      message("POST \(url)/ HTTP/1.1", "Content-Length: 5", "Expect: 100-continue", body: "12345"),
      message("CONNECT 127.0.0.1:\(port) HTTP/1.1", body: "GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
      message("CONNECT localhost:\(port) HTTP/1.1", body: "tunnel"),
      message("GET http://127.0.0.1:\(dead)/ HTTP/1.1"), message("GET http://localhost:\(port)/ HTTP/1.1"),
      message("OPTIONS \(url) HTTP/1.1", "Max-Forwards: 0"), "garbage\r\n\r\n",
    ]
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      bytes += Array((messages.randomElement(using: &random) ?? "").utf8)
    }
    if Int.random(in: 0..<3, using: &random) == 0 { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
    while !bytes.isEmpty {
      let piece = Int.random(in: 1...max(bytes.count, 1), using: &random)
      try client.send(Array(bytes.prefix(piece)))
      bytes.removeFirst(piece)
      if Int.random(in: 0..<20, using: &random) == 0 { return }
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return
    case 1: client.shutdownWriting()
    case 2: _ = client.isSilent(milliseconds: 5)
    default: break
    }
    if Bool.random(using: &random), !client.isSilent(milliseconds: 50) {
      _ = try client.read(count: 1)
    }
  }

  private static func misbehave(as turn: ScriptedOrigin.Turn, _ random: inout SeededGenerator) throws {
    let answers = [
      ok("hello"), ok(String(repeating: "x", count: 300_000)), "HTTP/1.0 200 OK\r\n\r\nuntil close",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nT: 1\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n" + ok("x"), "HTTP/1.1 204 No Content\r\n\r\n", ok("x") + "surplus", "garbage",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX",
    ]
    for _ in 0..<8 {
      if Int.random(in: 0..<10, using: &random) == 0 { break }
      if Int.random(in: 0..<6, using: &random) == 0 { _ = try turn.readHead() } else { _ = try turn.readRequest() }
      var answer = Array((answers.randomElement(using: &random) ?? "").utf8)
      if Int.random(in: 0..<6, using: &random) == 0 {
        answer.removeLast(Int.random(in: 0...answer.count, using: &random))
      }
      let cut = Int.random(in: 0...answer.count, using: &random)
      try turn.connection.send(Array(answer[..<cut]))
      if Int.random(in: 0..<8, using: &random) == 0 { break }
      try turn.connection.send(Array(answer[cut...]))
      if Int.random(in: 0..<8, using: &random) == 0 { break }
    }
    turn.connection.close(reset: Bool.random(using: &random))
  }
}
