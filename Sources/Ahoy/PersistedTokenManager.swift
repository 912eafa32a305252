import AhoyTracker
import ClientFoundation
public import Effects
public import Foundation
import Storage
import Synchronization

/// Random tokens that survive the end of the program: one for the visitor, which stays, and one for the visit, which is
/// replaced when it is asked for after its duration.
///
/// Asking always gives a token, whatever the store does. A store that fails is asked again at most once a second, at a later
/// reading; until then the tokens live in memory, and ``storeError`` says why.
public final class PersistedTokenManager: AhoyTokenManager {
  private struct State {
    var record: VisitRecord?
    var isPersisted = false
    /// The store has answered what it held at first. Until then it is not written to: what it holds may be the tokens.
    var isLoaded: Bool
    var lastFailure: Int64?
    var storeError: StoreError?
  }

  private let state: Mutex<State>
  private let store: (any KeyValueStore)?
  private let windowMilliseconds: Int64
  private let clock: any WallClock
  private let tokens: any TokenSource

  /// Tokens in a store, such as `FileKeyValueStore` of the module `Storage`.
  ///
  /// - Parameter visitDuration: As ``Configuration/visitDuration``: give both the same.
  public convenience init(store: any KeyValueStore, visitDuration: TimeInterval = 4 * 60 * 60) {
    self.init(store: store, visitDuration: visitDuration, clock: SystemWallClock(), tokens: SystemTokenSource())
  }

  /// Tokens in files of a directory, which is created for its owner alone if need be.
  ///
  /// - Throws: When the directory cannot be made.
  public convenience init(directory: String, visitDuration: TimeInterval = 4 * 60 * 60) throws(StoreError) {
    self.init(store: try FileKeyValueStore(directory: directory), visitDuration: visitDuration)
  }

  /// Tokens in `DIRECTORY/ahoy`, where DIRECTORY is `$STATE_DIRECTORY`, or `PROGRAM` below `$XDG_STATE_HOME` or
  /// `~/.local/state`; in memory alone where that is not possible.
  static func inDefaultDirectory(
    visitDuration: TimeInterval, environment: [String: String] = ProcessInfo.processInfo.environment,
    program: String = ProcessInfo.processInfo.processName
  ) -> PersistedTokenManager {
    var store: FileKeyValueStore?
    var failure = StoreError(.denied, "there is no directory: neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME is set")
    if let directory = defaultDirectory(environment, program) {
      do throws(StoreError) { store = try FileKeyValueStore(directory: directory) } catch { failure = error }
    }
    return PersistedTokenManager(
      store: store, visitDuration: visitDuration, clock: SystemWallClock(), tokens: SystemTokenSource(),
      storeError: store == nil ? failure : nil)
  }

  static func defaultDirectory(_ environment: [String: String], _ program: String) -> String? {
    ProgramDirectory.path(of: "ahoy", environment: environment, program: program)
  }

  init(
    store: (any KeyValueStore)?, visitDuration: TimeInterval, clock: any WallClock, tokens: any TokenSource,
    storeError: StoreError? = nil
  ) {
    self.store = store
    self.clock = clock
    self.tokens = tokens
    windowMilliseconds = Configuration.windowMilliseconds(visitDuration)
    state = Mutex(State(isLoaded: store == nil, storeError: storeError))
  }

  /// Who visits. It never ends.
  public var visitorToken: String { current().visitor }

  /// The visit of this moment; a new one when the last has ended.
  public var visitToken: String { current().visit }

  /// Whether the tokens of this moment would survive a restart.
  public var isPersisted: Bool { state.withLock { $0.isPersisted } }

  /// Why the store could not be used at the last attempt; nil when it could.
  public var storeError: StoreError? { state.withLock { $0.storeError } }

  /// The lock is held while the store is asked: two first readers get the same tokens.
  private func current() -> VisitTokens {
    state.withLock { state in
      let now = clock.millisecondsSinceEpoch()
      if !state.isLoaded { load(&state, now) }
      if let record = state.record, record.isCurrent(at: now, windowMilliseconds: windowMilliseconds) {
        if !state.isPersisted { keep(&state, now) }
        return record.tokens
      }
      let visitor = state.record?.tokens.visitor ?? tokens.uuidVersion4()
      let fresh = VisitTokens(visit: tokens.uuidVersion4(), visitor: visitor)
      state.record = VisitRecord(tokens: fresh, createdAtMilliseconds: now)
      state.isPersisted = false
      keep(&state, now)
      return fresh
    }
  }

  private func load(_ state: inout State, _ now: Int64) {
    guard let store, mayAttempt(state, now) else { return }
    do throws(StoreError) {
      let stored = try store.value(forKey: VisitRecord.currentKey).flatMap(VisitRecord.init(stored:))
      state.isLoaded = true
      succeed(&state)
      guard let stored else { return }
      state.record = stored
      state.isPersisted = true
    } catch {
      // What cannot be read ever again may be overwritten.
      if error.code == .corrupt { state.isLoaded = true } else { fail(&state, error, now) }
    }
  }

  private func keep(_ state: inout State, _ now: Int64) {
    guard let store, let record = state.record, state.isLoaded, mayAttempt(state, now) else { return }
    do throws(StoreError) {
      try store.set(record.bytes, forKey: VisitRecord.currentKey)
      state.isPersisted = true
      succeed(&state)
    } catch {
      fail(&state, error, now)
    }
  }

  /// A clock that jumps lets an attempt through early, which does no harm.
  private func mayAttempt(_ state: State, _ now: Int64) -> Bool {
    guard let lastFailure = state.lastFailure else { return true }
    let (elapsed, isOver) = now.subtractingReportingOverflow(lastFailure)
    return isOver || elapsed < 0 || elapsed >= 1000
  }

  private func succeed(_ state: inout State) {
    state.lastFailure = nil
    state.storeError = nil
  }

  private func fail(_ state: inout State, _ error: StoreError, _ now: Int64) {
    state.lastFailure = now
    state.storeError = error
  }
}
