import AdminAPI
import AdminServer
import Effects
import Glibc
import LoopRuntime
import Synchronization
import TestKit

/// An admin endpoint behind a token, on a Unix socket and a thread of its own; it counts the orders that get through.
final class GuardedEndpoint: Sendable {
  static let token = "sesame"

  /// A context in which nothing happens.
  static let idle = context {}

  private let path: String
  private let ordered = Atomic(0)
  /// One exchange at a time, so that an order belongs to the bytes that gave it.
  private let turn = Mutex(())

  /// One for the whole process: it ends with it.
  static func running() throws -> GuardedEndpoint { try shared.get() }

  private static let shared = Result { try GuardedEndpoint() }

  private init() throws {
    path = try ScratchDirectory("admin").path + "/socket"
    let path = path
    let started = Handover<SystemError?>()
    _ = try NativeThread(name: "admin-property") { [self] in
      do throws(SystemError) {
        let loop = try EventLoop()
        let context = GuardedEndpoint.context { self.ordered.add(1, ordering: .acquiringAndReleasing) }
        let server = try AdminServer(
          loop, at: .unix(path: path), token: GuardedEndpoint.token, context: context, clock: ManualClock())
        started.put(nil)
        loop.run()
        server.close()
      } catch {
        started.put(error)
      }
    }
    if let error = started.take() { throw error }
  }

  private static func context(_ order: @escaping @Sendable () -> Void) -> AdminContext {
    AdminContext(
      status: { StatusReport() }, metrics: { MetricsSnapshot() },
      liveness: { [HealthCheck("loops", passes: true)] }, readiness: { [HealthCheck("listeners", passes: false)] },
      reset: { targets in
        order()
        return targets.map { ResetResult($0, .cleared) }
      },
      reload: {
        order()
        return .draining
      },
      testRules: { RuleTestReport(url: $0, canonical: nil, refusal: nil, effects: [], rules: []) })
  }

  /// Sends the pieces one after the other, ends its side, and returns all that comes back, and the number of resets and
  /// reloads that were ordered by it.
  func exchange(_ pieces: [[UInt8]]) throws -> (stream: [UInt8], orders: Int) {
    try turn.withLock { _ in
      let before = ordered.load(ordering: .acquiring)
      let stream = try send(pieces)
      return (stream, ordered.load(ordering: .acquiring) - before)
    }
  }

  private func send(_ pieces: [[UInt8]]) throws -> [UInt8] {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let connected = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try require(connected == 0, "connect: \(errno)")
    for piece in pieces {
      var rest = piece[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        // The fuzzer's own timer may interrupt any call.
        guard count > 0 || errno == EINTR else { break }
        rest = rest.dropFirst(max(0, count))
      }
    }
    shutdown(descriptor, Int32(SHUT_WR))
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count > 0 {
        answer.append(contentsOf: chunk.prefix(count))
      } else if count < 0, errno == EINTR {
        continue
      } else {
        // A reset after the last answer is allowed; a wait without end is not.
        try require(count == 0 || errno == ECONNRESET, "the endpoint neither answers nor closes: \(errno)")
        return answer
      }
    }
  }
}
