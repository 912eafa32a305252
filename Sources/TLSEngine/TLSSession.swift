import COpenSSL
import Glibc

/// One side of a TLS connection, without the connection: bytes in, bytes out.
///
/// Ciphertext that came goes into `receive`, plaintext to be sent into `send`; after each of these, and after `start` and
/// `finish`, `takeOutput` has the ciphertext for the peer, alerts included. Nothing waits, nothing calls back.
///
/// handshaking -> established -> ended (the peer said goodbye), and from each of them -> failed.
package final class TLSSession {
  package enum Phase: Sendable { case handshaking, established, ended, failed }

  /// What a call of `receive` did.
  package struct Received: Sendable {
    /// Bytes of the ciphertext that are done with.
    package var consumed: Int
    /// Bytes of plaintext, which lie at the start of the room.
    package var produced: Int
    /// What is wrong with what comes next. The plaintext before it is good.
    package var fault: TLSFault?
  }

  package private(set) var phase = Phase.handshaking
  private let context: TLSContext
  private let ssl: OpaquePointer
  private let wire = TLSWire()
  /// Whom a client wants to talk to.
  let host: String
  /// What the verification found, told by its callback.
  var verificationFault: TLSFault?
  private var fault: TLSFault?
  private var saidGoodbye = false

  /// A client that wants to talk to that host: a name in ASCII, or an address without brackets.
  ///
  /// - Parameter protocols: what is offered by ALPN (RFC 7301), the best first; empty for no offer.
  package convenience init(client context: TLSContext, host: String, protocols: [String] = []) throws(TLSFault) {
    let name = host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
    try self.init(context, host: name)
    try verify(name)
    let offer = try TLSContext.offer(protocols)
    if !offer.isEmpty, SSL_set_alpn_protos(ssl, offer, UInt32(offer.count)) != 0 {
      throw TLSErrors.fault(inHandshake: true)
    }
    SSL_set_connect_state(ssl)
  }

  /// A server.
  package convenience init(server context: TLSContext) throws(TLSFault) {
    try self.init(context, host: "")
    SSL_set_accept_state(ssl)
  }

  private init(_ context: TLSContext, host: String) throws(TLSFault) {
    TLSErrors.clear()
    guard let ssl = SSL_new(context.handle) else { throw TLSErrors.fault(inHandshake: true) }
    guard let bio = wire.makeBIO() else {
      SSL_free(ssl)
      throw TLSErrors.fault(inHandshake: true)
    }
    self.context = context
    self.ssl = ssl
    self.host = host
    // One BIO for both ways; the session owns it from now on.
    SSL_set_bio(ssl, bio, bio)
    // Unretained because the callbacks that read it run only inside calls of this object.
    footfall_ssl_set_owner(ssl, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { SSL_free(ssl) }

  /// Asks for a certificate of that name or address, and names it to the server (RFC 6066, section 3: names only).
  private func verify(_ name: String) throws(TLSFault) {
    let parameters = SSL_get0_param(ssl)
    guard !name.isEmpty else { throw TLSFault(.failed, "there is no name to verify") }
    if X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1 { return }
    TLSErrors.clear()
    // RFC 9525: no common names, and `*` only as the whole of the first label.
    let flags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS
    X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(flags))
    guard X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1, footfall_ssl_set_server_name(ssl, name) == 1 else {
      throw TLSErrors.fault(inHandshake: true)
    }
  }

  // MARK: What was agreed

  /// `TLSv1.3`, `TLSv1.2`.
  package var version: String { String(cString: SSL_get_version(ssl)) }

  /// The protocol that both chose by ALPN.
  package var chosenProtocol: String? {
    var bytes: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &bytes, &count)
    return bytes.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self) }
  }

  /// The name that the client asked for; on the server's side.
  package var requestedName: String? {
    SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
  }

  /// The session goes on where an earlier one ended.
  package var isResumed: Bool { SSL_session_reused(ssl) == 1 }

  // MARK: Bytes

  /// Begins the handshake: a client has something to send then.
  package func start() throws(TLSFault) {
    TLSErrors.clear()
    shakeHands()
    if let fault { throw fault }
  }

  /// Takes in ciphertext and gives plaintext, as far as the room goes. To be called again with the rest of the
  /// ciphertext while `produced` fills the room or `consumed` is less than `count`, unless there is a fault.
  package func receive(
    _ ciphertext: UnsafePointer<UInt8>, _ count: Int, into room: UnsafeMutablePointer<UInt8>, _ capacity: Int
  ) -> Received {
    if let fault { return Received(consumed: 0, produced: 0, fault: fault) }
    wire.offer(ciphertext, count)
    defer { wire.withdraw() }
    TLSErrors.clear()
    if phase == .handshaking { shakeHands() }
    var produced = 0
    while phase == .established, produced < capacity {
      let length = SSL_read(ssl, room + produced, CInt(clamping: capacity - produced))
      if length > 0 {
        produced += Int(length)
        continue
      }
      switch SSL_get_error(ssl, length) {
      case SSL_ERROR_WANT_READ: return Received(consumed: count - wire.inputCount, produced: produced)
      case SSL_ERROR_ZERO_RETURN: phase = .ended
      default: fail(TLSErrors.fault(inHandshake: false))
      }
    }
    // Behind the goodbye nothing counts.
    let consumed = phase == .ended ? count : count - wire.inputCount
    return Received(consumed: consumed, produced: produced, fault: fault)
  }

  /// Encrypts plaintext; only while established.
  package func send(_ plaintext: UnsafePointer<UInt8>, _ count: Int) throws(TLSFault) {
    if let fault { throw fault }
    guard phase == .established || phase == .ended, !saidGoodbye else {
      throw TLSFault(.failed, "nothing can be sent now")
    }
    TLSErrors.clear()
    var sent = 0
    while sent < count {
      let length = SSL_write(ssl, plaintext + sent, CInt(clamping: count - sent))
      guard length > 0 else {
        let fault = TLSErrors.fault(inHandshake: false)
        fail(fault)
        throw fault
      }
      sent += Int(length)
    }
  }

  /// Encrypts those bytes; only while established.
  package func encrypt(_ plaintext: [UInt8]) throws(TLSFault) {
    let result = plaintext.withUnsafeBufferPointer { buffer -> Result<Void, TLSFault> in
      guard let start = buffer.baseAddress else { return .success(()) }
      do throws(TLSFault) {
        return .success(try send(start, buffer.count))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Says goodbye: nothing more will be sent.
  package func finish() {
    guard phase == .established || phase == .ended, !saidGoodbye else { return }
    saidGoodbye = true
    TLSErrors.clear()
    SSL_shutdown(ssl)
    TLSErrors.clear()
  }

  /// The connection has ended. Nil when the peer had said goodbye; otherwise what is missing.
  package func inputEnded() -> TLSFault? {
    switch phase {
    case .ended: return nil
    case .failed: return fault
    case .handshaking: fail(TLSFault(.endedInHandshake, "the peer ended the connection within the TLS handshake"))
    case .established: fail(TLSFault(.truncated, "the peer ended the connection without a TLS goodbye"))
    }
    return fault
  }

  /// A part of a record has come, and the rest has not.
  package var hasPartialRecord: Bool { SSL_has_pending(ssl) == 1 }

  /// Hands over the ciphertext for the peer, if there is any.
  @discardableResult
  package func takeOutput<R>(_ body: (UnsafePointer<UInt8>, Int) -> R) -> R? { wire.takeOutput(body) }

  // MARK: Inside

  private func shakeHands() {
    let result = SSL_do_handshake(ssl)
    if result == 1 {
      phase = .established
      return
    }
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return
    default:
      let found = TLSErrors.fault(inHandshake: true)
      fail(verificationFault ?? found)
    }
  }

  private func fail(_ fault: TLSFault) {
    phase = .failed
    self.fault = fault
  }
}
