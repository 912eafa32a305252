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

  private let clock: any WallClock

  init(_ ingredients: Ingredients, clock: any WallClock) {
    self.clock = clock
    let first = SnapshotPublisher.snapshot(ingredients, generation: 1, clock: clock)
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
      box.publish(SnapshotPublisher.snapshot(state.ingredients, generation: state.generation, clock: clock))
    }
  }

  /// How long an id that could not be stored is used before the store is asked again, milliseconds.
  private static let retryInterval: Int64 = 1000

  private static func snapshot(
    _ ingredients: Ingredients, generation: Int, clock: any WallClock
  ) -> InjectionSnapshot {
    let current = ingredients.visitorID?.currentSnapshot()
    var validity = current?.validity ?? Int64.min..<Int64.max
    if let current, !current.isPersisted {
      let (retry, isOver) = clock.millisecondsSinceEpoch().addingReportingOverflow(retryInterval)
      if !isOver { validity = validity.clamped(to: validity.lowerBound..<max(retry, validity.lowerBound)) }
    }
    var injections: [InjectionSnapshot.Injection] = []
    if let current, let visitorID = ingredients.visitorID,
      let injection = InjectionSnapshot.Injection(
        effect: .visitorID, name: visitorID.header, value: current.id)
    {
      injections.append(injection)
    }
    return InjectionSnapshot(
      settings: ingredients.settings, rules: ingredients.rules, injections: injections, visitorID: current?.id,
      validity: validity, generation: generation)
  }
}
