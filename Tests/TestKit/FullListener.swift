import Foundation

/// A listener whose queue is full: connections to it hang and are never established.
public final class FullListener: Sendable {
  /// Where it listens, on 127.0.0.1 or ::1.
  public let port: UInt16
  private let descriptors: [CInt]

  /// Listens on a free port, and fills the queue.
  public init(ipv6: Bool = false) throws {
    let listener = socket(ipv6 ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard LoopbackAddress.with(port: 0, ipv6: ipv6, { bind(listener, $0, $1) }) == 0, listen(listener, 0) == 0 else {
      throw RawSocketError("listen")
    }
    let port = try ScriptedOrigin.boundPort(listener)
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let waiting = (0..<4).map { _ in
      let client = socket(ipv6 ? AF_INET6 : AF_INET, kind, 0)
      _ = LoopbackAddress.with(port: port, ipv6: ipv6) { connect(client, $0, $1) }
      return client
    }
    self.port = port
    descriptors = waiting + [listener]
  }

  deinit { for descriptor in descriptors { Glibc.close(descriptor) } }
}
