import CertificateKit
import Foundation
import TLSEngine
import Testing

@Suite struct TLSContextTests {
  private func fault(_ body: () throws -> Void) -> TLSFault? {
    do {
      try body()
      return nil
    } catch {
      return error as? TLSFault
    }
  }

  @Test func readsTheRootsOfTheSystem() throws {
    _ = try TLSContext(client: TLSTrust())
  }

  @Test(arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
  func refusesAFileWithoutCertificates(_ text: String) throws {
    let path = NSTemporaryDirectory() + "footfall-\(UUID().uuidString).pem"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let found = fault { _ = try TLSContext(client: TLSTrust(usesSystemRoots: false, files: [path])) }
    #expect(found?.code == .unusableMaterial)
    #expect(found?.detail.contains(path) == true)
  }

  @Test func refusesAFileThatIsNotThere() {
    let found = fault { _ = try TLSContext(client: TLSTrust(files: ["/nonexistent/roots.pem"])) }
    #expect(found?.code == .unusableMaterial)
    #expect(found?.detail.contains("/nonexistent/roots.pem") == true)
  }

  @Test func refusesAnIdentityThatIsNone() throws {
    let authority = try TestAuthority.shared.get()
    let one = try authority.certificate()
    let other = try authority.certificate()
    let pairs: [([UInt8], [UInt8])] = [
      ([], try one.key()), (try one.chain(), []), (try one.chain(), try other.key()),
      (Array("garbage".utf8), try one.key()), (try one.key(), try one.key()),
    ]
    for (chain, key) in pairs {
      let found = fault { _ = try TLSContext(server: TLSIdentity(certificateChain: chain, privateKey: key)) }
      #expect(found?.code == .unusableMaterial)
    }
  }

  @Test(arguments: ["", String(repeating: "x", count: 256)])
  func refusesAProtocolNameThatCannotBeSent(_ name: String) throws {
    let certificate = try TestAuthority.shared.get().certificate()
    let identity = TLSIdentity(certificateChain: try certificate.chain(), privateKey: try certificate.key())
    #expect(fault { _ = try TLSContext(server: identity, protocols: [name]) }?.code == .unusableMaterial)
  }

  @Test func theTextOfAnIdentityDoesNotTellTheKey() throws {
    let certificate = try TestAuthority.shared.get().certificate()
    let identity = TLSIdentity(certificateChain: try certificate.chain(), privateKey: try certificate.key())
    #expect("\(identity)" == "a TLS identity")
  }
}
