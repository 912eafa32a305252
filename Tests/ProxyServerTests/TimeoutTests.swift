import Effects
import Foundation
import ProxyCore
import ProxyServer
import TestKit
import Testing

/// What happens when somebody does not go on. Each test sets one short time and leaves the others long.
@Suite struct TimeoutTests {
  private static let short: UInt64 = 200_000_000
  /// For tests in which somebody has to be faster.
  private static let bearable: UInt64 = 1_500_000_000

  @Test func answers408ToAHeadThatDoesNotEnd() throws {
    let proxy = try ProxyFixture { $0.timeouts.head = Self.short }
    let client = try proxy.client()
    try client.send("GET http://h/ HTTP/1.1\r\nHos")
    let response = try client.readResponse()
    #expect(response.status == 408)
    #expect(response.body.contains("request_timeout"))
    #expect(try client.readToEnd() == [])
  }

  @Test func givesAHeadNoMoreTimeForComingInDrops() throws {
    let proxy = try ProxyFixture { $0.timeouts.head = Self.short }
    let client = try proxy.client()
    try withThread({
      while true {
        try client.send("a")
        usleep(20_000)
      }
    }) {
      let response = try client.readResponse()
      // One long method is no fault until it ends.
      #expect(response.status == 408)
      client.close()
    }
  }

  @Test func closesAConnectionThatSaysNothing() throws {
    let proxy = try ProxyFixture { $0.timeouts.head = Self.short }
    #expect(try proxy.client().readToEnd() == [])
    #expect(proxy.waits { $0.clientsOpen == 0 })
  }

  @Test func closesIdleConnectionsOfClientsAndOrigins() throws {
    let proxy = try ProxyFixture { $0.timeouts.idle = Self.short }
    let origin = try ScriptedOrigin.answering { _ in ok("x") }
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(try client.readResponse().status == 200)
    #expect(try client.readToEnd() == [])
    #expect(proxy.waits { $0.clientsOpen == 0 && $0.upstreamsOpen == 0 && $0.upstreamsIdle == 0 })
  }

  @Test func answers504ToAnOriginThatDoesNotAnswer() throws {
    let proxy = try ProxyFixture { $0.timeouts.read = Self.bearable }
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    let response = try client.readResponse()
    #expect(response.status == 504)
    #expect(response.body.contains("response_timeout"))
    // The request was whole, so the client may go on.
    let good = try ScriptedOrigin.answering { _ in ok("x") }
    try client.send(message("GET \(good.url)/ HTTP/1.1"))
    #expect(try client.readResponse().status == 200)
    #expect(proxy.waits { $0.upstreamsOpen == 1 })
  }

  @Test func cutsAResponseThatStopsInTheMiddle() throws {
    let proxy = try ProxyFixture { $0.timeouts.read = Self.short }
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart")
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(try client.readTextToEnd().hasSuffix("\r\n\r\npart"))
    #expect(try proxy.records(1).first?.errorCode == "response_timeout")
    #expect(proxy.waits { $0.upstreamsOpen == 0 && $0.clientsOpen == 0 })
  }

  @Test func answers408ToABodyThatStops() throws {
    let proxy = try ProxyFixture { $0.timeouts.read = Self.short }
    let origin = try ScriptedOrigin { turn in _ = try turn.connection.readToEnd() }
    let client = try proxy.client()
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: 9", body: "part"))
    #expect(try client.readResponse().status == 408)
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
  }

