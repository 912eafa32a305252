import CertificateKit
import Foundation
import TLSEngine
import Testing

/// The certificates that a client must refuse, and those that it must take: the classes of badssl.com, made here.
@Suite struct TLSVerificationTests {
  private typealias Wish = TestAuthority.Wish

  private func fault(_ wish: TestAuthority.Wish, host: String = "localhost", files: [String]? = nil) throws -> TLSFault?
  {
    let pair = try TLSPair(client: TestContexts.client(files: files), server: TestContexts.server(wish), host: host)
    let fault = pair.clientFault()
    #expect((fault == nil) == (pair.client.session.phase == .established))
    return fault
  }

  @Test(arguments: [
    ("DNS:localhost", "localhost"), ("DNS:LocalHost", "localhost"), ("DNS:localhost", "LOCALHOST"),
    ("IP:127.0.0.1", "127.0.0.1"), ("IP:::1", "::1"), ("DNS:*.example.com", "a.example.com"),
    ("DNS:other.example,DNS:a.example", "a.example"), ("DNS:a_b.example", "a_b.example"),
    ("DNS:localhost", "localhost."),
  ])
  func takesACertificateForTheHost(_ names: String, _ host: String) throws {
    #expect(try fault(Wish { $0.names = names.split(separator: ",").map(String.init) }, host: host) == nil)
  }

  @Test(arguments: [
    ("DNS:other.example", "localhost"), ("DNS:*.example.com", "example.com"), ("DNS:*.example.com", "a.b.example.com"),
    ("DNS:*.com", "example.org"), ("DNS:a*.example.com", "ab.example.com"), ("DNS:localhost", "127.0.0.1"),
    ("IP:127.0.0.1", "localhost"), ("IP:127.0.0.2", "127.0.0.1"), ("DNS:127.0.0.1", "127.0.0.1"),
    ("IP:::1", "::2"), ("DNS:localhost", "localhost.example"), ("email:localhost", "localhost"),
    ("URI:https://localhost/", "localhost"), ("DNS:*", "localhost"),
  ])
  func refusesACertificateForOtherHosts(_ name: String, _ host: String) throws {
    let found = try #require(try fault(Wish { $0.names = [name] }, host: host))
    #expect(found.code == .wrongHost)
    #expect(found.detail.contains("not for \(host)"))
  }

  @Test func aNameEndsNotWithItsZeroByte() throws {
    // dNSName "localhost\0.evil"
    let bytes = [0x82, 15] + Array("localhost\0.evil".utf8)
    let der = ([0x30, UInt8(bytes.count)] + bytes).map { String(format: "%02x", $0) }.joined(separator: ":")
    let found = try #require(try fault(Wish { $0.names = ["DER:\(der)"] }))
    #expect([.wrongHost, .invalidCertificate].contains(found.code))
  }

  @Test(arguments: ["otherName:1.2.3.4;UTF8:localhost", "dirName:directory", "RID:1.2.3.4"])
  func aNameOfAnotherKindDoesNotCount(_ name: String) throws {
    #expect(try fault(Wish { $0.names = [name] })?.code == .wrongHost)
  }

  @Test func aCertificateWithoutMeasureIsRefused() throws {
    let names = ["DNS:localhost"] + (0..<3000).map { "DNS:a-rather-long-name-of-a-host-number-\($0).example" }
    #expect(try fault(Wish { $0.names = names })?.code == .handshakeFailure)
  }

  @Test func aCommonNameDoesNotCount() throws {
    let found = try fault(
      Wish {
        $0.commonName = "localhost"
        $0.names = []
      })
    #expect(found?.code == .wrongHost)
    #expect(found?.detail.contains("common name does not count") == true)
  }

  @Test func tellsWhomTheCertificateIsFor() throws {
    let found = try fault(Wish { $0.names = ["DNS:a.example", "IP:10.1.2.3", "DNS:b.example", "DNS:c.example"] })
    #expect(found?.detail.hasSuffix("but for a.example, 10.1.2.3, b.example, 1 more") == true)
  }

  @Test func refusesWhatIsPastItsTime() throws {
    let found = try fault(Wish { $0.until = "20210203040506Z" })
    #expect(found?.code == .expired)
    #expect(found?.detail == "the certificate expired 2021-02-03T04:05:06Z")
  }

  @Test func refusesWhatIsBeforeItsTime() throws {
    let found = try fault(Wish { $0.from = "20880203040506Z" })
    #expect(found?.code == .notYetValid)
    #expect(found?.detail == "the certificate is valid only from 2088-02-03T04:05:06Z")
  }

  @Test func refusesACertificateOfItsOwn() throws {
    #expect(try fault(Wish { $0.issuer = .itself })?.code == .selfSigned)
  }

  @Test func takesACertificateOfItsOwnThatTheOperatorNames() throws {
    let certificate = try TestContexts.authority().certificate(Wish { $0.issuer = .itself })
    let server = try TLSContext(
      server: TLSIdentity(certificateChain: certificate.chain(), privateKey: certificate.key()))
    let pair = try TLSPair(client: TestContexts.client(files: [certificate.chainFile]), server: server)
    #expect(pair.clientFault() == nil)
    // It vouches for its own names only.
    let other = try TLSPair(
      client: TestContexts.client(files: [certificate.chainFile]), server: server, host: "other.example")
    #expect(other.clientFault()?.code == .wrongHost)
  }

  @Test func refusesAnUnknownIssuer() throws {
    let found = try fault(Wish { $0.issuer = .stranger })
    #expect(found?.code == .unknownIssuer)
    #expect(found?.detail.contains("Test stranger") == true)
  }

  @Test func refusesEverythingWithoutRoots() throws {
    #expect(try fault(Wish(), files: [])?.code == .unknownIssuer)
  }

  @Test func followsTheChainOverAnIntermediate() throws {
    #expect(try fault(Wish { $0.issuer = .intermediate }) == nil)
  }

  @Test func refusesAChainWithoutItsIntermediate() throws {
    let wish = Wish {
      $0.issuer = .intermediate
      $0.bringsIntermediate = false
    }
    let found = try fault(wish)
    #expect(found?.code == .unknownIssuer)
    #expect(found?.detail.contains("leaves out") == true)
    // The operator may name the intermediate in place of the root.
    #expect(try fault(wish, files: [TestContexts.authority().directory + "/intermediate.pem"]) == nil)
  }

  @Test(arguments: ["clientAuth", "codeSigning"])
  func refusesACertificateForAnotherPurpose(_ usage: String) throws {
    #expect(try fault(Wish { $0.usage = usage })?.code == .wrongPurpose)
  }

  @Test func escapesWhatACertificateSays() throws {
    let found = try fault(
      Wish {
        $0.issuer = .itself
        $0.commonName = "<script>\u{1b}[31m"
      })
    #expect(found?.code == .selfSigned)
    #expect(found?.detail.utf8.allSatisfy { (0x20..<0x7f).contains($0) && $0 != 0x3c } == true)
  }
}
