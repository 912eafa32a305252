/// A request method, as far as a proxy tells them apart (RFC 9110, section 9).
package enum Method: UInt8, Sendable {
  case get, head, post, put, delete, connect, options, trace, patch
  /// Any other token; forwarded as received (RFC 9110, section 7.6).
  case other

  /// Asks for nothing to change at the origin (RFC 9110, section 9.2.1).
  @inlinable package var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace: true
    default: false
    }
  }

  /// May be sent again without another effect (RFC 9110, section 9.2.2).
  @inlinable package var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}

extension Method {
  /// Which method a token means; methods are case-sensitive (RFC 9110, section 9.1).
  @inline(__always) static func named(_ p: Bytes, _ count: Int) -> Method {
    switch count {
    case 3: isEqual(p, count, "GET") ? .get : isEqual(p, count, "PUT") ? .put : .other
    case 4: isEqual(p, count, "POST") ? .post : isEqual(p, count, "HEAD") ? .head : .other
    case 5: isEqual(p, count, "PATCH") ? .patch : isEqual(p, count, "TRACE") ? .trace : .other
    case 6: isEqual(p, count, "DELETE") ? .delete : .other
    case 7: isEqual(p, count, "OPTIONS") ? .options : isEqual(p, count, "CONNECT") ? .connect : .other
    default: .other
    }
  }

  @inline(__always) private static func isEqual(_ p: Bytes, _ count: Int, _ literal: StaticString) -> Bool {
    guard count == literal.utf8CodeUnitCount else { return false }
    let q = literal.utf8Start
    var i = 0
    while i < count {
      if p[i] != q[i] { return false }
      i &+= 1
    }
    return true
  }
}
