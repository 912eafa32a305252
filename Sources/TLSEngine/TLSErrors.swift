import COpenSSL
import Glibc

/// OpenSSL's queue of errors of the thread. Each operation clears it before and takes everything out after, so that no
/// error is told of another connection.
enum TLSErrors {
  /// An entry of the queue.
  struct Entry {
    let library: CInt
    let reason: CInt
    /// OpenSSL's words for the reason.
    let words: String
  }

  static func clear() { ERR_clear_error() }

  /// Takes all entries; returns the first, which is the cause of the others.
  static func take() -> Entry? {
    var first: Entry?
    while true {
      let code = ERR_get_error()
      guard code != 0 else { return first }
      if first == nil {
        let words = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
        first = Entry(library: ERR_GET_LIB(code), reason: ERR_GET_REASON(code), words: words)
      }
    }
  }

  /// What the queue says about a connection.
  static func fault(inHandshake: Bool) -> TLSFault {
    guard let entry = take() else { return TLSFault(.failed, "OpenSSL gave up without a reason") }
    guard entry.library == ERR_LIB_SSL else { return TLSFault(inHandshake ? .failed : .corrupted, entry.words) }
    switch entry.reason {
    case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST:
      return inHandshake
        ? TLSFault(.notTLS, "the peer does not speak TLS on this port") : TLSFault(.corrupted, entry.words)
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return TLSFault(.protocolVersion, "no common protocol version; TLS 1.2 is the least here (\(entry.words))")
    case SSL_R_NO_SHARED_CIPHER, SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE, SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM,
      SSL_R_NO_SUITABLE_KEY_SHARE, SSL_R_WRONG_CIPHER_RETURNED, SSL_R_UNKNOWN_CIPHER_RETURNED, SSL_R_WRONG_CURVE,
      SSL_R_WRONG_SIGNATURE_TYPE:
      return TLSFault(.handshakeFailure, "no common way of encrypting (\(entry.words))")
    case SSL_R_DH_KEY_TOO_SMALL, SSL_R_EE_KEY_TOO_SMALL, SSL_R_CA_KEY_TOO_SMALL, SSL_R_CA_MD_TOO_WEAK:
      return TLSFault(.weakKey, entry.words)
    case SSL_AD_REASON_OFFSET...(SSL_AD_REASON_OFFSET + 255):
      return TLSFault(.refusedByPeer, "the peer ended the connection with an alert (\(entry.words))")
    default:
      return TLSFault(inHandshake ? .handshakeFailure : .corrupted, entry.words)
    }
  }
}
