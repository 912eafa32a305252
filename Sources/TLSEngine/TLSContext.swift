import COpenSSL
import Glibc

/// What many sessions share: roots or an identity, and the rules of the protocol. TLS 1.2 is the least.
///
/// `@unchecked Sendable` because it is not changed once it is made, and OpenSSL counts and locks what sessions on
/// several threads share through it.
package final class TLSContext: @unchecked Sendable {
  package enum Role: Sendable { case client, server }

  package let role: Role
  let handle: OpaquePointer
  /// What a server chooses from, as on the wire; its own order counts.
  private let protocols: [UInt8]

  /// For clients that believe those roots. Reads them: tens of milliseconds for the system's.
  package convenience init(client trust: TLSTrust) throws(TLSFault) {
    try self.init(.client, protocols: [])
    SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, TLSVerification.callback)
    footfall_ssl_set_session_cache(handle, Int(SSL_SESS_CACHE_OFF))
    let store = SSL_CTX_get_cert_store(handle)
    // What the operator names is believed, whether or not it is a root.
    X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    if trust.usesSystemRoots {
      guard X509_STORE_set_default_paths(store) == 1 else {
        throw TLSContext.unusable("the system's roots cannot be read")
      }
    }
    for file in trust.files {
      guard X509_STORE_load_file(store, file) == 1 else {
        throw TLSContext.unusable("\(file) cannot be read as a PEM file with certificates")
      }
    }
    TLSErrors.clear()
  }

  /// For servers that show that identity.
  ///
  /// - Parameter protocols: what is offered by ALPN (RFC 7301), the best first; empty for none.
  package convenience init(server identity: TLSIdentity, protocols: [String] = []) throws(TLSFault) {
    try self.init(.server, protocols: try TLSContext.wireForm(protocols))
    try use(identity)
    if !protocols.isEmpty {
      SSL_CTX_set_alpn_select_cb(
        handle, { TLSContext.choose($1, $2, $3, $4, $5) }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  private init(_ role: Role, protocols: [UInt8]) throws(TLSFault) {
    TLSErrors.clear()
    guard TLSContext.isReady, let handle = SSL_CTX_new(role == .client ? TLS_client_method() : TLS_server_method())
    else { throw TLSContext.unusable("OpenSSL cannot be started") }
    self.role = role
    self.handle = handle
    self.protocols = protocols
    // Whatever openssl.cnf says, nothing below these.
    footfall_ssl_set_min_protocol(handle, TLS1_2_VERSION)
    if SSL_CTX_get_security_level(handle) < 2 { SSL_CTX_set_security_level(handle, 2) }
    SSL_CTX_set_options(handle, footfall_ssl_options())
    // An idle connection holds no buffers.
    footfall_ssl_set_mode(handle, Int(SSL_MODE_RELEASE_BUFFERS))
  }

  deinit { SSL_CTX_free(handle) }

  /// Once in the process. Not torn down at exit, because threads may still be using it then.
  private static let isReady = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

  private static func unusable(_ what: String) -> TLSFault {
    TLSFault(.unusableMaterial, TLSErrors.take().map { "\(what) (\($0.words))" } ?? what)
  }

  // MARK: The server's side

  private func use(_ identity: TLSIdentity) throws(TLSFault) {
    let chain = try TLSContext.certificates(identity.certificateChain)
    defer { for certificate in chain { X509_free(certificate) } }
    guard let first = chain.first else { throw TLSFault(.unusableMaterial, "there is no certificate in the chain") }
    guard SSL_CTX_use_certificate(handle, first) == 1 else {
      throw TLSContext.unusable("the certificate cannot be used")
    }
    for certificate in chain.dropFirst() {
      guard footfall_ssl_add_chain_certificate(handle, certificate) == 1 else {
        throw TLSContext.unusable("the chain cannot be used")
      }
    }
    let key = TLSContext.withReader(identity.privateKey) { bio in
      // The callback refuses a password, because the default one asks for it on the terminal.
      PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
    }
    guard let key else { throw TLSContext.unusable("the private key cannot be read") }
    defer { EVP_PKEY_free(key) }
    guard SSL_CTX_use_PrivateKey(handle, key) == 1, SSL_CTX_check_private_key(handle) == 1 else {
      throw TLSContext.unusable("the private key is not that of the certificate")
    }
  }

  private static func withReader<R>(_ bytes: [UInt8], _ body: (OpaquePointer) -> R?) -> R? {
    bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress, let bio = BIO_new_mem_buf(start, CInt(clamping: buffer.count)) else {
        return nil
      }
      defer { BIO_free(bio) }
      return body(bio)
    }
  }

  private static func certificates(_ chain: [UInt8]) throws(TLSFault) -> [OpaquePointer] {
    let certificates = withReader(chain) { bio in
      var certificates: [OpaquePointer] = []
      while let certificate = PEM_read_bio_X509(bio, nil, nil, nil) { certificates.append(certificate) }
      return certificates
    }
    // Reading ends with the error that there is no more.
    TLSErrors.clear()
    return certificates ?? []
  }

  private static func wireForm(_ protocols: [String]) throws(TLSFault) -> [UInt8] {
    var bytes: [UInt8] = []
    for name in protocols {
      guard (1...255).contains(name.utf8.count) else {
        throw TLSFault(.unusableMaterial, "a protocol's name has 1 to 255 bytes")
      }
      bytes.append(UInt8(name.utf8.count))
      bytes += name.utf8
    }
    return bytes
  }

  /// The bytes of ALPN for those names.
  static func offer(_ protocols: [String]) throws(TLSFault) -> [UInt8] { try wireForm(protocols) }

  private static func choose(
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ offeredLength: UInt32, _ context: UnsafeMutableRawPointer?
  ) -> CInt {
    guard let context, let chosen, let length, let offered else { return SSL_TLSEXT_ERR_NOACK }
    let mine = Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().protocols
    var start = 0
    while start < mine.count {
      let size = Int(mine[start])
      var place = 0
      while place < Int(offeredLength) {
        let offeredSize = Int(offered[place])
        if offeredSize == size, place + 1 + size <= Int(offeredLength),
          mine[(start + 1)...].prefix(size).elementsEqual(UnsafeBufferPointer(start: offered + place + 1, count: size))
        {
          // It points into the client's offer, which lives as long as OpenSSL needs it.
          chosen.pointee = offered + place + 1
          length.pointee = UInt8(size)
          return SSL_TLSEXT_ERR_OK
        }
        place += 1 + offeredSize
      }
      start += 1 + size
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
  }
}
