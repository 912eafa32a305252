package import Effects

/// Which addresses may be dialled; asked about the very address of the connect, after name resolution, so that no
/// spelling and no answer of a name server gets around it.
package struct DestinationPolicy: Sendable {
  /// Which networks may be reached.
  package enum Profile: Sendable, Equatable {
    /// Any, this machine's and private ones included.
    case desktop
    /// Public addresses only.
    case server
  }

  package var profile = Profile.desktop
  /// Addresses that may be dialled whatever the profile and the other list say.
  package var allowed = IPNetworkSet()
  /// Addresses that may not be dialled.
  package var denied = IPNetworkSet()
  /// Where this process listens: the proxy and its admin endpoint.
  package var ownEndpoints: [Endpoint] = []
  /// The addresses of this machine, for listeners on all of them.
  package var localAddresses: [IPAddress] = []

  package init() {}

  /// Why the endpoint must not be dialled; nil when it may.
  package func refusal(of endpoint: Endpoint) -> ProxyError? {
    if let loop = loop(at: endpoint) { return loop }
    if allowed.contains(endpoint.address) { return nil }
    if denied.contains(endpoint.address) || (endpoint.address.embeddedIPv4.map(denied.contains) ?? false) {
      return .destinationProhibited
    }
    if profile == .server, endpoint.address.isSpecialPurpose { return .destinationProhibited }
    return nil
  }

  /// `destinationIsProxy` when this process itself listens there.
  package func loop(at endpoint: Endpoint) -> ProxyError? {
    ownEndpoints.contains { reaches($0, by: endpoint) } ? .destinationIsProxy : nil
  }

  /// Whether a connect to the one endpoint ends at the listener on the other.
  private func reaches(_ listener: Endpoint, by endpoint: Endpoint) -> Bool {
    guard listener.port == endpoint.port else { return false }
    let target = endpoint.address.unmapped
    let own = listener.address.unmapped
    if target == own { return true }
    // A connect to the unspecified address goes to this host.
    if target.isUnspecified { return own.isLoopback || own.isUnspecified || localAddresses.contains(own) }
    guard own.isUnspecified else { return false }
    return target.isLoopback || localAddresses.contains(target)
  }
}
