import HTTPWire
import Testing

@Suite struct MessageHeadTests {
  static let bodies: [(status: Int, fields: String, method: HTTPWire.Method, body: BodyFraming)] = [
    (200, "Content-Length: 99¶", .head, .none),
    (200, "Transfer-Encoding: chunked¶", .head, .none),
    (100, "Content-Length: 9¶", .get, .none),
    (101, "", .get, .none),
    (204, "Content-Length: 9¶", .get, .none),
    (304, "Content-Length: 50¶", .get, .none),
    (200, "Content-Length: 9¶", .connect, .none),
    (299, "Transfer-Encoding: chunked¶", .connect, .none),
    (407, "Content-Length: 9¶", .connect, .length(9)),
    (200, "Content-Length: 9¶", .get, .length(9)),
    (200, "Content-Length: 0¶", .get, .none),
    (200, "Transfer-Encoding: chunked¶", .post, .chunked),
    (200, "", .get, .untilClose),
    (200, "Transfer-Encoding: gzip¶", .get, .untilClose),
  ]

  @Test(arguments: bodies)
  func framesResponsesByStatusAndMethodFirst(status: Int, fields: String, method: HTTPWire.Method, body: BodyFraming)
    throws
  {
    #expect(try parseResponse("HTTP/1.1 \(status) x¶\(fields)¶").head.body(inResponseTo: method) == body)
  }

  static let persistence: [(version: String, fields: String, keeps: Bool)] = [
    ("1.1", "", true), ("1.1", "Connection: close¶", false), ("1.1", "Connection: keep-alive, close¶", false),
    ("1.0", "", false), ("1.0", "Connection: keep-alive¶", true), ("1.0", "Connection: keep-alive, close¶", false),
  ]

  @Test(arguments: persistence) func persistsAsTheVersionSays(version: String, fields: String, keeps: Bool) throws {
    #expect(try parseRequest("GET / HTTP/\(version)¶Host: h¶\(fields)¶").head.wantsKeepAlive == keeps)
    #expect(try parseResponse("HTTP/\(version) 200 x¶\(fields)¶").head.wantsKeepAlive == keeps)
  }

  @Test func tellsInterimResponsesFromFinalOnes() throws {
    for (status, isInterim) in [(100, true), (102, true), (103, true), (101, false), (200, false)] {
      #expect(try parseResponse("HTTP/1.1 \(status) x¶¶").head.isInterim == isInterim)
    }
  }
}
