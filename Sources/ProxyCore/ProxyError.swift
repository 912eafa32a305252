/// Why the proxy answered by itself or cut an exchange short.
///
/// The code is stable: records, metrics and tests use it.
package enum ProxyError: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  // The client's doing.
  case malformedRequest, notAProxyRequest, httpsNeedsConnect, unsupportedScheme, userinfoInTarget, malformedTarget
  case unsupportedVersion, unsupportedTransferCoding, unsupportedExpectation
  case headTooLarge, targetTooLong, bodyTooLarge
  case requestTimeout, clientClosed, clientTooSlow
  case authenticationRequired, tooManyConnections, tooManyRequests
  // Refused by policy.
  case destinationIsProxy, destinationProhibited, loopDetected, portProhibited, clientProhibited
  // The network's or the origin's doing.
  case nameNotFound, nameLookupFailed, nameLookupTimeout
  case connectionRefused, connectionFailed, connectionTimeout, connectionLost, originBusy
  case parentRefused, parentAuthenticationFailed
  case malformedResponse, responseHeadTooLarge, responseIncomplete, responseTimeout, tooManyInterimResponses
  case unexpectedSwitch, unexpectedChallenge
  // Ours.
  case overloaded, outOfDescriptors, memoryLimitReached, shuttingDown, internalError

  /// Who has to change something.
  package enum Blame: Sendable { case client, policy, upstream, proxy }

  /// Who has to change something.
  package var blame: Blame {
    switch self {
    case .malformedRequest, .notAProxyRequest, .httpsNeedsConnect, .unsupportedScheme, .userinfoInTarget,
      .malformedTarget, .unsupportedVersion, .unsupportedTransferCoding, .unsupportedExpectation, .headTooLarge,
      .targetTooLong, .bodyTooLarge, .requestTimeout, .clientClosed, .clientTooSlow, .authenticationRequired,
      .tooManyConnections, .tooManyRequests:
      .client
    case .destinationIsProxy, .destinationProhibited, .loopDetected, .portProhibited, .clientProhibited: .policy
    case .overloaded, .outOfDescriptors, .memoryLimitReached, .shuttingDown, .internalError: .proxy
    default: .upstream
    }
  }

  /// The status that answers it (RFC 9110, sections 15.5 and 15.6; 508 from RFC 5842).
  package var status: Int {
    switch self {
    case .malformedRequest, .notAProxyRequest, .httpsNeedsConnect, .unsupportedScheme, .userinfoInTarget,
      .malformedTarget, .clientClosed:
      400
    case .destinationIsProxy, .destinationProhibited, .portProhibited, .clientProhibited: 403
    case .authenticationRequired: 407
    case .requestTimeout, .clientTooSlow: 408
    case .bodyTooLarge: 413
    case .targetTooLong: 414
    case .unsupportedExpectation: 417
    case .tooManyConnections, .tooManyRequests: 429
    case .headTooLarge: 431
    case .internalError: 500
    case .unsupportedTransferCoding: 501
    case .overloaded, .outOfDescriptors, .memoryLimitReached, .shuttingDown, .originBusy: 503
    case .nameLookupTimeout, .connectionTimeout, .responseTimeout: 504
    case .unsupportedVersion: 505
    case .loopDetected: 508
    default: 502
    }
  }

  /// Whether a client that is answered so may go on with its connection, although it has to change something.
  package var keepsClient: Bool {
    blame == .upstream || self == .authenticationRequired || self == .tooManyRequests
  }

  /// The stable code.
  package var code: String { ProxyError.texts[Int(rawValue)].code }
  /// The error type of RFC 9209, section 2.3, for `Proxy-Status`.
  package var proxyStatus: String { ProxyError.texts[Int(rawValue)].proxyStatus }
  /// What happened, in one sentence.
  package var summary: String { ProxyError.texts[Int(rawValue)].summary }
  /// What to do about it.
  package var hint: String { ProxyError.texts[Int(rawValue)].hint }

  private typealias Texts = (code: String, proxyStatus: String, summary: String, hint: String)

  private static let texts: [Texts] = allCases.map(\.text)

  private var text: Texts {
    switch self {
    case .malformedRequest:
      (
        "malformed_request", "http_request_error", "The request is not valid HTTP/1.1.",
        "Look at the request line and the fields that the client sends."
      )
    case .notAProxyRequest:
      (
        "not_a_proxy_request", "http_request_error", "This is a forward proxy, and the request names no origin.",
        "Set HTTP_PROXY to this address, so that the client sends the whole URL; the admin endpoint has its own address."
      )
    case .httpsNeedsConnect:
      (
        "https_needs_connect", "http_request_error", "An https URL was sent in the clear.",
        "Let the client open a tunnel with CONNECT for https."
      )
    case .unsupportedScheme:
      (
        "unsupported_scheme", "http_request_error", "Only http URLs are forwarded.",
        "Reach other schemes without the proxy (NO_PROXY)."
      )
    case .userinfoInTarget:
      (
        "userinfo_in_target", "http_request_error", "The URL carries a user name.",
        "Send credentials in the Authorization field."
      )
    case .malformedTarget:
      (
        "malformed_target", "http_request_error", "The URL of the request is not valid.",
        "Look at the host, the port and the characters of the URL."
      )
    case .unsupportedVersion:
      (
        "unsupported_version", "http_request_error", "Only HTTP/1.0 and HTTP/1.1 are spoken here.",
        "Let the client use HTTP/1.1."
      )
    case .unsupportedTransferCoding:
      (
        "unsupported_transfer_coding", "http_request_error", "The transfer coding of the request is not known.",
        "Send the body with Content-Length or chunked."
      )
    case .unsupportedExpectation:
      (
        "unsupported_expectation", "http_request_error", "The request expects something other than 100-continue.",
        "Leave the Expect field out."
      )
    case .headTooLarge:
      (
        "head_too_large", "http_request_error", "The head of the request is larger than the limit.",
        "Send fewer or shorter fields, or raise limits.headBytes or limits.fields."
      )
    case .targetTooLong:
      (
        "target_too_long", "http_request_error", "The request line is longer than the limit.",
        "Shorten the URL, or raise limits.requestLineBytes."
      )
    case .bodyTooLarge:
      (
        "body_too_large", "http_request_error", "The body of the request is larger than the limit.",
        "Send less, or raise limits.requestBodyBytes."
      )
    case .requestTimeout:
      (
        "request_timeout", "http_request_error", "The request did not arrive in time.",
        "Send the whole head at once, or raise timeouts.head."
      )
    case .clientClosed:
      ("client_closed", "connection_terminated", "The client closed the connection.", "Nothing to do here.")
    case .clientTooSlow:
      (
        "client_too_slow", "connection_terminated", "The client stopped sending or reading.",
        "Look at the client, or raise timeouts.read."
      )
    case .authenticationRequired:
      (
        "authentication_required", "http_request_denied", "This proxy asks for a user name and a password.",
        "Send Proxy-Authorization with the Basic scheme, or look at the name and the password that are sent."
      )
    case .tooManyConnections:
      (
        "too_many_connections", "connection_limit_reached", "This client has too many connections open.",
        "Use fewer connections, or raise limits.connectionsPerClient."
      )
    case .tooManyRequests:
      (
        "too_many_requests", "http_request_denied", "This client sends too many requests.",
        "Wait a moment, or raise limits.requestsPerSecondPerClient."
      )
    case .destinationIsProxy:
      (
        "destination_is_proxy", "destination_ip_prohibited", "The destination is this proxy or its admin endpoint.",
        "Reach the admin endpoint directly, without the proxy (NO_PROXY)."
      )
    case .destinationProhibited:
      (
        "destination_prohibited", "destination_ip_prohibited",
        "The destination has an address that this proxy does not dial.",
        "Reach it without the proxy, or allow it in access.destinations; profile server refuses private and special ones."
      )
    case .loopDetected:
      (
        "loop_detected", "proxy_loop_detected", "The request has passed this proxy before.",
        "Look at the chain of proxies and at what the destination's name resolves to."
      )
    case .portProhibited:
      (
        "port_prohibited", "http_request_denied", "Tunnels to this port are not allowed.",
        "Use another port, or allow this one in proxy.tunnelPorts."
      )
    case .clientProhibited:
      (
        "client_prohibited", "http_request_denied", "This address may not use the proxy.",
        "Come from an address that access.clients names, or add this one there."
      )
    case .nameNotFound:
      (
        "name_not_found", "dns_error", "The name of the destination does not exist.",
        "Look at the spelling of the host name and at the resolver of this machine."
      )
    case .nameLookupFailed:
      (
        "name_lookup_failed", "dns_error", "The name of the destination could not be looked up.",
        "Look at the resolver of this machine and try again."
      )
    case .nameLookupTimeout:
      (
        "name_lookup_timeout", "dns_timeout", "Looking up the name of the destination took too long.",
        "Look at the resolver of this machine and try again."
      )
    case .connectionRefused:
      (
        "connection_refused", "connection_refused", "The destination refused the connection.",
        "Look whether the origin listens on that port."
      )
    case .connectionFailed:
      (
        "connection_failed", "destination_ip_unroutable", "The destination cannot be reached.",
        "Look at the network between this machine and the origin."
      )
    case .connectionTimeout:
      (
        "connection_timeout", "connection_timeout", "Connecting to the destination took too long.",
        "Look at the network and the origin, or raise timeouts.connect."
      )
    case .connectionLost:
      (
        "connection_lost", "connection_terminated", "The origin closed the connection without an answer.",
        "Try again; look at the origin if it goes on."
      )
    case .originBusy:
      (
        "origin_busy", "connection_limit_reached", "All connections to the origin were in use for too long.",
        "Try again in a moment, or raise limits.upstreamConnectionsPerOrigin."
      )
    case .parentRefused:
      (
        "parent_refused", "destination_unavailable", "The parent proxy did not open the tunnel.",
        "Look at the parent proxy and at what it allows, or name the host in upstream.bypass."
      )
    case .parentAuthenticationFailed:
      (
        "parent_authentication_failed", "proxy_configuration_error",
        "The parent proxy did not accept this proxy's credentials.",
        "The operator of this proxy has to look at upstream.credentialsFile."
      )
    case .malformedResponse:
      (
        "malformed_response", "http_protocol_error", "The origin's answer is not valid HTTP/1.1.",
        "Look at what the origin sends."
      )
    case .responseHeadTooLarge:
      (
        "response_head_too_large", "http_response_header_section_size",
        "The head of the origin's answer is larger than the limit.",
        "Raise limits.headBytes or limits.fields if the origin is to be trusted."
      )
    case .responseIncomplete:
      (
        "response_incomplete", "http_response_incomplete", "The origin's answer broke off.",
        "Try again; look at the origin if it goes on."
      )
    case .responseTimeout:
      (
        "response_timeout", "http_response_timeout", "The origin did not answer in time.",
        "Look at the origin, or raise timeouts.read."
      )
    case .tooManyInterimResponses:
      (
        "too_many_interim_responses", "http_protocol_error", "The origin sent interim answers without end.",
        "Look at what the origin sends."
      )
    case .unexpectedSwitch:
      (
        "unexpected_switch", "http_upgrade_failed", "The origin switched protocols without having been asked to.",
        "Look at what the origin sends."
      )
    case .unexpectedChallenge:
      (
        "unexpected_challenge", "http_protocol_error", "The origin asked for a password that only a proxy may ask for.",
        "Look at what the origin sends: 407 is not for origins. For a proxy on the way, set upstream.proxy."
      )
    case .overloaded:
      (
        "overloaded", "connection_limit_reached", "The proxy has no room for another connection.",
        "Try again in a moment, or raise limits.connections."
      )
    case .outOfDescriptors:
      (
        "out_of_descriptors", "proxy_internal_response", "The proxy has no file descriptor left for a connection.",
        "Try again in a moment, or raise the limit of open files (ulimit -n, LimitNOFILE)."
      )
    case .memoryLimitReached:
      (
        "memory_limit_reached", "proxy_internal_response", "The proxy holds as many bytes as it may.",
        "Try again in a moment, or raise limits.memoryMiB."
      )
    case .shuttingDown:
      ("shutting_down", "proxy_internal_response", "The proxy is shutting down.", "Try again in a moment.")
    case .internalError:
      (
        "internal_error", "proxy_internal_error", "The proxy could not serve the request.",
        "Look at the log of the proxy."
      )
    }
  }
}
