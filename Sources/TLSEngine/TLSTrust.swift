/// Which roots a client believes.
package struct TLSTrust: Sendable, Hashable {
  /// The roots of the system: those that OpenSSL finds by its default paths, `SSL_CERT_FILE` and `SSL_CERT_DIR`.
  package var usesSystemRoots: Bool
  /// Paths of PEM files. Each certificate in them is believed, also one that is no root.
  package var files: [String]

  package init(usesSystemRoots: Bool = true, files: [String] = []) {
    self.usesSystemRoots = usesSystemRoots
    self.files = files
  }
}

/// What a server shows and proves: a chain of certificates, its own first, and the key of that.
///
/// Its description does not tell the key.
package struct TLSIdentity: Sendable, CustomStringConvertible {
  let certificateChain: [UInt8]
  let privateKey: [UInt8]

  /// Both in PEM; the key without a password.
  package init(certificateChain: [UInt8], privateKey: [UInt8]) {
    self.certificateChain = certificateChain
    self.privateKey = privateKey
  }

  package var description: String { "a TLS identity" }
}
