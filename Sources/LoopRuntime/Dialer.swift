import CLibevent
package import Effects
import Glibc

/// Starts TCP connections.
package enum Dialer {
  /// A non-blocking socket on its way to the endpoint; it becomes writable when connected or failed.
  package static func start(_ endpoint: Endpoint) throws(SystemError) -> CInt {
    let address = SocketAddress(endpoint)
    let descriptor = socket(
      address.family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    SocketOptions.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    let result = address.withPointer { connect(descriptor, $0, $1) }
    if result == 0 || errno == EINPROGRESS || errno == EINTR { return descriptor }
    let error = SystemError("connect")
    close(descriptor)
    throw error
  }

  /// What became of a started connection: nil when it stands.
  package static func outcome(_ descriptor: CInt) -> SystemError? {
    var code: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return SystemError("getsockopt") }
    return code == 0 ? nil : SystemError("connect", code: code)
  }
}
