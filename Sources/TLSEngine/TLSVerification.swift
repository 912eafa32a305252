import COpenSSL
import Glibc

/// What the verification of a peer's chain found, in words.
struct TLSVerification {
  /// Called by OpenSSL for each certificate and each fault; it keeps what the fault is about, and changes no verdict.
  static let callback: @convention(c) (CInt, OpaquePointer?) -> CInt = { isGood, store in
    guard isGood == 0, let store else { return isGood }
    let index = SSL_get_ex_data_X509_STORE_CTX_idx()
    guard let ssl = X509_STORE_CTX_get_ex_data(store, index), let owner = footfall_ssl_owner(OpaquePointer(ssl)) else {
      return 0
    }
    let session = Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue()
    session.verificationFault = TLSVerification.fault(
      X509_STORE_CTX_get_error(store), depth: X509_STORE_CTX_get_error_depth(store),
      X509_STORE_CTX_get_current_cert(store), host: session.host)
    return 0
  }

  /// What a code of OpenSSL's verification means.
  ///
  /// - Parameters:
  ///   - depth: 0 for the peer's own certificate.
  ///   - certificate: the one that the fault is about.
  static func fault(_ code: CInt, depth: CInt, _ certificate: OpaquePointer?, host: String) -> TLSFault {
    let who = depth == 0 ? "the certificate" : "the certificate of the issuer \(subject(certificate))"
    switch code {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return TLSFault(.expired, "\(who) expired \(time(certificate.flatMap { X509_get0_notAfter($0) }))")
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return TLSFault(
        .notYetValid, "\(who) is valid only from \(time(certificate.flatMap { X509_get0_notBefore($0) }))")
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      return TLSFault(.wrongHost, "the certificate is not for \(host) but for \(names(certificate))")
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return TLSFault(
        .selfSigned, "the certificate of \(subject(certificate)) is signed by itself and not trusted here")
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return TLSFault(.unknownIssuer, "the root \(subject(certificate)) is not trusted here")
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
      return TLSFault(
        .unknownIssuer,
        "the issuer \(issuer(certificate)) is not trusted here, or the server leaves out a certificate between")
    case X509_V_ERR_CERT_REVOKED: return TLSFault(.revoked, "\(who) was revoked")
    case X509_V_ERR_INVALID_PURPOSE, X509_V_ERR_INVALID_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN, X509_V_ERR_CERT_REJECTED,
      X509_V_ERR_PATH_LENGTH_EXCEEDED:
      return TLSFault(.wrongPurpose, "\(who) is not made for this: \(words(code))")
    case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
      return TLSFault(.weakKey, "\(who) is too weak: \(words(code))")
    case X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE:
      return TLSFault(.wrongSignature, "\(who) has a wrong signature")
    default: return TLSFault(.invalidCertificate, "\(who) is not valid: \(words(code))")
    }
  }

  private static func words(_ code: CInt) -> String {
    X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "code \(code)"
  }

  // MARK: What stands in a certificate

  private static let longestName = 120

  /// The bytes as text of printable ASCII. What a certificate says comes from strangers.
  private static func harmless(_ bytes: some Sequence<UInt8>) -> String {
    let kept = bytes.prefix(longestName).map { (0x20..<0x7f).contains($0) && $0 != 0x3c ? $0 : UInt8(ascii: "?") }
    return String(decoding: kept, as: UTF8.self)
  }

  private static func subject(_ certificate: OpaquePointer?) -> String {
    name(certificate.flatMap { X509_get_subject_name($0) })
  }

  private static func issuer(_ certificate: OpaquePointer?) -> String {
    name(certificate.flatMap { X509_get_issuer_name($0) })
  }

  private static func name(_ name: OpaquePointer?) -> String {
    guard let name else { return "(unknown)" }
    var buffer = [CChar](repeating: 0, count: 256)
    guard X509_NAME_oneline(name, &buffer, CInt(buffer.count)) != nil else { return "(unknown)" }
    let text = harmless(buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
    return text.isEmpty ? "(without a name)" : text
  }

  /// A date as in RFC 3339, UTC.
  private static func time(_ value: UnsafePointer<ASN1_TIME>?) -> String {
    var parts = tm()
    guard let value, ASN1_TIME_to_tm(value, &parts) == 1 else { return "at an unknown time" }
    func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }

  /// The first of the names that the certificate is for.
  private static func names(_ certificate: OpaquePointer?) -> String {
    guard let certificate, let list = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else {
      return "no name at all: it has no subjectAltName, and a common name does not count"
    }
    let names = OpaquePointer(list)
    defer { footfall_general_names_free(names) }
    let count = footfall_general_name_count(names)
    var shown: [String] = []
    for index in 0..<min(max(count, 0), 3) {
      var kind: CInt = 0
      var length: CInt = 0
      guard let name = footfall_general_name(names, index) else { continue }
      guard let bytes = footfall_general_name_bytes(name, &kind, &length), length >= 0 else {
        shown.append("a name of another kind")
        continue
      }
      let content = UnsafeBufferPointer(start: bytes, count: Int(length))
      shown.append(kind == GEN_IPADD ? address(content) : harmless(content))
    }
    if count > 3 { shown.append("\(count - 3) more") }
    return shown.isEmpty ? "no name at all" : shown.joined(separator: ", ")
  }

  private static func address(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard let start = bytes.baseAddress, bytes.count == 4 || bytes.count == 16 else { return "a malformed address" }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, start, &text, socklen_t(text.count)) != nil else { return "a malformed address" }
    return harmless(text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
  }
}
