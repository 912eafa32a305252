/// A request method, as far as a proxy tells them apart (RFC 9110, section 9).
package enum Method: UInt8, Sendable {
  case get, head, post, put, delete, connect, options, trace, patch
  /// Any other token; forwarded as received (RFC 9110, section 7.6).
  case other

  /// Asks for nothing to change at the origin (RFC 9110, section 9.2.1).
  package var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace: true
    default: false
    }
  }

  /// May be sent again without another effect (RFC 9110, section 9.2.2).
  package var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}
