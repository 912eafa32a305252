import AdminAPI
import ProxyCore
import Synchronization

/// Counts which flags decided, and tells the service of the moment; the recorder is there before it, and outlives it.
final class AskedRelay: Sendable {
  private struct Key: Hashable {
    var rule: String
    var flag: String
    var label: String
  }

  private struct State {
    var service: CohorlyService?
    var counts: [Key: UInt64] = [:]
  }

  private let state = Mutex(State())

  func connect(_ service: CohorlyService?) { state.withLock { $0.service = service } }

  func asked(_ gates: AskedGates) {
    let service = state.withLock { state in
      for gate in gates.decisions {
        state.counts[Key(rule: gate.ruleName, flag: gate.flag, label: gate.label), default: 0] &+= gates.exchanges
      }
      return state.service
    }
    service?.asked(gates)
  }

  /// How often flags decided, since the start.
  var counts: [MetricsSnapshot.GateCount] {
    state.withLock { $0.counts }.map { key, count in
      MetricsSnapshot.GateCount(rule: key.rule, flag: key.flag, value: key.label, count: count)
    }.sorted { ($0.rule, $0.flag, $0.value) < ($1.rule, $1.flag, $1.value) }
  }
}
