import HTTPWire
import ProxyCore
import Testing

/// Playbooks: what comes in, line by line, and what the exchange decides.
@Suite struct ExchangeTests {
  @Test(arguments: [
    ("GET", "HTTP/1.1 200 OK", ["Content-Length: 5"], Exchange.Delivery.length(5)),
    ("GET", "HTTP/1.1 200 OK", ["Content-Length: 0"], .none),
    ("GET", "HTTP/1.1 200 OK", ["Content-Length: 5, 5"], .length(5)),
    ("GET", "HTTP/1.1 200 OK", ["Transfer-Encoding: chunked"], .relayedChunks),
    ("GET", "HTTP/1.1 200 OK", [], .encodedChunks),
    ("GET", "HTTP/1.0 200 OK", [], .encodedChunks),
    ("HEAD", "HTTP/1.1 200 OK", ["Content-Length: 5"], .none),
    ("HEAD", "HTTP/1.1 200 OK", ["Transfer-Encoding: chunked"], .none),
    ("HEAD", "HTTP/1.1 200 OK", [], .none),
    ("GET", "HTTP/1.1 204 No Content", ["Content-Length: 5"], .none),
    ("GET", "HTTP/1.1 304 Not Modified", ["Content-Length: 5"], .none),
    ("POST", "HTTP/1.1 500 Oops", ["Content-Length: 3"], .length(3)),
  ])
  func deliversByTheFramingOfTheResponse(
    method: String, status: String, fields: [String], delivery: Exchange.Delivery
  ) throws {
    var exchange = Exchange(try requestHead("\(method) http://h/ HTTP/1.1"))
    let head = try responseHead(([status] + fields).joined(separator: "\r\n"))
    #expect(exchange.received(head) == .final(delivery: delivery, keepsClient: true))
    #expect(exchange.delivery == delivery)
  }

  @Test func decodesChunksForAClientOfHTTP10AndCloses() throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.0", "Connection: keep-alive"))
    let head = try responseHead("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
    #expect(exchange.received(head) == .final(delivery: .decodedChunks, keepsClient: false))
    exchange.headWasSent()
    #expect(Ending(exchange) == Ending(keepsClient: false, keepsUpstream: true, lingers: false))
  }

