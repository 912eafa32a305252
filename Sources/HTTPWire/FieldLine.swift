/// The field names that mean something to an intermediary.
package enum FieldID: UInt8, Sendable {
  /// Any other name.
  case other
  case host, contentLength, transferEncoding, connection, proxyConnection, keepAlive, te, upgrade, trailer, expect, via,
    maxForwards, date, proxyAuthorization, proxyAuthenticate, proxyAuthenticationInfo, http2Settings, proxy,
    authorization

  /// Removed before forwarding, whatever `Connection` says (RFC 9110, section 7.6.1; `Proxy` against httpoxy).
  ///
  /// `Trailer` and `Transfer-Encoding` are not in this list: the framing decides about them.
  @inlinable package var isHopByHop: Bool {
    switch self {
    case .connection, .proxyConnection, .keepAlive, .te, .upgrade, .proxyAuthorization, .proxyAuthenticate,
      .proxyAuthenticationInfo, .http2Settings, .proxy:
      true
    default: false
    }
  }
}

/// Where one field line lies in the bytes of its head: offsets from the head's first byte.
package struct FieldLine: Sendable {
  package var nameStart: UInt32 = 0
  package var nameLength: UInt32 = 0
  /// Without the optional white space around it.
  package var valueStart: UInt32 = 0
  package var valueLength: UInt32 = 0
  package var id = FieldID.other

  package init() {}
}
