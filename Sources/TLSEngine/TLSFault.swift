/// Why a TLS connection cannot be, or cannot go on.
package struct TLSFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure; stable.
  package enum Code: String, Sendable, CaseIterable {
    /// The peer's certificate, or one that it rests on, is past its time.
    case expired
    /// The same, before its time.
    case notYetValid = "not_yet_valid"
    /// The certificate is for other names.
    case wrongHost = "wrong_host"
    /// The certificate is its own issuer, and nobody here believes it.
    case selfSigned = "self_signed"
    /// The chain ends with an issuer that is not believed, or is incomplete.
    case unknownIssuer = "unknown_issuer"
    /// The certificate was revoked.
    case revoked
    /// The certificate is not for servers, or its issuer is no authority.
    case wrongPurpose = "wrong_purpose"
    /// A key or a signature of the chain is too weak.
    case weakKey = "weak_key"
    /// A signature of the chain is wrong.
    case wrongSignature = "wrong_signature"
    /// The certificate breaks another rule.
    case invalidCertificate = "invalid_certificate"
    /// The peer speaks only protocol versions that are refused here, or the other way round.
    case protocolVersion = "protocol_version"
    /// There is no common way of encrypting.
    case handshakeFailure = "handshake_failure"
    /// The peer does not speak TLS on this port.
    case notTLS = "not_tls"
    /// The peer has refused, with an alert.
    case refusedByPeer = "refused_by_peer"
    /// The connection ended before the handshake did.
    case endedInHandshake = "ended_in_handshake"
    /// The connection ended without the peer's goodbye: what came may be only a part.
    case truncated
    /// What came was changed on the way, or breaks the protocol.
    case corrupted
    /// The roots, a certificate or a key here cannot be read or used.
    case unusableMaterial = "unusable_material"
    /// OpenSSL failed in a way that says nothing about the peer.
    case failed
  }

  package var code: Code
  /// What happened, in words for an operator, without secrets; what comes from the peer is made harmless.
  package var detail: String

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  package var description: String { "\(code.rawValue): \(detail)" }
}
