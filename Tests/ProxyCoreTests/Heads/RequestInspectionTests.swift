import HTTPWire
import ProxyCore
import Testing

@Suite struct RequestInspectionTests {
  private func inspect<T>(_ fields: [String], _ body: (RequestInspection) -> T) throws -> T {
    let message = (["GET http://h/ HTTP/1.1", "Host: h"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
    return try SampleRequest.with(message) { body(RequestInspection($0.bytes, $0.head, $0.parser.lines)) }
  }

  @Test(arguments: [
    (["Via: 1.1 footfall"], true), (["Via: 1.1 a, 1.1 footfall"], true),
    (["Via: 1.1 a", "via: HTTP/1.1 footfall (x)"], true),
    (["Via: 1.1 footfall,1.0 b"], true), (["Via: 1.1\tfootfall"], true), (["Via: 1.1 footfall-2"], false),
    (["Via: 1.1 myfootfall"], false), (["Via: 1.1 a"], false), (["Via:"], false), ([], false),
    (["X-Via: 1.1 footfall"], false), (["Via: 1.1 Footfall"], false), (["Via: foot, fall"], false),
  ])
  func findsItselfInVia(fields: [String], found: Bool) throws {
    #expect(try inspect(fields) { $0.viaNames(Array("footfall".utf8)) } == found)
  }

  @Test func findsNobodyWithoutAPseudonym() throws {
    #expect(try !inspect(["Via: 1.1 a"]) { $0.viaNames([]) })
  }

  @Test(arguments: [
    (["Connection: upgrade", "Upgrade: websocket"], true),
    (["Connection: keep-alive, Upgrade", "upgrade: h2c, WebSocket"], true),
    (["Upgrade: WEBSOCKET/13", "Connection: upgrade"], true), (["Connection: upgrade", "Upgrade: h2c"], false),
    (["Connection: upgrade", "Upgrade: foowebsocketbar"], false), (["Connection: upgrade", "X: websocket"], false),
    (["Upgrade: websocket"], false), ([], false),
  ])
  func noticesAWebSocket(fields: [String], asks: Bool) throws {
    #expect(try inspect(fields) { $0.asksForWebSocket } == asks)
  }

  @Test(
    arguments: [
      (["Max-Forwards: 0"], 0), (["max-forwards:  12 "], 12), (["Max-Forwards: 999999999"], 999_999_999),
      (["Max-Forwards: 1000000000"], 1_000_000_000),
      (["Max-Forwards: 18446744073709551616"], 1_000_000_000), (["Max-Forwards: 0000000000000000000000007"], 7),
      (["Max-Forwards: -1"], nil), (["Max-Forwards: 1a"], nil),
      (["Max-Forwards:"], nil), (["Max-Forwards: 3", "Max-Forwards: 0"], 3), ([], nil),
    ] as [([String], Int64?)])
  func readsMaxForwards(fields: [String], value: Int64?) throws {
    #expect(try inspect(fields) { $0.maxForwards } == value)
  }
}
