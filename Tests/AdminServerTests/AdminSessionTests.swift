import Effects
import Testing

/// HTTP/1.1 as the admin endpoint speaks it (RFC 9112).
@Suite struct AdminSessionTests {
  private func post(_ port: UInt16, _ body: String, _ fields: String = "") -> String {
    "POST /reset HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n\(fields)"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private func get(_ port: UInt16, _ target: String, method: String = "GET", _ fields: String = "") -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\r\n"
  }

  private let body = #"{"what":["visitorID"]}"#

  @Test func answersPipelinedRequestsInOrder() throws {
    let served = try ServedEndpoint()
    defer { served.stop() }
    let port = try #require(served.endpoint).port
    let client = try RawClient(served.endpoint)
    client.send(get(port, "/livez") + post(port, body) + get(port, "/nothing") + get(port, "/metrics"))
    #expect(try client.readResponse().status == 200)
    #expect(try client.readResponse().body.contains("cleared"))
    #expect(try client.readResponse().status == 404)
    #expect(try client.readResponse().head.contains("text/plain"))
  }

  @Test func theSameAtEverySplit() throws {
    let served = try ServedEndpoint()
    defer { served.stop() }
    let port = try #require(served.endpoint).port
    let bytes = Array(post(port, body).utf8)
    let client = try RawClient(served.endpoint)
    for split in 1..<bytes.count {
      client.send(Array(bytes[..<split]))
      client.send(Array(bytes[split...]))
      #expect(try client.readResponse().status == 200, "split at \(split)")
    }
    #expect(served.resets == bytes.count - 1)
  }

  @Test func answersByteByByte() throws {
    let served = try ServedEndpoint()
    defer { served.stop() }
    let client = try RawClient(served.endpoint)
    for byte in post(try #require(served.endpoint).port, body).utf8 { client.send([byte]) }
    #expect(try client.readResponse().status == 200)
    #expect(served.resets == 1)
  }

  @Test func headHasTheFieldsOfGetAndNoBody() throws {
    let served = try ServedEndpoint()
    defer { served.stop() }
    let port = try #require(served.endpoint).port
    let client = try RawClient(served.endpoint)
    client.send(get(port, "/openapi.json", method: "HEAD", "Connection: close\r\n"))
    let head = client.readToEnd().text
    let other = try RawClient(served.endpoint)
    other.send(get(port, "/openapi.json", "Connection: close\r\n"))
    let all = other.readToEnd().text
    #expect(head.hasSuffix("\r\n\r\n"))
    #expect(all.hasPrefix(head))
    #expect(all.utf8.count > head.utf8.count)
  }

  @Test(arguments: [
    ("GET /livez HTTP/1.1\r\nHost: H\r\nConnection: close\r\n\r\n", true),
    ("GET /livez HTTP/1.0\r\nHost: H\r\n\r\n", true),
    ("GET /livez HTTP/1.0\r\nHost: H\r\nConnection: keep-alive\r\n\r\n", false),
    ("\r\nGET /livez HTTP/1.1\r\nHost: H\r\n\r\n", false),
  ])
  func keepsTheConnectionAsAsked(text: String, closes: Bool) throws {
    let served = try ServedEndpoint()
    defer { served.stop() }
    let port = try #require(served.endpoint).port
    let client = try RawClient(served.endpoint)
    client.send(text.replacing("Host: H", with: "Host: 127.0.0.1:\(port)"))
    let response = try client.readResponse()
    #expect(response.status == 200)
    #expect(response.head.contains("Connection: close") == closes)
    if closes {
      #expect(client.readToEnd().end == .closed)
    } else {
      client.send(get(port, "/livez"))
      #expect(try client.readResponse().status == 200)
    }
  }

  @Test(arguments: [
    ("GET /livez HTTP/1.1\r\n\r\n", 400), ("GET  /livez HTTP/1.1\r\nHost: H\r\n\r\n", 400),
    ("GET /livez HTTP/2.0\r\nHost: H\r\n\r\n", 505), ("GET /livez\r\n", 400),
    ("GET /livez HTTP/1.1\r\nHost: H\r\nHost: H\r\n\r\n", 400),
    ("POST /reset HTTP/1.1\r\nHost: H\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
    ("POST /reset HTTP/1.1\r\nHost: H\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
    ("POST /reset HTTP/1.1\r\nHost: H\r\nContent-Type: application/json\r\nContent-Length: 65537\r\n\r\n", 413),
    ("GET /\(String(repeating: "x", count: 9000)) HTTP/1.1\r\n", 414),
    ("GET / HTTP/1.1\r\nHost: H\r\nX: \(String(repeating: "x", count: 17_000))", 431),
    ("\u{16}\u{3}\u{1}\u{0}", 400),
  ])
  func refusesAndClosesWhatItCannotFrame(text: String, status: Int) throws {
    let served = try ServedEndpoint()
    defer { served.stop() }
    let client = try RawClient(served.endpoint)
    client.send(text.replacing("Host: H", with: "Host: 127.0.0.1:\(try #require(served.endpoint).port)"))
    let (answer, end) = client.readToEnd()
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    #expect(answer.contains("Content-Type: application/json"))
    #expect(answer.contains("\"hint\""))
    #expect(end == .closed)
    #expect(served.resets == 0)
  }

  @Test func aRefusalReachesAClientThatIsStillSending() throws {
    let served = try ServedEndpoint()
    defer { served.stop() }
    let port = try #require(served.endpoint).port
    for _ in 0..<20 {
      let client = try RawClient(served.endpoint)
      client.send(
        "POST /reset HTTP/1.1\r\nHost: evil.example:\(port)\r\nContent-Type: application/json\r\n"
          + "Content-Length: 60000\r\n\r\n")
      client.send([UInt8](repeating: 0x20, count: 60_000))
      let (answer, end) = client.readToEnd()
      #expect(answer.hasPrefix("HTTP/1.1 403 "))
      #expect(end == .closed)
    }
  }

  @Test func asksForTheBodyOnceWhenTheClientWaits() throws {
    let served = try ServedEndpoint()
    defer { served.stop() }
    let client = try RawClient(served.endpoint)
    let text = post(try #require(served.endpoint).port, body, "Expect: 100-continue\r\n")
    client.send(String(text.dropLast(body.count)))
    #expect(try client.readResponse().status == 100)
    client.send(String(body.prefix(5)))
    client.send(String(body.dropFirst(5)))
    #expect(try client.readResponse().status == 200)
  }

  @Test func answersAClientThatEndedItsSide() throws {
    let served = try ServedEndpoint(metricsRules: 50_000)
    defer { served.stop() }
    let client = try RawClient(served.endpoint)
    client.send(get(try #require(served.endpoint).port, "/metrics"))
    client.endSending()
    let (text, end) = client.readToEnd()
    #expect(text.contains("rule-49999"))
    #expect(end == .closed)
  }

  @Test func aClientThatEndsInsideARequestIsLetGo() throws {
    let served = try ServedEndpoint()
    defer { served.stop() }
    let client = try RawClient(served.endpoint)
    client.send("POST /reset HTTP/1.1\r\nHost: x")
    client.endSending()
    #expect(client.readToEnd().end == .closed)
    #expect(served.connectionCount() == 0)
  }
}