  @Test func leavesABodyUntilCloseAsItIsForAClientOfHTTP10() throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.0"))
    #expect(exchange.received(try responseHead("HTTP/1.1 200 OK")) == .final(delivery: .untilClose, keepsClient: false))
    exchange.headWasSent()
    #expect(exchange.loss(.connectionLost, cleanly: true, reused: false) == .finish)
    #expect(exchange.completed(upstreamIsClean: false).keepsUpstream == false)
  }

  @Test func neverKeepsAClientOfHTTP10() throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.0", "Connection: keep-alive"))
    let head = try responseHead("HTTP/1.1 200 OK", "Content-Length: 1")
    #expect(exchange.received(head) == .final(delivery: .length(1), keepsClient: false))
  }

  @Test(arguments: ["Connection: close", "Proxy-Connection: close"])
  func closesWhenTheClientAsksFor(field: String) throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.1", field))
    let head = try responseHead("HTTP/1.1 200 OK", "Content-Length: 1")
    #expect(exchange.received(head) == .final(delivery: .length(1), keepsClient: false))
    #expect(exchange.completed(upstreamIsClean: true).keepsUpstream)
  }

  @Test func endsTheConnectionWhenToldSoBeforeTheResponse() throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.1"))
    exchange.endsConnection()
    let head = try responseHead("HTTP/1.1 200 OK", "Content-Length: 1")
    #expect(exchange.received(head) == .final(delivery: .length(1), keepsClient: false))
    #expect(!exchange.clientAllowsKeepAlive)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK", "Connection: close", false), ("HTTP/1.1 200 OK", "X: y", true),
    ("HTTP/1.0 200 OK", "X: y", false), ("HTTP/1.0 200 OK", "Connection: keep-alive", true),
  ])
  func poolsTheOriginWhenItKeepsItsConnection(status: String, field: String, keeps: Bool) throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.1"))
    _ = exchange.received(try responseHead(status, "Content-Length: 1", field))
    exchange.headWasSent()
    #expect(exchange.completed(upstreamIsClean: true).keepsUpstream == keeps)
    #expect(!exchange.completed(upstreamIsClean: false).keepsUpstream)
  }

  // MARK: Interim responses

  @Test func passesInterimResponsesOnAndThenTheFinalOne() throws {
    var exchange = Exchange(try requestHead("POST http://h/ HTTP/1.1", "Content-Length: 3", "Expect: 100-continue"))
    #expect(exchange.received(try responseHead("HTTP/1.1 100 Continue")) == .interim(forward: true))
    #expect(exchange.received(try responseHead("HTTP/1.1 103 Early Hints", "Link: <x>")) == .interim(forward: true))
    exchange.requestEnded()
    let final = try responseHead("HTTP/1.1 200 OK", "Content-Length: 2")
    #expect(exchange.received(final) == .final(delivery: .length(2), keepsClient: true))
  }

  @Test func keepsInterimResponsesFromAClientOfHTTP10() throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.0"))
    #expect(exchange.received(try responseHead("HTTP/1.1 102 Processing")) == .interim(forward: false))
  }

  @Test func refusesAFloodOfInterimResponses() throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.1"))
    let head = try responseHead("HTTP/1.1 100 Continue")
    for _ in 0..<Exchange.interimLimit { #expect(exchange.received(head) == .interim(forward: true)) }
    #expect(exchange.received(head) == .refused(.tooManyInterimResponses))
    exchange.answerArrived()
    #expect(
      exchange.loss(.tooManyInterimResponses, cleanly: false, reused: true) == .answer(.tooManyInterimResponses))
  }

  @Test(arguments: [
    ("Via: 1.1 a", "HTTP/1.1", true, true), ("Via: 1.1 a", "HTTP/1.1", false, false),
    ("Via: 1.1 a", "HTTP/1.0", true, false), ("Content-Length: 3", "HTTP/1.1", true, false),
  ])
  func switchesOnlyToWhatWasOfferedAndAfterTheWholeRequest(
    field: String, version: String, isOffered: Bool, switches: Bool
  ) throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.1", field))
    let head = try responseHead("\(version) 101 Switching Protocols", "Upgrade: websocket", "Connection: upgrade")
    #expect(exchange.received(head, isOfferedSwitch: isOffered) == (switches ? .switched : .refused(.unexpectedSwitch)))
  }

  @Test func passesNoChallengeOfAnOriginForAProxy() throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.1"))
    let head = try responseHead("HTTP/1.1 407 x", "Proxy-Authenticate: Basic realm=x", "Content-Length: 0")
    #expect(exchange.received(head) == .refused(.unexpectedChallenge))
  }

  @Test func switchesAfterInterimResponsesAndTheBody() throws {
    var exchange = Exchange(try requestHead("POST http://h/ HTTP/1.1", "Content-Length: 3", "Expect: 100-continue"))
    #expect(exchange.received(try responseHead("HTTP/1.1 100 Continue")) == .interim(forward: true))
    exchange.requestEnded()
    let head = try responseHead("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: upgrade")
    #expect(exchange.received(head, isOfferedSwitch: true) == .switched)
  }

  @Test func refusesAnotherCodingThanChunked() throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.1"))
    #expect(
      exchange.received(try responseHead("HTTP/1.1 200 OK", "Transfer-Encoding: gzip")) == .refused(.malformedResponse))
    var head = Exchange(try requestHead("HEAD http://h/ HTTP/1.1"))
    #expect(
      head.received(try responseHead("HTTP/1.1 200 OK", "Transfer-Encoding: gzip"))
        == .final(delivery: .none, keepsClient: true))
  }

  // MARK: An answer before the end of the request

  @Test func lingersAfterAnAnswerToAnUnfinishedRequest() throws {
    var exchange = Exchange(try requestHead("POST http://h/ HTTP/1.1", "Content-Length: 100"))
    let head = try responseHead("HTTP/1.1 413 Content Too Large", "Content-Length: 2")
    #expect(exchange.received(head) == .final(delivery: .length(2), keepsClient: false))
    exchange.headWasSent()
    #expect(Ending(exchange) == Ending(keepsClient: false, keepsUpstream: false, lingers: true))
  }

  @Test(
    arguments: [
      (0, true), (1, true), (Exchange.drainLimit, true), (Exchange.drainLimit + 1, false), (nil, false),
    ] as [(Int64?, Bool)])
  func readsWhatLittleIsLeftOfTheRequest(unsent: Int64?, drains: Bool) throws {
    var exchange = Exchange(try requestHead("POST http://h/ HTTP/1.1", "Content-Length: 1000000"))
    let head = try responseHead("HTTP/1.1 401 Unauthorized", "Content-Length: 2")
    #expect(exchange.received(head, unsentBody: unsent) == .final(delivery: .length(2), keepsClient: drains))
    exchange.headWasSent()
    let completion = exchange.completed(upstreamIsClean: true)
    #expect(completion.drains == drains)
    #expect(completion.lingers == !drains)
    #expect(!completion.keepsClient && !completion.keepsUpstream)
    // If the rest came while the answer was on its way, there is nothing left to do.
    exchange.requestEnded()
    #expect(Ending(exchange) == Ending(keepsClient: drains, keepsUpstream: true, lingers: false))
  }

  @Test func waitsForNoBodyThatTheClientHoldsBack() throws {
    let fields = ["Content-Length: 3", "Expect: 100-continue"].joined(separator: "\r\n")
    let refusal = try responseHead("HTTP/1.1 417 Expectation Failed", "Content-Length: 0")
    var exchange = Exchange(try requestHead("POST http://h/ HTTP/1.1", fields))
    #expect(exchange.awaitsContinue)
    #expect(exchange.received(refusal, unsentBody: 3) == .final(delivery: .none, keepsClient: false))
    // Once it was told to go on, or has begun by itself, it will send all of it.
    var told = Exchange(try requestHead("POST http://h/ HTTP/1.1", fields))
    _ = told.received(try responseHead("HTTP/1.1 102 Processing"))
    #expect(told.awaitsContinue)
    _ = told.received(try responseHead("HTTP/1.1 100 Continue"))
    #expect(!told.awaitsContinue)
    #expect(told.received(refusal, unsentBody: 3) == .final(delivery: .none, keepsClient: true))
    var begun = Exchange(try requestHead("POST http://h/ HTTP/1.1", fields))
    begun.requestBodyBegan()
    #expect(begun.received(refusal, unsentBody: 3) == .final(delivery: .none, keepsClient: true))
  }

  @Test(arguments: [
    ("HTTP/1.1", "Content-Length: 3", true), ("HTTP/1.1", "Transfer-Encoding: chunked", true),
    ("HTTP/1.1", "Content-Length: 0", false), ("HTTP/1.0", "Content-Length: 3", false),
  ])
  func saysContinueOnceForASilentOrigin(version: String, framing: String, says: Bool) throws {
    var exchange = Exchange(try requestHead("POST http://h/ \(version)", framing, "Expect: 100-continue"))
    let answers = (0..<2).map { _ in exchange.originIsSilent() }
    #expect(answers == [says, false])
    // The origin's own may still come.
    let late = exchange.received(try responseHead("HTTP/1.1 100 Continue"))
    #expect(late == .interim(forward: version == "HTTP/1.1"))
  }

  @Test func saysNoContinueBehindAnAnswer() throws {
    var exchange = Exchange(try requestHead("POST http://h/ HTTP/1.1", "Content-Length: 3", "Expect: 100-continue"))
    _ = exchange.received(try responseHead("HTTP/1.1 200 OK", "Content-Length: 2"))
    exchange.headWasSent()
    let says = exchange.originIsSilent()
    #expect(!says)
  }

  @Test func closesEvenIfTheRequestEndsAfterTheEarlyAnswer() throws {
    var exchange = Exchange(try requestHead("POST http://h/ HTTP/1.1", "Transfer-Encoding: chunked"))
    _ = exchange.received(try responseHead("HTTP/1.1 200 OK", "Content-Length: 2"))
    exchange.headWasSent()
    exchange.requestEnded()
    #expect(Ending(exchange) == Ending(keepsClient: false, keepsUpstream: true, lingers: false))
  }

  // MARK: Loss

  @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
  func retriesAnIdempotentRequestOnce(method: String) throws {
    var exchange = Exchange(try requestHead("\(method) http://h/ HTTP/1.1"))
    #expect(exchange.loss(.connectionLost, cleanly: true, reused: true) == .retry)
    #expect(exchange.loss(.connectionLost, cleanly: true, reused: true) == .answer(.connectionLost))
  }

  @Test(arguments: ["POST", "PATCH", "BREW"])
  func neverRetriesWhatMayHaveAnEffect(method: String) throws {
    var exchange = Exchange(try requestHead("\(method) http://h/ HTTP/1.1"))
    #expect(exchange.loss(.connectionLost, cleanly: true, reused: true) == .answer(.connectionLost))
  }

  @Test func neverRetriesWithABody() throws {
    var exchange = Exchange(try requestHead("PUT http://h/ HTTP/1.1", "Content-Length: 3"))
    exchange.requestEnded()
    #expect(exchange.loss(.connectionLost, cleanly: true, reused: true) == .answer(.connectionLost))
  }

  @Test func neverRetriesOnANewConnection() throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.1"))
    #expect(exchange.loss(.connectionLost, cleanly: true, reused: false) == .answer(.connectionLost))
  }

  @Test func neverRetriesAfterAByteOfAnAnswer() throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.1"))
    exchange.answerArrived()
    #expect(exchange.loss(.connectionLost, cleanly: true, reused: true) == .answer(.responseIncomplete))
  }

  @Test(arguments: [ProxyError.malformedResponse, .responseTimeout])
  func neverRetriesForAnotherReasonThanALostConnection(error: ProxyError) throws {
    var exchange = Exchange(try requestHead("GET http://h/ HTTP/1.1"))
    #expect(exchange.loss(error, cleanly: false, reused: true) == .answer(error))
  }

  @Test(arguments: [
    ("HTTP/1.1", "Content-Length: 9", false), ("HTTP/1.1", "Transfer-Encoding: chunked", false),
    ("HTTP/1.0", "Transfer-Encoding: chunked", true), ("HTTP/1.0", "Content-Length: 9", false),
  ])
  func abortsWhatBrokeOffWithAResetWhereAnEndWouldLookWhole(version: String, framing: String, reset: Bool) throws {
    var exchange = Exchange(try requestHead("GET http://h/ \(version)"))
    _ = exchange.received(try responseHead("HTTP/1.1 200 OK", framing))
    exchange.answerArrived()
    exchange.headWasSent()
    #expect(
      exchange.loss(.connectionLost, cleanly: true, reused: true) == .abort(.responseIncomplete, reset: reset))
  }

  @Test func abortsABodyUntilCloseThatEndedWithAnError() throws {
    for (version, reset) in [("HTTP/1.1", false), ("HTTP/1.0", true)] {
      var exchange = Exchange(try requestHead("GET http://h/ \(version)"))
      _ = exchange.received(try responseHead("HTTP/1.1 200 OK"))
      exchange.headWasSent()
      #expect(
        exchange.loss(.connectionLost, cleanly: false, reused: false) == .abort(.responseIncomplete, reset: reset))
    }
  }
}

/// What an exchange decides once a response on a clean connection is complete.
private struct Ending: Equatable {
  var keepsClient: Bool
  var keepsUpstream: Bool
  var lingers: Bool

  init(keepsClient: Bool, keepsUpstream: Bool, lingers: Bool) {
    self.keepsClient = keepsClient
    self.keepsUpstream = keepsUpstream
    self.lingers = lingers
  }

  init(_ exchange: Exchange) {
    let completion = exchange.completed(upstreamIsClean: true)
    self.init(
      keepsClient: completion.keepsClient, keepsUpstream: completion.keepsUpstream, lingers: completion.lingers)
  }
}
