import CLibevent
import CLinux
package import Effects
import Glibc

/// A listening socket on a loop: TCP with SO_REUSEPORT, so that each worker has its own, or a Unix socket.
///
/// When the process has no descriptor left, those that wait are turned away with the help of one in reserve, and then
/// accepting pauses for a tenth of a second instead of spinning.
package final class Listener {
  /// What helps when the process has no descriptor left.
  package struct Relief {
    /// Closes what is not needed; true when a descriptor came free.
    package var release: () -> Bool
    /// Answers a connection at once, without keeping anything, and closes it.
    package var turnAway: (CInt) -> Void

    package init(release: @escaping () -> Bool, turnAway: @escaping (CInt) -> Void) {
      self.release = release
      self.turnAway = turnAway
    }
  }

  /// How many connections are accepted before other events get their turn.
  private static let batch = 64

  private let loop: EventLoop
  private let descriptor: CInt
  private let path: String?
  private let accepted: (CInt, IPAddress?) -> Void
  private var event: LoopEvent?
  private var pause: LoopTimer?
  /// How often accepting had to pause for want of descriptors or memory.
  package private(set) var pauses = 0
  /// Without it those that wait are left waiting.
  package var relief: Relief? {
    didSet { if relief != nil, reserve < 0 { reserve = Listener.openReserve() } }
  }
  /// A descriptor that is given up to turn somebody away when there is no other.
  private var reserve: CInt = -1

  /// Listens on a TCP endpoint; port 0 takes a free one. `accepted` gets each connection's descriptor, non-blocking and
  /// with TCP_NODELAY, and owns it.
  ///
  /// - Parameter sharing: whether other listeners may take connections of the same endpoint (SO_REUSEPORT).
  package convenience init(
    _ loop: EventLoop, on endpoint: Endpoint, sharing: Bool = false, backlog: CInt = 4096,
    accepted: @escaping (_ descriptor: CInt, _ peer: IPAddress?) -> Void
  ) throws(SystemError) {
    let descriptor = try Listener.bound(to: endpoint, sharing: sharing)
    try self.init(loop, descriptor: descriptor, path: nil, backlog: backlog) { accepted($0, $1) }
  }

  /// Listens on a TCP endpoint, for whom it does not matter where a connection comes from.
  package convenience init(
    _ loop: EventLoop, on endpoint: Endpoint, sharing: Bool = false, backlog: CInt = 4096,
    accepted: @escaping (_ descriptor: CInt) -> Void
  ) throws(SystemError) {
    try self.init(loop, on: endpoint, sharing: sharing, backlog: backlog) { descriptor, _ in accepted(descriptor) }
  }

  /// Fails when somebody listens on the endpoint already, also where both would share it.
  package static func checkFree(_ endpoint: Endpoint) throws(SystemError) {
    Glibc.close(try bound(to: endpoint, sharing: false))
  }

  private static func bound(to endpoint: Endpoint, sharing: Bool) throws(SystemError) -> CInt {
    let address = SocketAddress(endpoint)
    let descriptor = socket(
      address.family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    SocketOptions.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    // What is accepted inherits it, which saves a call for each connection.
    SocketOptions.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    if sharing { SocketOptions.set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
    if endpoint.address.isIPv6 { SocketOptions.set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
    guard address.withPointer({ Glibc.bind(descriptor, $0, $1) }) == 0 else {
      let error = SystemError("bind")
      Glibc.close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Listens on a Unix socket of that path, mode 0600. A socket file that nobody listens on is replaced.
  package convenience init(
    _ loop: EventLoop, unixPath path: String, accepted: @escaping (CInt) -> Void
  ) throws(SystemError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < capacity else { throw SystemError("bind", code: ENAMETOOLONG) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw -> CInt in
        let mask = umask(0o177)
        defer { umask(mask) }
        if Glibc.bind(descriptor, raw, size) == 0 { return 0 }
        guard errno == EADDRINUSE else { return errno }
        // Another kind of file is somebody's and stays.
        var file = stat()
        guard lstat(path, &file) == 0, file.st_mode & S_IFMT == S_IFSOCK else { return EADDRINUSE }
        // Non-blocking, because a listener with a full queue would keep it waiting; it is busy then.
        let probe = socket(
          AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { Glibc.close(probe) }
        guard connect(probe, raw, size) != 0, errno == ECONNREFUSED else { return EADDRINUSE }
        unlink(path)
        return Glibc.bind(descriptor, raw, size) == 0 ? 0 : errno
      }
    }
    guard bound == 0 else {
      Glibc.close(descriptor)
      throw SystemError("bind", code: bound)
    }
    try self.init(loop, descriptor: descriptor, path: path, backlog: 128) { descriptor, _ in accepted(descriptor) }
  }

  private init(
    _ loop: EventLoop, descriptor: CInt, path: String?, backlog: CInt,
    accepted: @escaping (CInt, IPAddress?) -> Void
  ) throws(SystemError) {
    guard listen(descriptor, backlog) == 0 else {
      let error = SystemError("listen")
      Glibc.close(descriptor)
      throw error
    }
    self.loop = loop
    self.descriptor = descriptor
    self.path = path
    self.accepted = accepted
    let event = LoopEvent(loop: loop, descriptor: descriptor, flags: Int16(EV_READ | EV_PERSIST)) {
      [unowned self] in acceptBatch()
    }
    event.add()
    self.event = event
    pause = LoopTimer(loop) { [unowned self] in self.event?.add() }
  }

  deinit { close() }

  /// The endpoint that the kernel gave; nil for a Unix socket.
  package var endpoint: Endpoint? { SocketAddress.of(descriptor: descriptor, peer: false) }

  /// Stops listening. Connections that wait to be accepted are reset by the kernel.
  package func close() {
    guard event != nil else { return }
    event = nil
    pause?.cancel()
    Glibc.close(descriptor)
    if reserve >= 0 { Glibc.close(reserve) }
    reserve = -1
    if let path { unlink(path) }
  }

  /// Accepts the connections that wait, and stops listening.
  package func drain() {
    while event != nil {
      let (connection, peer) = accept()
      guard connection >= 0 else {
        if errno == ECONNABORTED || errno == EINTR || errno == EPROTO { continue }
        break
      }
      accepted(connection, peer)
    }
    close()
  }

  private func acceptBatch() {
    for _ in 0..<Listener.batch {
      let (connection, peer) = accept()
      guard connection >= 0 else {
        switch errno {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
          if relief?.release() ?? false { continue }
          return turnAwayAndPause()
        case ECONNABORTED, EINTR, EPROTO: continue
        default: return
        }
      }
      accepted(connection, peer)
      if event == nil { return }
    }
  }

  /// The next waiting connection and where it comes from, or a negative number with errno set.
  private func accept() -> (CInt, IPAddress?) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        let connection = clinux_accept4(descriptor, raw, &length)
        guard connection >= 0, path == nil else { return (connection, nil) }
        return (connection, SocketAddress.endpoint(UnsafePointer(raw))?.address)
      }
    }
  }

  private func turnAwayAndPause() {
    pauses &+= 1
    event?.remove()
    pause?.start(afterMilliseconds: 100)
    guard let relief, reserve >= 0 else {
      reserve = Listener.openReserve()
      return
    }
    Glibc.close(reserve)
    for _ in 0..<Listener.batch {
      let (connection, _) = accept()
      guard connection >= 0 else { break }
      relief.turnAway(connection)
    }
    // Another thread may have taken it meanwhile; the next time tries again.
    reserve = Listener.openReserve()
  }

  private static func openReserve() -> CInt { open("/dev/null", O_RDONLY | O_CLOEXEC) }
}

/// Integer socket options.
enum SocketOptions {
  static func set(_ descriptor: CInt, _ level: CInt, _ option: CInt, _ value: CInt) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
  }
}
