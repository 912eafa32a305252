import TLSEngine
import TestKit
import Testing

@Suite struct TLSSessionTests {
  private func pair(protocols: [String] = [], served: [String] = []) throws -> TLSPair {
    try TLSPair(
      client: TestContexts.client(), server: TestContexts.server(protocols: served), protocols: protocols)
  }

  /// What a client and a server make of each other's words, whatever the pieces are.
  private func converse(_ pair: TLSPair, pieces size: () -> Int) throws {
    pair.exchange(pieces: size)
    #expect(pair.client.session.phase == .established)
    #expect(pair.server.session.phase == .established)
    let question = (0..<20_000).map { UInt8(truncatingIfNeeded: $0) }
    let answer = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try pair.client.session.encrypt(question)
    pair.exchange(pieces: size)
    try pair.server.session.encrypt(answer)
    pair.server.session.finish()
    pair.exchange(pieces: size)
    #expect(pair.server.plaintext == question)
    #expect(pair.client.plaintext == answer)
    #expect(pair.client.session.phase == .ended)
    #expect(pair.client.session.inputEnded() == nil)
    #expect(pair.client.fault == nil)
    #expect(pair.server.fault == nil)
  }

  @Test(arguments: [1, 2, 5, 1000, 16_384, Int.max])
  func talksInPiecesOfAnySize(_ size: Int) throws { try converse(pair()) { size } }

  @Test(arguments: [1 as UInt64, 2, 3, 4, 5])
  func talksInPiecesOfChangingSizes(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try converse(pair()) { Int.random(in: 1...3000, using: &random) }
  }

  @Test(arguments: [1, 100, 100_000])
  func givesNoMoreThanThereIsRoomFor(_ room: Int) throws {
    let pair = try pair()
    pair.client.room = room
    pair.server.room = room
    try converse(pair) { Int.max }
  }

  @Test func agreesOnTheNewestVersion() throws {
    let pair = try pair()
    pair.exchange()
    #expect(pair.client.session.version == "TLSv1.3")
  }

  @Test(
    arguments: [
      (["h2", "http/1.1"], ["http/1.1"], "http/1.1"), (["http/1.1", "h2"], ["h2", "http/1.1"], "h2"),
      (["h2"], [], nil), ([], ["h2"], nil),
    ] as [([String], [String], String?)])
  func choosesAProtocol(_ offered: [String], _ served: [String], _ chosen: String?) throws {
    let pair = try pair(protocols: offered, served: served)
    pair.exchange()
    #expect(pair.client.session.phase == .established)
    #expect(pair.client.session.chosenProtocol == chosen)
    #expect(pair.server.session.chosenProtocol == chosen)
  }

  @Test func refusesAPeerWithoutACommonProtocol() throws {
    let pair = try pair(protocols: ["h3"], served: ["h2"])
    #expect(pair.clientFault()?.code == .refusedByPeer)
  }

  @Test(
    arguments: [("localhost", "localhost"), ("localhost.", "localhost"), ("127.0.0.1", nil)] as [(String, String?)])
  func tellsTheServerNamesButNoAddresses(_ host: String, _ name: String?) throws {
    let pair = try TLSPair(client: TestContexts.client(), server: TestContexts.server(), host: host)
    pair.exchange()
    #expect(pair.client.session.phase == .established)
    #expect(pair.server.session.requestedName == name)
  }

  // MARK: Ends

  @Test func anEndWithoutGoodbyeIsATruncation() throws {
    let pair = try pair()
    pair.exchange()
    try pair.server.session.encrypt(Array("part".utf8))
    pair.exchange()
    #expect(pair.client.plaintext == Array("part".utf8))
    #expect(pair.client.session.inputEnded()?.code == .truncated)
    #expect(pair.client.session.phase == .failed)
  }

  @Test func anEndInTheHandshakeIsToldAsSuch() throws {
    let pair = try pair()
    #expect(pair.client.session.inputEnded()?.code == .endedInHandshake)
  }

