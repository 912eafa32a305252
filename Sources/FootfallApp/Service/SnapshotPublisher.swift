import AhoyTracker
import Effects
import ProxyCore
import ProxyServer
import Synchronization
import URLRules
import VisitorID

/// Makes the snapshots that the workers read: settings, rules, the visitor id, the visit and the flags of the moment.
final class SnapshotPublisher: Sendable {
  /// What the snapshots are made of until the next reload.
  struct Ingredients: Sendable {
    var settings: ProxySettings
    var rules: RuleSet
    /// Nil while the feature is off.
    var visitorID: VisitorID?
    /// Nil without Ahoy.
    var visits: VisitKeeper?
    /// Nil without Cohorly.
    var cohorly: CohorlyKeeper?
    /// The rules that ask its flags.
    var questions: [CohorlyKeeper.Question] = []
    /// Where Ahoy's headers are not injected.
    var reserved: ReservedPath?
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
    _ = ingredients.visitorID?.currentSnapshot()
    let first = SnapshotPublisher.snapshot(
      ingredients, ingredients.visitorID?.snapshotFromMemory(), generation: 1, clock: clock)
    state = Mutex(State(ingredients: ingredients, generation: 1))
    box = SnapshotBox(first)
  }

  var ingredients: Ingredients { state.withLock { $0.ingredients } }

  /// Goes on with other ingredients from the next request on. Asks the store of the visitor id.
  func replace(_ ingredients: Ingredients) {
    _ = ingredients.visitorID?.currentSnapshot()
    publish { $0.ingredients = ingredients }
  }

  /// Publishes what the visitor id is now and stores it where that is due: after a reset, and after `renewAtOnce()`.
  func renew() {
    _ = ingredients.visitorID?.currentSnapshot()
    publish { _ in }
  }

  /// Publishes what the visitor id is now without asking the store, for the workers, which must not wait for a disk.
  ///
  /// - Returns: Whether the id is yet to be stored. Then `renew()` is to be called on a thread that may wait.
  func renewAtOnce() -> Bool {
    publish { _ in }
  }

  /// Returns whether the id is yet to be stored.
  @discardableResult
  private func publish(_ change: (inout State) -> Void) -> Bool {
    // Under the lock from reading the id to publishing, so that an older id never follows a newer one. The store is
    // not asked here: a worker may be waiting for the lock.
    state.withLock { state in
      change(&state)
      state.generation += 1
      let current = state.ingredients.visitorID?.snapshotFromMemory()
      box.publish(
        SnapshotPublisher.snapshot(state.ingredients, current, generation: state.generation, clock: clock))
      return current.map { !$0.isPersisted } ?? false
    }
  }

  /// How long an id that could not be stored is used before the store is asked again, milliseconds.
  private static let retryInterval: Int64 = 1000

  private static func snapshot(
    _ ingredients: Ingredients, _ current: VisitorID.Snapshot?, generation: Int, clock: any WallClock
  ) -> InjectionSnapshot {
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
    let visit = ingredients.visits?.snapshotPart()
    if let visit { validity = validity.clamped(to: visit.validity) }
    if let tokens = visit?.confirmed {
      for field in tokens.fields {
        let name = field.name.lowercased()
        if let injection = InjectionSnapshot.Injection(effect: .ahoy, name: name, value: field.value) {
          injections.append(injection)
        }
      }
    }
    let cohorly = ingredients.cohorly?.snapshotPart(ingredients.questions)
    if let cohorly { validity = validity.clamped(to: cohorly.validity) }
    let closed = Set((cohorly?.gates ?? []).lazy.filter { !$0.isOpen }.map { Int($0.rule) })
    return InjectionSnapshot(
      settings: ingredients.settings, rules: closed.isEmpty ? ingredients.rules : ingredients.rules.without(closed),
      injections: injections, visitorID: current?.id,
      eventMembers: (visit?.eventMembers ?? []) + (cohorly?.eventMembers ?? []), gates: cohorly?.gates ?? [],
      awaited: visit?.isAwaited ?? false ? .ahoy : [],
      reserved: ingredients.reserved, validity: validity, generation: generation)
  }
}
