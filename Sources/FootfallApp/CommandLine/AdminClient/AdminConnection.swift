import Effects
import Glibc
import LoopRuntime
import ProxyConfiguration

/// One connection to the admin endpoint; every wait ends at the deadline.
struct AdminConnection: ~Copyable {
  /// More than any answer has.
  private static let receiveLimit = 32 << 20

  private let descriptor: CInt
  private let address: AdminAddress
  private let deadline: UInt64

  /// Connects; the deadline counts from now.
  static func open(_ address: AdminAddress, deadlineMilliseconds: Int) throws(CommandFailure) -> AdminConnection {
    let connection = AdminConnection(
      descriptor: try start(address), address: address,
      deadline: EventLoop.nanoseconds() &+ UInt64(clamping: deadlineMilliseconds) &* 1_000_000)
    try connection.wait(for: Int16(POLLOUT))
    if let error = Dialer.outcome(connection.descriptor) { throw failure(address, error.code) }
    return connection
  }

  /// A socket that is connected or on its way.
  private static func start(_ address: AdminAddress) throws(CommandFailure) -> CInt {
    switch address {
    case .tcp(let endpoint):
      // A wildcard is where a server listens, not where a client goes.
      let loopback = endpoint.address.isIPv6 ? IPAddress(high: 0, low: 1) : IPAddress(v4: 0x7f00_0001)
      let target = endpoint.address.isUnspecified ? loopback : endpoint.address
      do throws(SystemError) {
        return try Dialer.start(Endpoint(target, port: endpoint.port))
      } catch {
        throw failure(address, error.code)
      }
    case .unix(let path):
      let descriptor = socket(
        AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { throw failure(address, errno) }
      let code = connect(descriptor, path)
      guard code == 0 else {
        close(descriptor)
        throw failure(address, code)
      }
      return descriptor
    }
  }

  private init(descriptor: CInt, address: AdminAddress, deadline: UInt64) {
    self.descriptor = descriptor
    self.address = address
    self.deadline = deadline
  }

  deinit { close(descriptor) }

  borrowing func send(_ bytes: [UInt8]) throws(CommandFailure) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        try wait(for: Int16(POLLOUT))
      } else if errno == EPIPE || errno == ECONNRESET {
        return  // the answer may still be there to read
      } else if errno != EINTR {
        throw AdminConnection.failure(address, errno)
      }
    }
  }

  /// Everything up to the end of the stream.
  borrowing func receiveAll() throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count == 0 { return bytes }
      if count > 0 {
        bytes.append(contentsOf: chunk.prefix(count))
        guard bytes.count <= AdminConnection.receiveLimit else {
          throw AdminReply.notOurs(address, "the answer is too large")
        }
      } else if errno == EAGAIN {
        try wait(for: Int16(POLLIN))
      } else if errno == ECONNRESET {
        return bytes
      } else if errno != EINTR {
        throw AdminConnection.failure(address, errno)
      }
    }
  }

  private borrowing func wait(for events: Int16) throws(CommandFailure) {
    while true {
      let now = EventLoop.nanoseconds()
      guard now < deadline else {
        throw CommandFailure(
          .unavailable, "the proxy at \(address) does not answer in time",
          hint: "Its machine or its disk may be overloaded; look at its log.")
      }
      var entry = pollfd(fd: descriptor, events: events, revents: 0)
      let left = Int32(clamping: (deadline - now) / 1_000_000 + 1)
      let ready = poll(&entry, 1, left)
      if ready > 0 { return }
      if ready < 0, errno != EINTR { throw AdminConnection.failure(address, errno) }
    }
  }

  /// Returns 0 or the value of errno.
  private static func connect(_ descriptor: CInt, _ path: String) -> CInt {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: name.sun_path) else { return ENAMETOOLONG }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
      }
    }
  }

  private static func failure(_ address: AdminAddress, _ code: CInt) -> CommandFailure {
    let reason = String(cString: strerror(code))
    return switch code {
    case EACCES, EPERM:
      CommandFailure(
        .permission, "cannot reach the proxy at \(address): \(reason)",
        hint: "The socket belongs to the user who runs the proxy; use that user.")
    default:
      CommandFailure(
        .unavailable, "cannot reach the proxy at \(address): \(reason)",
        hint: "Is it running? Start it with `footfall run`, or name its configuration with --config.")
    }
  }
}
