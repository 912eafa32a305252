import ProxyCore
import Testing

@Suite struct ProxyErrorTests {
  @Test func givesEachErrorACodeOfItsOwn() {
    #expect(Set(ProxyError.allCases.map(\.code)).count == ProxyError.allCases.count)
  }

  @Test(arguments: ProxyError.allCases)
  func blamesInLineWithItsStatus(error: ProxyError) {
    switch error.blame {
    case .client: #expect((400..<500).contains(error.status) || [501, 505].contains(error.status))
    case .policy: #expect([403, 508].contains(error.status))
    case .upstream: #expect([502, 503, 504].contains(error.status))
    case .proxy: #expect([500, 503].contains(error.status))
    }
  }

  @Test func namesErrorTypesOfRFC9209() {
    let registered: Set = [
      "dns_timeout", "dns_error", "destination_unavailable", "destination_ip_prohibited", "destination_ip_unroutable",
      "connection_refused",
      "connection_terminated", "connection_timeout", "connection_limit_reached", "http_request_error",
      "http_request_denied", "http_response_incomplete", "http_response_header_section_size", "http_response_timeout",
      "http_upgrade_failed", "http_protocol_error", "proxy_internal_response", "proxy_internal_error",
      "proxy_loop_detected", "proxy_configuration_error",
    ]
    for error in ProxyError.allCases { #expect(registered.contains(error.proxyStatus), "\(error)") }
  }
}
