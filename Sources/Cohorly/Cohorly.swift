import CohorlyTracker
import Effects
import EventPipeline
public import Foundation
import Storage
import Synchronization

/// A client of a Cohorly server: events, profiles, identity and feature flags.
///
/// ```swift
/// let cohorly = Cohorly.initialize(token: "YOUR_PROJECT_TOKEN")
/// cohorly.track("Screen Viewed", properties: ["screen": "Home"])
/// cohorly.identify("user_123")
/// await cohorly.flush()
/// ```
///
/// Every member may be called on any thread. What is told is kept before the call returns, and delivered in the background.
/// Reads of flags never wait for the network, the storage or another thread's.
public final class Cohorly: Sendable {
  /// How long kept flags are fresh: 24 hours.
  public static let defaultFlagCacheTTL: TimeInterval = 24 * 60 * 60
  /// How long kept flags are served that are no longer fresh: 7 days.
  public static let flagCacheMaxStale: TimeInterval = 7 * 24 * 60 * 60

  struct State {
    var identity: CohorlyIdentity
    var flags: FlagStore
    var superProperties: [String: JSONValue]
    /// Counts the changes of the identity.
    var generation = 0
    /// Counts what was decided about the kept flags, so that only the last decision is carried out.
    var cacheDecision = 0
    /// Another client has taken its place.
    var isClosed = false
    /// Records that could not be queued.
    var unsendable = 0
    var storageError: String?
  }

  let state: Mutex<State>
  /// Held while something is changed and stored, so that changes and what is queued keep their order. Taken before
  /// ``state``, never inside of it; reads do without.
  let changes = Mutex(())
  let storage: (any CohorlyStorage)?
  let queue: RecordQueue
  let pipeline: DeliveryPipeline
  let transport: any Transport
  let endpoint: CohorlyEndpoint
  let listeners = FlagListeners()
  let seams: Seams
  let log: @Sendable (String) -> Void
  let isDisabled: Bool
  let board: DeliveryBoard

  /// Time and randomness: the system's, or those of a test.
  struct Seams: Sendable {
    var clock: any WallClock = SystemWallClock()
    var tokens: any TokenSource = SystemTokenSource()
    var monotonicClock: any MonotonicClock = SystemMonotonicClock()
    var sleeper: any Sleeper = SystemSleeper()
    var delivery = DeliveryOptions.cohorly
  }

  // MARK: The shared client

  private struct Shared {
    var client: Cohorly?
    /// Opened once: its directory is locked.
    var storage: CohorlyFileStorage?
  }

  private static let current = Mutex(Shared())

  /// The client that ``initialize(apiHost:token:transport:storage:flushInterval:flushAt:loadFeatureFlags:flagPersistence:flagCacheTTL:sendExposureEvents:isDisabled:logHandler:)``
  /// has made. Before that, one that tells and keeps nothing.
  public static var shared: Cohorly {
    current.withLock { current in
      if let client = current.client { return client }
      let client = Cohorly(
        endpoint: CohorlyEndpoint(), storage: nil, flags: FlagOptions(loads: false), isDisabled: true, seams: Seams())
      current.client = client
      return client
    }
  }

