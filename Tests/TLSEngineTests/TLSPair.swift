import CertificateKit
import TLSEngine
import TestKit
import Testing

/// A client and a server that talk through memory, in pieces of any size.
final class TLSPair {
  /// One side, with what it has received.
  final class Side {
    let session: TLSSession
    fileprivate(set) var plaintext: [UInt8] = []
    fileprivate(set) var fault: TLSFault?
    /// The room for plaintext that each call gets.
    var room = 4096 {
      didSet { place = [UInt8](repeating: 0, count: room) }
    }
    private var place = [UInt8](repeating: 0, count: 4096)

    init(_ session: TLSSession) { self.session = session }

    /// All that goes out.
    func output() -> [UInt8] { session.takeOutput { Array(UnsafeBufferPointer(start: $0, count: $1)) } ?? [] }

    /// Takes ciphertext in, until all of it is used.
    func take(_ bytes: [UInt8]) {
      var rest = bytes[...]
      while fault == nil {
        let result = Array(rest).withUnsafeBufferPointer { input in
          place.withUnsafeMutableBufferPointer { output in
            session.receive(
              input.baseAddress ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped, input.count,
              into: output.baseAddress ?? UnsafeMutablePointer(bitPattern: 1).unsafelyUnwrapped, output.count)
          }
        }
        plaintext += place[..<result.produced]
        fault = result.fault
        rest = rest.dropFirst(result.consumed)
        if result.produced < room, rest.isEmpty { return }
      }
    }
  }

  let client: Side
  let server: Side

  init(client: TLSContext, server: TLSContext, host: String = "localhost", protocols: [String] = []) throws {
    self.client = Side(try TLSSession(client: client, host: host, protocols: protocols))
    self.server = Side(try TLSSession(server: server))
    try self.client.session.start()
  }

  /// Carries what there is to carry, in pieces of the sizes that the closure gives, until both are silent.
  func exchange(pieces size: () -> Int = { Int.max }) {
    while true {
      let there = client.output()
      carry(there, to: server, size)
      let back = server.output()
      carry(back, to: client, size)
      if there.isEmpty, back.isEmpty { return }
    }
  }

  private func carry(_ bytes: [UInt8], to side: Side, _ size: () -> Int) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(max(size(), 1))
      rest = rest.dropFirst(piece.count)
      side.take(Array(piece))
    }
  }

  /// Carries until both are silent; then what the client found.
  func clientFault() -> TLSFault? {
    exchange()
    return client.fault
  }
}

/// The contexts that tests share.
enum TestContexts {
  static func authority() throws -> TestAuthority { try TestAuthority.shared.get() }

  /// A client that trusts the authority's root alone.
  static func client(files: [String]? = nil) throws -> TLSContext {
    let files = try files ?? [authority().rootFile]
    return try TLSContext(client: TLSTrust(usesSystemRoots: false, files: files))
  }

  static func server(_ wish: TestAuthority.Wish = TestAuthority.Wish(), protocols: [String] = []) throws -> TLSContext {
    let certificate = try authority().certificate(wish)
    return try TLSContext(
      server: TLSIdentity(certificateChain: certificate.chain(), privateKey: certificate.key()), protocols: protocols)
  }
}
