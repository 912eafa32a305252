extension FieldID {
  /// Which field a valid name means; by its length first, so that an unknown name costs one comparison or two.
  @inline(__always) static func named(_ p: Bytes, _ count: Int) -> FieldID {
    switch count {
    case 2: equalIgnoringCase(p, count, "te") ? .te : .other
    case 3: equalIgnoringCase(p, count, "via") ? .via : .other
    case 4: equalIgnoringCase(p, count, "host") ? .host : equalIgnoringCase(p, count, "date") ? .date : .other
    case 5: equalIgnoringCase(p, count, "proxy") ? .proxy : .other
    case 6: equalIgnoringCase(p, count, "expect") ? .expect : .other
    case 7:
      equalIgnoringCase(p, count, "upgrade")
        ? .upgrade : equalIgnoringCase(p, count, "trailer") ? .trailer : .other
    case 10:
      equalIgnoringCase(p, count, "connection")
        ? .connection : equalIgnoringCase(p, count, "keep-alive") ? .keepAlive : .other
    case 12: equalIgnoringCase(p, count, "max-forwards") ? .maxForwards : .other
    case 13: equalIgnoringCase(p, count, "authorization") ? .authorization : .other
    case 14:
      equalIgnoringCase(p, count, "content-length")
        ? .contentLength : equalIgnoringCase(p, count, "http2-settings") ? .http2Settings : .other
    case 16: equalIgnoringCase(p, count, "proxy-connection") ? .proxyConnection : .other
    case 17: equalIgnoringCase(p, count, "transfer-encoding") ? .transferEncoding : .other
    case 18: equalIgnoringCase(p, count, "proxy-authenticate") ? .proxyAuthenticate : .other
    case 19: equalIgnoringCase(p, count, "proxy-authorization") ? .proxyAuthorization : .other
    case 25: equalIgnoringCase(p, count, "proxy-authentication-info") ? .proxyAuthenticationInfo : .other
    default: .other
    }
  }
}
