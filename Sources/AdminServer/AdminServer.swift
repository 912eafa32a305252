package import AdminAPI
package import Effects
import Glibc
import HTTPWire
package import LoopRuntime

/// The admin endpoint on a loop: accepts connections, reads requests, and sends what the router answers.
///
/// Everything but `init`'s arguments belongs to the loop's thread.
package final class AdminServer {
  /// Where the endpoint listens.
  package enum Place: Sendable, Hashable {
    /// A TCP endpoint; port 0 takes a free one.
    case tcp(Endpoint)
    /// A Unix socket with mode 0600.
    case unix(path: String)
  }

  let loop: EventLoop
  let router: AdminRouter
  let clock: any WallClock
  let options: AdminServerOptions
  /// Shared by the sessions: each parses within one call.
  let parser = HeadParser(limits: HeadLimits(requestLine: 8192, head: 16 << 10, fields: 100))
  private var listener: Listener?
  private var sessions: [ObjectIdentifier: AdminSession] = [:]

  /// Listens at once; the guards follow from the place and the token.
  package init(
    _ loop: EventLoop, at place: Place, token: String?, context: AdminContext, clock: any WallClock,
    options: AdminServerOptions = AdminServerOptions()
  ) throws(SystemError) {
    self.loop = loop
    self.clock = clock
    self.options = options
    // The listener cannot refer to a server that is not initialized yet, and a port of 0 is known only afterwards.
    let acceptor = Acceptor()
    let policy: AdminPolicy
    switch place {
    case .tcp(let wanted):
      let listener = try Listener(loop, on: wanted, backlog: 64) { acceptor.accept($0) }
      let endpoint = listener.endpoint ?? wanted
      self.listener = listener
      policy = .tcp(address: endpoint.address.description, port: endpoint.port, token: token)
    case .unix(let path):
      listener = try Listener(loop, unixPath: path) { acceptor.accept($0) }
      policy = .unixSocket(token: token)
    }
    router = AdminRouter(policy: policy, context: context)
    acceptor.server = self
  }

  /// The TCP endpoint that the kernel gave; nil for a Unix socket and after `close()`.
  package var endpoint: Endpoint? { listener?.endpoint }

  /// The number of open connections.
  package var connectionCount: Int { sessions.count }

  /// Stops listening and closes all connections.
  package func close() {
    listener?.close()
    listener = nil
    for session in sessions.values { session.close() }
  }

  func forget(_ session: AdminSession) { sessions[ObjectIdentifier(session)] = nil }

  private func accept(_ descriptor: CInt) {
    if sessions.count >= options.maximumConnections {
      sessions.values.min { $0.waitingSince < $1.waitingSince }?.close()
    }
    let session = AdminSession(self, descriptor: descriptor)
    sessions[ObjectIdentifier(session)] = session
    session.start()
  }

  /// Passes accepted connections on to the server, which may not exist yet or any more.
  private final class Acceptor {
    weak var server: AdminServer?

    func accept(_ descriptor: CInt) {
      guard let server else {
        Glibc.close(descriptor)
        return
      }
      server.accept(descriptor)
    }
  }
}