  @Test func cutsAClientThatDoesNotRead() throws {
    let proxy = try ProxyFixture { $0.timeouts.read = Self.bearable }
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")
      try turn.connection.send([UInt8](repeating: 65, count: 99_999_999))
    }
    let client = try proxy.client(receiveBuffer: 8192)
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    #expect(proxy.waits { $0.upstreamsOpen == 0 && $0.clientsOpen == 0 && $0.requests == 1 })
    #expect(try proxy.records(1).first?.errorCode == "client_too_slow")
    #expect(throws: RawSocketError.self) { try client.readToEnd() }
  }

  @Test func neverLetsAnAnswerThatIsCutOffLookWhole() throws {
    // To a client of HTTP/1.0 the end of the connection is the end of the body. The sizes differ so that some end where
    // the kernel takes no more.
    let proxy = try ProxyFixture { $0.timeouts.read = Self.bearable }
    let part = [UInt8](repeating: 65, count: 1 << 18)
    let origin = try ScriptedOrigin { turn in
      let request = try turn.readRequest()
      guard let count = Int(request.dropFirst("GET /".count).prefix { $0 != " " }) else { return }
      try turn.connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for _ in 0..<count {
        try turn.connection.send("40000\r\n")
        try turn.connection.send(part)
        try turn.connection.send("\r\n")
      }
      try turn.connection.send("0\r\n\r\n")
      _ = try turn.connection.readToEnd()
    }
    let counts = Array(6...18)
    let clients = try counts.map { count in
      let client = try proxy.client(receiveBuffer: 8192)
      try client.send("GET \(origin.url)/\(count) HTTP/1.0\r\nHost: h\r\n\r\n")
      return client
    }
    #expect(proxy.waits { $0.requests == counts.count && $0.clientsOpen == 0 })
    var cut = 0
    for (count, client) in zip(counts, clients) {
      do {
        let bytes = try client.readToEnd()
        #expect(bytes.count > count * part.count, "\(count) parts: a part of the body looks like all of it")
      } catch is RawSocketError {
        cut += 1
      }
    }
    #expect(cut > 0 && cut < counts.count, "\(cut) of \(counts.count) were cut: the sizes prove nothing")
  }

  @Test func waitsForEachSideThatMovesHoweverSlowlyWhereNoPaceIsAsked() throws {
    // Eight steps of a quarter of a second take longer than any one wait may.
    let proxy = try ProxyFixture {
      $0.timeouts.read = Self.bearable
      $0.limits.minimumBytesPerSecond = nil
    }
    let steps = 8
    let pause: UInt32 = 250_000
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(steps)\r\n\r\n")
      for _ in 0..<steps {
        usleep(pause)
        try turn.connection.send("d")
      }
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client()
    try client.send(message("POST \(origin.url)/ HTTP/1.1", "Content-Length: \(steps)"))
    for _ in 0..<steps {
      usleep(pause)
      try client.send("u")
    }
    #expect(try client.readResponse().body == String(repeating: "d", count: steps))
    #expect(try proxy.records(1).first?.errorCode == nil)
  }

  @Test func waitsForAClientThatReadsSlowly() throws {
    let proxy = try ProxyFixture { $0.timeouts.read = Self.bearable }
    let size = 12 << 20
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
      try turn.connection.send([UInt8](repeating: 65, count: size))
      _ = try turn.connection.readToEnd()
    }
    let client = try proxy.client(receiveBuffer: 8192)
    try client.send(message("GET \(origin.url)/ HTTP/1.1"))
    _ = try client.read(until: "\r\n\r\n")
    for _ in 0..<8 {
      usleep(250_000)
      _ = try client.read(count: 1 << 20)
    }
    #expect(try client.read(count: size - (8 << 20)).count == size - (8 << 20))
    #expect(try proxy.records(1).first?.errorCode == nil)
  }

  @Test func answers504WhenTheOriginDoesNotAccept() throws {
    let full = try FullListener()
    let proxy = try ProxyFixture { $0.timeouts.connect = Self.short }
    for startLine in ["GET http://127.0.0.1:\(full.port)/ HTTP/1.1", "CONNECT 127.0.0.1:\(full.port) HTTP/1.1"] {
      let response = try proxy.response(to: message(startLine))
      #expect(response.status == 504)
      #expect(response.body.contains("connection_timeout"))
    }
    #expect(proxy.waits { $0.upstreamsOpen == 0 })
  }
}
