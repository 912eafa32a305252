import Effects
import ProxyCore

/// What became of reading a file that the configuration names.
package enum NamedFileReading: Sendable, Hashable {
  case content([UInt8])
  /// It holds a secret, and others than its owner may use it; the permission bits.
  case exposed(mode: UInt32)
  /// It is not there, or cannot be read, for that reason.
  case unreadable(reason: String)
}

/// Whether the parent proxy is another one, and whether its credentials can be used.
enum UpstreamChecks {
  static func run(
    _ document: inout ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext,
    readSecret: ((String) -> NamedFileReading)?
  ) {
    let section = JSONPointer([.name("upstream")])
    let upstream = document.upstream
    guard let parent = upstream.proxy else {
      // A proxy of the wrong form is reported already.
      if case .null = source.root.member("upstream")?.node.member("proxy")?.node.kind ?? .null {
        for (key, isSet) in [
          ("credentialsFile", upstream.credentialsFile != nil), ("bypass", !upstream.bypass.isEmpty),
        ]
        where isSet {
          context.report(
            .unusedKey, at: source.place(section.appending(key)), "there is no parent proxy that it could concern",
            hint: "set upstream.proxy, or remove it", severity: .warning)
        }
      }
      return
    }
    if let address = IPAddress(text: parent.host),
      let own = document.proxy.listen.first(where: { reaches($0, address, parent.port) })
    {
      context.report(
        .proxyLoop, at: source.place(section.appending("proxy")),
        "the parent proxy is this proxy, which listens on \(own)",
        hint: "name another proxy, or null")
    }
    document.upstream.credentials = BackendChecks.secret(
      upstream.credentialsFile, at: source.place(section.appending("credentialsFile")), form, &context, readSecret)
  }

  private static let form = SecretForm(
    content: "one line user:password",
    hint: "at most 1024 bytes, with a colon behind the user, and without control characters",
    remedy: "create it with mode 0600 and one line user:password, or set credentialsFile to null",
    parse: { credentials($0) })

  private static func credentials(_ content: [UInt8]) -> BasicCredentials? {
    var line = content[...]
    if line.last == 0x0a { line.removeLast() }
    if line.last == 0x0d { line.removeLast() }
    guard line.count <= 1024, line.first != UInt8(ascii: ":") else { return nil }
    return BasicCredentials(userAndPassword: line)
  }

  private static func reaches(_ listener: Endpoint, _ address: IPAddress, _ port: UInt16) -> Bool {
    guard listener.port == port, listener.address.isIPv6 == address.isIPv6 else { return false }
    return listener.address == address || address.isUnspecified || listener.address.isUnspecified && address.isLoopback
  }
}
