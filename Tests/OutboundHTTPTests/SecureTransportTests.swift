import CertificateKit
import Effects
import Foundation
import LoopRuntime
import OutboundHTTP
import TestKit
import Testing

/// HTTPS against a server of another make.
@Suite(.ownThreads) struct SecureTransportTests {
  private typealias Wish = TestAuthority.Wish

  private func fixture(_ change: (inout OutboundOptions) -> Void = { _ in }) throws -> OutboundFixture {
    let root = try TestAuthority.shared.get().rootFile
    return try OutboundFixture(names: { _ in .addresses([IPAddress(v4: 0x7f00_0001)]) }) {
      $0.certificateFiles = [root]
      change(&$0)
    }
  }

  private func origin(_ wish: Wish = Wish(), _ manner: TLSOrigin.Manner = .serve) throws -> TLSOrigin {
    try TLSOrigin(TestAuthority.shared.get().certificate(wish), manner)
  }

  @Test func sendsByTLSAndKeepsTheConnection() async throws {
    let origin = try origin()
    let fixture = try fixture()
    for _ in 0..<3 {
      let response = try await fixture.send("https://localhost:\(origin.port)/a?b", body: "12345")
      #expect(response.text == "TLSv1.3 localhost POST /a?b 5")
      #expect(response.field("X-Connection") == "1")
    }
    // Another name is another origin, for which the first connection was not verified.
    let response = try await fixture.send("https://127.0.0.1:\(origin.port)/")
    #expect(response.text == "TLSv1.3 None GET / 0")
    #expect(response.field("X-Connection") == "2")
  }

  @Test func speaksTLS12() async throws {
    let origin = try origin(Wish(), .twelve)
    #expect(try await fixture().send("https://localhost:\(origin.port)/").text == "TLSv1.2 localhost GET / 0")
  }

  @Test func aServerThatDripsIsUnderstood() async throws {
    let origin = try origin(Wish(), .drip)
    let fixture = try fixture()
    for _ in 0..<2 {
      #expect(try await fixture.send("https://localhost:\(origin.port)/", body: "x").text == "TLSv1.3 None POST / 1")
    }
  }

  @Test func sendsALargeBodyWhole() async throws {
    let origin = try origin()
    let body = String(repeating: "x", count: 3 << 20)
    let response = try await fixture().send("https://localhost:\(origin.port)/", body: body)
    #expect(response.text == "TLSv1.3 localhost POST / \(3 << 20)")
  }

