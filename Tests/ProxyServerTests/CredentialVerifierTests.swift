import Effects
import Foundation
import Synchronization
import Testing

@testable import ProxyServer

@Suite struct CredentialVerifierTests {
  private final class Log: Sendable {
    let looked = Mutex<[String]>([])
    let answers = Mutex<[String]>([])
    let mayGoOn = DispatchSemaphore(value: 0)
  }

  private static func verifier(_ log: Log, queueLimit: Int = 256, clientLimit: Int = 8) -> CredentialVerifier {
    CredentialVerifier(queueLimit: queueLimit, clientLimit: clientLimit) { password, hash in
      log.mayGoOn.wait()
      log.looked.withLock { $0.append(hash) }
      return String(decoding: password, as: UTF8.self) == hash
    }
  }

  private static func ask(
    _ verifier: CredentialVerifier, _ log: Log, _ credentials: String, _ hash: String, from address: UInt32? = nil
  ) -> Bool {
    verifier.verify(
      .init(credentials: Array(credentials.utf8), hash: hash), password: Array(credentials.utf8),
      for: address.map { IPAddress(v4: $0) }
    ) { isRight in log.answers.withLock { $0.append("\(credentials)-\(hash)-\(isRight)") } }
  }

  @Test func looksOnceAtWhatSeveralAsk() {
    let log = Log()
    let verifier = Self.verifier(log)
    for _ in 0..<5 { #expect(Self.ask(verifier, log, "a", "a")) }
    #expect(Self.ask(verifier, log, "a", "b"))
    for _ in 0..<2 { log.mayGoOn.signal() }
    #expect(eventually { log.answers.withLock { $0.count } == 6 })
    #expect(log.looked.withLock { $0 } == ["a", "b"])
    #expect(log.answers.withLock { $0 } == Array(repeating: "a-a-true", count: 5) + ["a-b-false"])
    verifier.stop()
  }

  @Test func letsNoClientMakeMoreThanAFewWait() {
    let log = Log()
    let verifier = Self.verifier(log, queueLimit: 5, clientLimit: 2)
    #expect(Self.ask(verifier, log, "1", "h", from: 1))
    #expect(Self.ask(verifier, log, "2", "h", from: 1))
    #expect(!Self.ask(verifier, log, "3", "h", from: 1))
    #expect(Self.ask(verifier, log, "2", "h", from: 1), "what is asked already costs nothing")
    for address in UInt32(2)..<5 { #expect(Self.ask(verifier, log, "1\(address)", "h", from: address)) }
    #expect(!Self.ask(verifier, log, "9", "h", from: 9), "the queue is full")
    for _ in 0..<5 { log.mayGoOn.signal() }
    #expect(eventually { log.answers.withLock { $0.count } == 6 })
    log.mayGoOn.signal()
    #expect(Self.ask(verifier, log, "3", "h", from: 1), "there is room again")
    #expect(eventually { log.answers.withLock { $0.count } == 7 })
    verifier.stop()
  }

  @Test func takesAnIPv6NetworkForOneClient() {
    let log = Log()
    let verifier = Self.verifier(log, clientLimit: 2)
    let asked = (UInt64(1)...4).map { number in
      verifier.verify(
        .init(credentials: [UInt8(number)], hash: "h"), password: [], for: IPAddress(high: 0x2001 << 48, low: number)
      ) { _ in }
    }
    #expect(asked == [true, true, false, false])
    for _ in 0..<2 { log.mayGoOn.signal() }
    verifier.stop()
  }

  @Test func stopsWithoutAnsweringThoseThatWait() {
    let log = Log()
    let verifier = Self.verifier(log)
    for number in 0..<3 { #expect(Self.ask(verifier, log, "\(number)", "h")) }
    for _ in 0..<3 { log.mayGoOn.signal() }
    verifier.stop()
    #expect(!Self.ask(verifier, log, "4", "h"))
    verifier.stop()
  }
}
