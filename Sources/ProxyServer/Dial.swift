import Effects
import Glibc
import LoopRuntime
import ProxyCore

/// A client's way to a connection: waiting for room at the origin, looking the name up, racing the addresses, and with a
/// parent proxy asking it for the tunnel.
final class Dial {
  enum Stage { case waiting, resolving, racing, negotiating }

  let origin: Origin
  /// Who wants the connection; nil once it is there or not wanted any more.
  private(set) var client: ClientConnection?
  var stage = Stage.waiting
  /// When the dial began, behind all waiting.
  var startedAt: UInt64
  /// When it has to be over.
  var deadline: UInt64 = 0
  var race = AddressRace([], port: 0)
  /// The connections that are on their way.
  private(set) var attempts: [UpstreamConnection] = []
  private var ticket: Int?
  /// The dial counts among the origin's connections.
  private var isCounted = false

  init(_ client: ClientConnection, to origin: Origin, at now: UInt64) {
    self.client = client
    self.origin = origin
    startedAt = now
  }

  /// What the error pages call the place.
  var place: String {
    origin.kind == .parent ? "parent proxy \(origin.host) port \(origin.port)" : "\(origin.host) port \(origin.port)"
  }

  /// Gets in line for one of the origin's connections.
  func wait() { ticket = origin.waiting.join(self) }

  /// It is this dial's turn, or there is no line.
  func count() {
    ticket = nil
    isCounted = true
    origin.take()
  }

  /// Starts a connection.
  func attempt(_ endpoint: Endpoint, for client: ClientConnection) throws(SystemError) {
    let descriptor = try client.worker.startDial(endpoint)
    attempts.append(UpstreamConnection(client.worker, descriptor: descriptor, to: endpoint, of: origin, client: client))
  }

  /// One of the attempts is over.
  func drop(_ attempt: UpstreamConnection) {
    attempts.removeAll { $0 === attempt }
    attempt.close()
  }

  /// One of the attempts has won: the others are closed, and it counts from now on.
  func win(_ winner: UpstreamConnection) {
    let losers = attempts
    attempts = []
    for loser in losers where loser !== winner { loser.close() }
    winner.isCounted = isCounted
    isCounted = false
  }

  /// Nobody wants a connection any more, or it is there.
  func end() {
    let worker = client?.worker
    client = nil
    let open = attempts
    attempts = []
    for attempt in open { attempt.close() }
    if let ticket {
      self.ticket = nil
      origin.waiting.leave(ticket)
      origin.settle()
    }
    if isCounted {
      isCounted = false
      worker?.release(origin)
    }
  }

  /// What a failed system call says about the destination.
  static func error(_ failure: SystemError) -> ProxyError {
    if SystemError.isExhaustion(failure.code) { return .outOfDescriptors }
    switch failure.code {
    case ECONNREFUSED: return .connectionRefused
    case ETIMEDOUT: return .connectionTimeout
    default: return .connectionFailed
    }
  }
}