  @Test func aHundredRequestsAtOnce() async throws {
    let origin = try origin()
    let fixture = try fixture()
    try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<100 {
        group.addTask { try await fixture.send("https://localhost:\(origin.port)/\(number)", body: "x").text }
      }
      var texts: Set<String> = []
      for try await text in group { texts.insert(text) }
      #expect(texts == Set((0..<100).map { "TLSv1.3 localhost POST /\($0) 1" }))
    }
    fixture.transport.stop()
    #expect(try OpenConnections.count(to: origin.port) == 0)
  }

  // MARK: Certificates

  /// What is wrong with a certificate, and what the error says.
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: String
    var host = "localhost"
    var change: @Sendable (inout TestAuthority.Wish) -> Void
  }

  static let faults = [
    Fault(testDescription: "expired", words: "expired 2021-01-01T00:00:00Z") { $0.until = "20210101000000Z" },
    Fault(testDescription: "not yet valid", words: "valid only from 2090-") { $0.from = "20900101000000Z" },
    Fault(testDescription: "wrong host", words: "not for localhost but for other.example") {
      $0.names = ["DNS:other.example"]
    },
    Fault(testDescription: "wrong address", words: "not for 127.0.0.1 but for 127.0.0.2", host: "127.0.0.1") {
      $0.names = ["IP:127.0.0.2"]
    },
    Fault(testDescription: "common name only", words: "a common name does not count") {
      $0.commonName = "localhost"
      $0.names = []
    },
    Fault(testDescription: "wildcard over two labels", words: "not for a.b.test.example", host: "a.b.test.example") {
      $0.names = ["DNS:*.test.example"]
    },
    Fault(testDescription: "self-signed", words: "signed by itself") { $0.issuer = .itself },
    Fault(testDescription: "unknown issuer", words: "Test stranger is not trusted here") { $0.issuer = .stranger },
    Fault(testDescription: "missing intermediate", words: "leaves out a certificate between") {
      $0.issuer = .intermediate
      $0.bringsIntermediate = false
    },
    Fault(testDescription: "for clients", words: "not made for this") { $0.usage = "clientAuth" },
    Fault(testDescription: "SHA-1", words: "too weak") { $0.digest = "sha1" },
    Fault(testDescription: "1024 bits", words: "too weak") {
      $0.key = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"]
    },
  ]

  @Test(arguments: faults)
  func refusesTheCertificate(_ fault: Fault) async throws {
    let origin = try origin(Wish(fault.change))
    let error = try await fixture().failure("https://\(fault.host):\(origin.port)/", body: "secret")
    #expect(error.code == .untrusted)
    #expect(error.detail.contains(fault.words), "\(error.detail)")
    #expect(!error.mayHaveArrived)
  }

  @Test func trustsOnlyTheSystemWithoutFiles() async throws {
    let origin = try origin()
    let error = try await OutboundFixture().failure("https://localhost:\(origin.port)/", body: "x")
    #expect(error.code == .untrusted)
  }

  @Test(arguments: [("a.backends.example", ["DNS:*.backends.example"]), ("127.0.0.1", ["IP:127.0.0.1"])])
  func takesTheCertificate(_ host: String, _ names: [String]) async throws {
    let origin = try origin(
      Wish {
        $0.names = names
        $0.issuer = .intermediate
      })
    #expect(try await fixture().send("https://\(host):\(origin.port)/").status == 200)
  }

  @Test func rootsThatCannotBeReadAreAFailureOfEachRequestAndMayBeRepaired() async throws {
    let origin = try origin()
    let path = NSTemporaryDirectory() + "footfall-\(UUID().uuidString).pem"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let fixture = try fixture { $0.certificateFiles = [path] }
    let error = try await fixture.failure("https://localhost:\(origin.port)/", body: "x")
    #expect(error.code == .untrusted)
    #expect(error.detail.contains(path))
    #expect(!error.mayHaveArrived)
    try FileManager.default.copyItem(atPath: TestAuthority.shared.get().rootFile, toPath: path)
    #expect(try await fixture.send("https://localhost:\(origin.port)/").status == 200)
  }

  // MARK: Servers

  @Test(arguments: [
    (TLSOrigin.Manner.old, TransportError.Code.untrusted, "TLS 1.2 is the least"),
    (.plain, .untrusted, "does not speak TLS"),
    (.unencrypted, .untrusted, "no common way of encrypting"), (.hangUp, .unreachable, "handshake"),
  ])
  func tellsAHandshakeThatFails(
    _ manner: TLSOrigin.Manner, _ code: TransportError.Code, _ words: String
  ) async throws {
    let origin = try origin(Wish(), manner)
    let error = try await fixture().failure("https://localhost:\(origin.port)/", body: "x")
    #expect(error.code == code)
    #expect(error.detail.contains(words), "\(error.detail)")
    #expect(!error.mayHaveArrived)
  }

  @Test func shakesHandsOnlySoLong() async throws {
    let origin = try origin(Wish(), .silent)
    let error = try await fixture { $0.handshakeMilliseconds = 60 }
      .failure("https://localhost:\(origin.port)/", body: "x")
    #expect(error.code == .timedOut)
    #expect(error.detail.contains("TLS handshake"))
    #expect(!error.mayHaveArrived)
  }

  @Test func aServerThatWantsACertificateRefusesUs() async throws {
    let origin = try origin(Wish(), .mutual)
    let error = try await fixture().failure("https://localhost:\(origin.port)/", body: "x")
    // With TLS 1.3 the refusal comes after the request; it is the only one that says so.
    #expect(error.code == .interrupted)
    #expect(error.detail.contains("certificate required"), "\(error.detail)")
  }

  @Test func readsAResponseThatEndsWithAGoodbye() async throws {
    let origin = try origin(Wish(), .untilClose)
    let fixture = try fixture()
    for _ in 0..<2 {
      #expect(try await fixture.send("https://localhost:\(origin.port)/").text == "TLSv1.3 localhost GET / 0")
    }
  }

  @Test func aStreamWithoutAGoodbyeIsNotTheWholeResponse() async throws {
    let origin = try origin(Wish(), .truncate)
    let error = try await fixture().failure("https://localhost:\(origin.port)/", body: "x")
    #expect(error.code == .interrupted)
    #expect(error.detail.contains("goodbye"))
    #expect(error.mayHaveArrived)
  }

  @Test func aLengthThatIsNotReachedIsNotTheWholeResponse() async throws {
    let origin = try origin(Wish(), .short)
    let error = try await fixture().failure("https://localhost:\(origin.port)/", body: "x")
    #expect(error.code == .interrupted)
    #expect(error.mayHaveArrived)
  }

  @Test func aServerWithoutTLSIsNotReachedByHTTPS() async throws {
    let origin = try ScriptedOrigin.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
    // The origin waits for the end of a head that never comes, and we for its part of the handshake.
    let error = try await fixture { $0.handshakeMilliseconds = 100 }
      .failure("https://127.0.0.1:\(origin.port)/", body: "secret")
    #expect(error.code == .timedOut)
    #expect(origin.requests.isEmpty)
  }
}