  @Test func aRecordThatIsCutIsATruncation() throws {
    let pair = try pair()
    pair.exchange()
    try pair.server.session.encrypt(Array("whole".utf8))
    #expect(!pair.client.session.hasPartialRecord)
    pair.client.take(pair.server.output().dropLast())
    #expect(pair.client.session.hasPartialRecord)
    #expect(pair.client.plaintext.isEmpty)
    #expect(pair.client.session.inputEnded()?.code == .truncated)
  }

  @Test func aChangedByteIsNoticedBehindWhatWasGood() throws {
    let pair = try pair()
    pair.exchange()
    try pair.server.session.encrypt(Array("good".utf8))
    let good = pair.server.output()
    try pair.server.session.encrypt(Array("bad".utf8))
    var bad = pair.server.output()
    bad[bad.count - 1] ^= 1
    pair.client.take(good + bad)
    #expect(pair.client.plaintext == Array("good".utf8))
    #expect(pair.client.fault?.code == .corrupted)
    // It stays so, and tells the peer.
    #expect(throws: TLSFault.self) { try pair.client.session.encrypt([1]) }
    #expect(!pair.client.output().isEmpty)
  }

  @Test func whatFollowsTheGoodbyeDoesNotCount() throws {
    let pair = try pair()
    pair.exchange()
    try pair.server.session.encrypt(Array("last".utf8))
    pair.server.session.finish()
    pair.client.take(pair.server.output() + [1, 2, 3])
    #expect(pair.client.plaintext == Array("last".utf8))
    #expect(pair.client.session.phase == .ended)
    #expect(pair.client.fault == nil)
  }

  @Test func onePeerMayGoOnAfterTheOthersGoodbye() throws {
    let pair = try pair()
    pair.exchange()
    pair.client.session.finish()
    pair.exchange()
    #expect(pair.server.session.phase == .ended)
    try pair.server.session.encrypt(Array("still".utf8))
    pair.exchange()
    #expect(pair.client.plaintext == Array("still".utf8))
    #expect(throws: TLSFault.self) { try pair.client.session.encrypt([1]) }
  }

  @Test func nothingIsSentBeforeTheHandshakeIsOver() throws {
    let pair = try pair()
    #expect(throws: TLSFault.self) { try pair.client.session.encrypt([1]) }
  }

  // MARK: No TLS

  @Test(arguments: [
    "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "220 mail.example ESMTP\r\n",
  ])
  func tellsAPeerThatSpeaksNoTLS(_ text: String) throws {
    let pair = try pair()
    pair.client.take(Array(text.utf8))
    #expect(pair.client.fault?.code == .notTLS)
  }

  @Test func aServerTellsAClientThatSpeaksNoTLS() throws {
    let pair = try pair()
    pair.server.take(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    #expect(pair.server.fault?.code == .notTLS)
  }

  @Test(arguments: [1 as UInt64, 2, 3, 4, 5, 6, 7, 8])
  func survivesGarbage(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let pair = try pair()
    if seed % 2 == 0 { pair.exchange() }
    for _ in 0..<50 {
      let bytes = (0..<Int.random(in: 1...500, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      pair.client.take(bytes)
      pair.server.take(bytes)
    }
    #expect(pair.client.session.phase == .failed)
    #expect(pair.client.plaintext.isEmpty)
    #expect(pair.server.plaintext.isEmpty)
  }

  @Test func anErrorOfOneSessionDoesNotReachAnother() throws {
    let broken = try pair()
    let sound = try pair()
    sound.exchange()
    broken.client.take(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
    #expect(broken.client.fault?.code == .notTLS)
    try sound.server.session.encrypt(Array("well".utf8))
    sound.exchange()
    #expect(sound.client.plaintext == Array("well".utf8))
    #expect(sound.client.fault == nil)
  }
}
