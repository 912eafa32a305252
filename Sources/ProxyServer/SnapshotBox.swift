package import ProxyCore
import Synchronization

/// Where workers find the current snapshot. Looking whether there is a newer one costs one atomic load.
package final class SnapshotBox: Sendable {
  private let generation: Atomic<Int>
  private let current: Mutex<InjectionSnapshot>

  package init(_ snapshot: InjectionSnapshot) {
    generation = Atomic(snapshot.generation)
    current = Mutex(snapshot)
  }

  /// Makes a snapshot the current one, unless a newer one is already there.
  package func publish(_ snapshot: InjectionSnapshot) {
    current.withLock {
      guard snapshot.generation > $0.generation else { return }
      $0 = snapshot
      generation.store(snapshot.generation, ordering: .releasing)
    }
  }

  /// The current snapshot.
  package var snapshot: InjectionSnapshot { current.withLock { $0 } }

  /// The generation of the current snapshot.
  @inline(__always)
  var currentGeneration: Int { generation.load(ordering: .acquiring) }
}
