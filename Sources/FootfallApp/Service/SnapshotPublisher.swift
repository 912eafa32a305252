import Effects
import ProxyCore
import ProxyServer
import Synchronization
import URLRules
import VisitorID

/// Makes the snapshots that the workers read: settings, rules and the visitor id of the moment.
final class SnapshotPublisher: Sendable {
  /// What the snapshots are made of until the next reload.
  struct Ingredients: Sendable {
    var settings: ProxySettings
    var rules: RuleSet
    /// Nil while the feature is off.
    var visitorID: VisitorID?
  }

  private struct State {
    var ingredients: Ingredients
    var generation: Int
  }

  private let state: Mutex<State>
  /// Where the workers find the current snapshot.
  let box: SnapshotBox

  init(_ ingredients: Ingredients) {
    let first = SnapshotPublisher.snapshot(ingredients, generation: 1)
    state = Mutex(State(ingredients: ingredients, generation: 1))
    box = SnapshotBox(first)
  }

  var ingredients: Ingredients { state.withLock { $0.ingredients } }

  /// Goes on with other ingredients from the next request on.
  func replace(_ ingredients: Ingredients) {
    publish { $0.ingredients = ingredients }
  }

  /// Publishes what the visitor id is now: after a reset, and when the last one has expired.
  func renew() {
    publish { _ in }
  }

  private func publish(_ change: (inout State) -> Void) {
    // Under the lock from reading the id to publishing, so that an older id never follows a newer one.
    state.withLock { state in
      change(&state)
      state.generation += 1
      box.publish(SnapshotPublisher.snapshot(state.ingredients, generation: state.generation))
    }
  }

  private static func snapshot(_ ingredients: Ingredients, generation: Int) -> InjectionSnapshot {
    let current = ingredients.visitorID?.currentSnapshot()
    var injections: [InjectionSnapshot.Injection] = []
    if let current, let visitorID = ingredients.visitorID,
      let injection = InjectionSnapshot.Injection(
        effect: .visitorID, name: visitorID.header, value: current.id)
    {
      injections.append(injection)
    }
    return InjectionSnapshot(
      settings: ingredients.settings, rules: ingredients.rules, injections: injections, visitorID: current?.id,
      validity: current?.validity ?? Int64.min..<Int64.max, generation: generation)
  }
}
