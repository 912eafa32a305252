import EventPipeline
import Synchronization

/// What the delivery last told of itself.
final class DeliveryBoard: Sendable {
  private let state = Mutex((delivery: DeliveryStatus(), refused: [String]()))

  var delivery: DeliveryStatus { state.withLock { $0.delivery } }
  /// Operations that the server refused of a request that it took.
  var refused: [String] { state.withLock { $0.refused } }

  func note(_ delivery: DeliveryStatus) { state.withLock { $0.delivery = delivery } }
  func note(refused: [String]) { state.withLock { $0.refused = refused } }
}
