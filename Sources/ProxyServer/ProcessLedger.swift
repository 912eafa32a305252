import Effects
import LoopRuntime
import ProxyCore
import Synchronization

/// What all workers count together, so that a limit of the process is one and not a share of each worker.
final class ProcessLedger: Sendable {
  private let connections = Atomic(0)
  private let bytesHeld = Atomic(0)
  private let clients = Mutex(ClientTable())

  /// Counts a connection in; the reason when there is no room for it, and it is not counted then.
  ///
  /// - Returns: whether the address was counted too, as `leave` has to know.
  func enter(_ address: IPAddress?, _ limits: ProxyLimits) throws(Refusal) -> Bool {
    guard connections.add(1, ordering: .relaxed).newValue <= limits.connections else {
      connections.subtract(1, ordering: .relaxed)
      throw Refusal(error: .overloaded)
    }
    guard let address, let limit = limits.connectionsPerClient else { return false }
    guard clients.withLock({ $0.connect(address, limit: limit) }) else {
      connections.subtract(1, ordering: .relaxed)
      throw Refusal(error: .tooManyConnections)
    }
    return true
  }

  /// Counts a connection out.
  func leave(_ address: IPAddress?, wasCounted: Bool) {
    connections.subtract(1, ordering: .relaxed)
    if wasCounted, let address { clients.withLock { $0.disconnect(address) } }
  }

  /// Whether the address may have one more request now.
  func admitsRequest(_ address: IPAddress?, perSecond: Int) -> Bool {
    guard let address else { return true }
    return clients.withLock { $0.take(address, perSecond: perSecond, at: EventLoop.nanoseconds()) }
  }

  /// Adds what a worker holds more or less than when it last said so; the sum over all workers.
  func hold(_ difference: Int) -> Int {
    difference == 0
      ? bytesHeld.load(ordering: .relaxed) : bytesHeld.add(difference, ordering: .relaxed).newValue
  }

  /// Why a connection is not let in.
  struct Refusal: Error {
    let error: ProxyError
  }
}
