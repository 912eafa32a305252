/// Where the admin endpoint listens.
package enum AdminAddress: Sendable, Hashable, CustomStringConvertible {
  /// An IP literal without brackets, or `localhost`.
  case tcp(host: String, port: UInt16)
  case unix(path: String)

  /// The value of the `Host` field that the endpoint's guard expects.
  package var hostField: String {
    switch self {
    case .tcp(let host, let port): (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    case .unix: "localhost"
    }
  }

  package var description: String {
    switch self {
    case .tcp: hostField
    case .unix(let path): "unix:\(path)"
    }
  }
}