  /// Makes the shared client and returns it. One that was there before sends and keeps nothing from now on.
  ///
  /// - Parameters:
  ///   - apiHost: The server, with a path if the API lies below one.
  ///   - token: The project's, if it uses tokens.
  ///   - transport: Sends the requests.
  ///   - storage: Keeps what must survive the program; by default a file in its directory of state.
  ///   - flushInterval: An event waits at most so many seconds for company.
  ///   - flushAt: So many waiting events are sent at once.
  ///   - loadFeatureFlags: Whether flags are evaluated now. They are at ``identify(_:)`` and ``reset()`` in any case.
  ///   - flagPersistence: How reads use flags that an earlier run has kept.
  ///   - flagCacheTTL: How many seconds kept flags are fresh. With 0 or less none are kept.
  ///   - sendExposureEvents: Whether reads of flags are reported as `$feature_flag_called`.
  ///   - isDisabled: Whether nothing is sent and nothing queued.
  ///   - logHandler: Told what an operator should know, a line at a time, on any thread.
  @discardableResult
  public static func initialize(
    apiHost: String = "https://cohorly-service.velloalabs.com", token: String? = nil,
    transport: any CohorlyTransport = CohorlyURLSession(), storage: (any CohorlyStorage)? = nil,
    flushInterval: TimeInterval = 5, flushAt: Int = 20, loadFeatureFlags: Bool = true,
    flagPersistence: FlagPersistence = .persistenceUntilNetworkSuccess,
    flagCacheTTL: TimeInterval = Cohorly.defaultFlagCacheTTL, sendExposureEvents: Bool = true, isDisabled: Bool = false,
    logHandler: (@Sendable (String) -> Void)? = nil
  ) -> Cohorly {
    current.withLock { current in
      current.client?.retire()
      var storage = storage
      var failure: String?
      if storage == nil, !isDisabled {
        do {
          let file = try current.storage ?? CohorlyFileStorage.inDefaultDirectory()
          current.storage = file
          storage = file
        } catch {
          failure = "nothing is kept: \(error)"
        }
      }
      var seams = Seams()
      let interval = flushInterval.isFinite ? min(max(flushInterval, 0), 86_400) : 86_400
      seams.delivery.flushIntervalMilliseconds = Int(interval * 1000)
      seams.delivery.flushAt = max(1, flushAt)
      let client = Cohorly(
        endpoint: CohorlyEndpoint(apiHost: apiHost, token: token), transport: transport, storage: storage,
        storageError: failure,
        flags: FlagOptions(
          loads: loadFeatureFlags, policy: flagPersistence.policy, ttlMilliseconds: Self.milliseconds(flagCacheTTL),
          reportsExposures: sendExposureEvents),
        isDisabled: isDisabled, seams: seams, log: logHandler ?? { _ in })
      current.client = client
      return client
    }
  }

  static func milliseconds(_ seconds: TimeInterval) -> Int64 {
    seconds.isNaN ? 0 : Int64(exactly: (seconds * 1000).rounded()) ?? (seconds < 0 ? 0 : .max)
  }

  /// How flags are used.
  struct FlagOptions {
    var loads = true
    var policy = CohorlyTracker.FlagPersistence.persistenceUntilNetworkSuccess
    var ttlMilliseconds = CohorlyTracker.FlagPersistence.defaultTTLMilliseconds
    var reportsExposures = true
  }

  init(
    endpoint: CohorlyEndpoint, transport: any CohorlyTransport = CohorlyURLSession(), storage: (any CohorlyStorage)?,
    storageError: String? = nil, flags options: FlagOptions = FlagOptions(), isDisabled: Bool = false, seams: Seams,
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.endpoint = endpoint
    self.storage = storage
    self.seams = seams
    self.log = log
    self.isDisabled = isDisabled
    self.transport = TransportAdapter(transport: transport)
    let kept = KeptState(storage, tokens: seams.tokens)
    let store = FlagStore(
      policy: options.policy, ttlMilliseconds: options.ttlMilliseconds, distinctID: kept.identity.distinctID,
      reportsExposures: options.reportsExposures)
    state = Mutex(
      State(
        identity: kept.identity, flags: store, superProperties: kept.superProperties,
        storageError: storageError ?? kept.storageError))
    let shares = (storage as? CohorlyFileStorage)?.ownsQueue == false
    let queue = RecordQueue(storage: isDisabled || shares ? nil : storage) { letter in
      log("a record is given up: \(letter.reason)")
    }
    self.queue = queue
    let board = DeliveryBoard()
    self.board = board
    pipeline = DeliveryPipeline(
      backend: "cohorly",
      format: CohorlyDelivery(
        endpoint: endpoint,
        // What was taken back is not sent, even when the delivery has read it already.
        read: { queue.contains($0.sequence) ? CohorlyReading($0) : .other },
        refused: { lines in
          board.note(refused: lines)
          for line in lines { log(line) }
        }),
      store: queue, transport: self.transport, clock: seams.monotonicClock, wallClock: seams.clock,
      sleeper: seams.sleeper, random: seams.tokens, options: seams.delivery, observer: { board.note($0) })
    if shares { log("another program keeps its queue in the same directory: that of this one is in memory") }
    for line in [store.warning, storageError ?? kept.storageError].compactMap({ $0 }) { log(line) }
    loadKeptFlags()
    guard !isDisabled else { return }
    Task { [pipeline] in await pipeline.start() }
    if options.loads { beginReload() }
  }
}
