/// Who may talk to the admin endpoint: the guards that hold before any route is looked up.
///
/// They exist because every web page may send requests to a loopback port, and because a name under an attacker's
/// control may point to 127.0.0.1 (DNS rebinding).
package struct AdminPolicy: Sendable {
  /// The `Host` values that name this endpoint, in lower case; nil on a Unix socket, which no browser can reach.
  private let hosts: [String]?
  /// The port for which any IP literal is accepted as host, when the endpoint listens on all addresses: rebinding needs
  /// a name.
  private let anyAddressPort: UInt16?
  private let token: [UInt8]?

  private init(hosts: [String]?, anyAddressPort: UInt16?, token: String?) {
    self.hosts = hosts
    self.anyAddressPort = anyAddressPort
    self.token = token.map { Array($0.utf8) }
  }

  /// For an endpoint on a Unix socket, which the file's mode protects.
  package static func unixSocket(token: String?) -> AdminPolicy {
    AdminPolicy(hosts: nil, anyAddressPort: nil, token: token)
  }

  /// For an endpoint on that address (IPv6 with or without brackets) and port.
  package static func tcp(address: String, port: UInt16, token: String?) -> AdminPolicy {
    var names: [String] = []
    let bare = address.hasPrefix("[") ? String(address.dropFirst().dropLast()) : address.lowercased()
    let isWildcard = bare == "0.0.0.0" || bare == "::"
    if isWildcard || bare == "localhost" || bare == "::1" || bare.hasPrefix("127.") {
      names = ["localhost", "127.0.0.1", "[::1]"]
    }
    let literal = bare.contains(":") ? "[\(bare)]" : bare
    if !isWildcard, !names.contains(literal) { names.append(literal) }
    // A client leaves the port out when it is the scheme's own (RFC 9110, section 7.2).
    let withPort = names.map { "\($0):\(port)" } + (port == 80 ? names : [])
    return AdminPolicy(hosts: withPort, anyAddressPort: isWildcard ? port : nil, token: token)
  }

  /// Refuses what may not pass; the order is the order of suspicion, and nothing is told before the token is right.
  package func check(_ request: AdminRequest) throws(AdminError) {
    try checkHost(request)
    try checkOrigin(request)
    for site in request.values(of: "sec-fetch-site") where !["none", "same-origin"].contains(site.lowercased()) {
      throw AdminError(
        .crossSiteRequest, "The request was started by another site.",
        hint: "Use a command-line client; web pages may not use the admin endpoint.")
    }
    try checkToken(request)
  }

  private func checkHost(_ request: AdminRequest) throws(AdminError) {
    guard let hosts else { return }
    var named = request.values(of: "host")
    if let authority = request.targetAuthority { named.append(authority) }
    guard !named.isEmpty, named.allSatisfy({ isAllowed(host: $0.lowercased(), among: hosts) }) else {
      throw AdminError(
        .hostNotAllowed, "The Host of the request is not a name of this endpoint.",
        hint: "Use \(hosts.first ?? "the configured address").")
    }
  }

  private func isAllowed(host: String, among hosts: [String]) -> Bool {
    if hosts.contains(host) { return true }
    guard let anyAddressPort else { return false }
    let suffix = ":\(anyAddressPort)"
    guard host.hasSuffix(suffix) else { return false }
    let name = host.dropLast(suffix.utf8.count)
    if name.hasPrefix("["), name.hasSuffix("]") { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  private func checkOrigin(_ request: AdminRequest) throws(AdminError) {
    let own = request.values(of: "host").first.map { "http://\($0.lowercased())" }
    for origin in request.values(of: "origin") where origin.lowercased() != own {
      throw AdminError(
        .originNotAllowed, "The request comes from a page of another origin.",
        hint: "Use a command-line client; web pages may not use the admin endpoint.")
    }
  }

  private func checkToken(_ request: AdminRequest) throws(AdminError) {
    guard let token else { return }
    let hint = "Send \"Authorization: Bearer TOKEN\" with the content of the configured admin.tokenFile."
    let values = request.values(of: "authorization")
    guard let value = values.first, values.count == 1, let presented = AdminPolicy.bearerToken(in: value) else {
      throw AdminError(
        .tokenMissing, "This endpoint needs a bearer token.", hint: hint,
        fields: [.init("WWW-Authenticate", "Bearer realm=\"footfall\"")])
    }
    guard AdminPolicy.equalInConstantTime(presented, token) else {
      throw AdminError(
        .tokenWrong, "The bearer token is not the configured one.", hint: hint,
        fields: [.init("WWW-Authenticate", "Bearer realm=\"footfall\", error=\"invalid_token\"")])
    }
  }

  /// The token of a `Bearer` credential (RFC 6750, section 2.1).
  private static func bearerToken(in value: String) -> [UInt8]? {
    let parts = value.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return Array(parts[1].utf8)
  }

  /// Compares in a time that depends on the presented length only, so that an answer's delay tells nothing of the token.
  static func equalInConstantTime(_ presented: [UInt8], _ secret: [UInt8]) -> Bool {
    guard !secret.isEmpty else { return false }
    var difference = presented.count ^ secret.count
    for (index, byte) in presented.enumerated() {
      difference |= Int(byte ^ secret[index % secret.count])
    }
    return difference == 0
  }
}
