import Effects

/// Whether the listeners fit each other, and whom they let in.
enum AddressChecks {
  static func run(_ document: ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext) {
    let listen = JSONPointer([.name("proxy"), .name("listen")])
    for (index, endpoint) in document.proxy.listen.enumerated()
    where document.proxy.profile == .desktop && document.access.clients == nil && !endpoint.address.isLoopback {
      context.report(
        .openToNetwork, at: source.place(listen.appending(index)),
        "\(endpoint) lets other machines reach this machine's private networks",
        hint: "listen on 127.0.0.1, name the clients in access.clients, or set proxy.profile to \"server\"",
        severity: .warning)
    }
    guard case .tcp(let admin) = document.admin.listen else { return }
    let place = source.place(JSONPointer([.name("admin"), .name("listen")]))
    if let endpoint = document.proxy.listen.first(where: { overlaps($0, admin) }) {
      context.report(.addressInUse, at: place, "the proxy listens on \(endpoint) already", hint: "use another port")
    }
    if !admin.address.isLoopback, document.admin.tokenFile == nil {
      context.report(
        .openToNetwork, at: place, "other machines could reach the admin endpoint without a token",
        hint: "listen on 127.0.0.1 or a unix: path, or set admin.tokenFile")
    }
  }

  private static func overlaps(_ one: Endpoint, _ other: Endpoint) -> Bool {
    guard one.port == other.port, one.port != 0, one.address.isIPv6 == other.address.isIPv6 else { return false }
    return one.address == other.address || one.address.isUnspecified || other.address.isUnspecified
  }
}

/// Whether the limits leave each other room.
enum LimitChecks {
  static func run(_ document: ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext) {
    let limits = document.limits
    if limits.requestLineBytes >= limits.headBytes {
      context.report(
        .contradictingLimits, at: source.place(JSONPointer([.name("limits"), .name("requestLineBytes")])),
        "a request line of \(limits.requestLineBytes) bytes does not fit in a head of \(limits.headBytes)",
        hint: "raise headBytes or lower requestLineBytes")
    }
  }
}
