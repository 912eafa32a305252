import HTTPWire
package import ProxyCore

extension Configuration {
  /// What of the configuration the proxy's decisions need; the addresses of listeners, known once they listen, are not
  /// in it.
  package var proxySettings: ProxySettings {
    var settings = ProxySettings()
    settings.timeouts.head = timeouts.head.wholeNanoseconds
    settings.timeouts.idle = timeouts.idle.wholeNanoseconds
    settings.timeouts.connect = timeouts.connect.wholeNanoseconds
    settings.timeouts.read = timeouts.read.wholeNanoseconds
    settings.timeouts.tunnel = timeouts.tunnel.wholeNanoseconds
    settings.limits.head = HeadLimits(
      requestLine: limits.requestLineBytes, head: limits.headBytes, fields: limits.fields)
    settings.limits.requestBody = limits.requestBodyBytes
    settings.limits.connections = limits.connections
    settings.limits.idlePerOrigin = limits.idleUpstreamPerOrigin
    settings.trailers = proxy.trailers == .forward ? .forward : .drop
    settings.keepsQuery = events.keepQuery
    settings.recording =
      switch events.record {
      case .all: .all
      case .matched: .matched
      case .none: .none
      }
    settings.destinations.profile = proxy.profile == .desktop ? .desktop : .server
    return settings
  }
}

extension Duration {
  /// Nanoseconds for the deadlines of an event loop; 0 for negative times.
  package var wholeNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(UInt64(clamping: attoseconds / 1_000_000_000))
    return overflow || carry ? .max : sum
  }
}
