import AhoyTracker
import Effects
import Foundation
import Storage
import Synchronization

/// A client of an [Ahoy](https://github.com/ankane/ahoy) server: visits with their attribution, and events that happen
/// in them.
///
/// ```swift
/// let ahoy = Ahoy(
///   configuration: .init(
///     environment: .init(platform: "Linux", appVersion: "1.0.2", osVersion: "12"),
///     baseUrl: URL(string: "https://your-server.com")!))
/// ahoy.track("ride_details.update_driver_rating", properties: ["driver_id": 4])
/// ```
///
/// A visit is valid for ``Configuration/visitDuration`` from its creation. It is registered with the server before anything
/// is sent that mentions it, by one request, however many callers need it. Share one instance among all tasks.
public actor Ahoy {
  let configuration: Configuration
  let tokenManager: any AhoyTokenManager
  let seams: Seams
  let board = VisitBoard()
  let queue = EventQueue()
  private let user = Mutex<String?>(nil)

  /// What changes the requests before they are sent, in this order.
  public private(set) var requestInterceptors: [RequestInterceptor]

  var machine: VisitMachine
  /// Callers that wait for the registration in flight.
  var waiting: [VisitMachine.Ticket: CheckedContinuation<Visit, any Error>] = [:]
  /// What the registration in flight gives to its callers.
  var draft: Visit?

  /// Time and randomness: the system's, or those of a test.
  struct Seams: Sendable {
    var clock: any WallClock = SystemWallClock()
    var tokens: any TokenSource = SystemTokenSource()
    /// Waits so many milliseconds.
    var sleep: @Sendable (Int) async -> Void = { milliseconds in
      // Nobody cancels the task that waits here; if it happened, trying at once would be right.
      _ = try? await Task.sleep(for: .milliseconds(milliseconds))
    }
    /// A number between 0 and 1 that spreads repetitions.
    var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }
  }

  /// A client.
  ///
  /// - Parameters:
  ///   - requestInterceptors: Change each request before it is sent; replaceable with ``setRequestInterceptors(_:)``.
  ///   - storage: Where the tokens come from; by default a ``PersistedTokenManager`` in the program's directory of state.
  public init(
    configuration: Configuration, requestInterceptors: [RequestInterceptor] = [], storage: (any AhoyTokenManager)? = nil
  ) {
    self.init(
      configuration: configuration, requestInterceptors: requestInterceptors, storage: storage, seams: Seams())
  }

  init(
    configuration: Configuration, requestInterceptors: [RequestInterceptor] = [], storage: (any AhoyTokenManager)?,
    seams: Seams
  ) {
    self.configuration = configuration
    self.requestInterceptors = requestInterceptors
    self.seams = seams
    tokenManager = storage ?? PersistedTokenManager.inDefaultDirectory(visitDuration: configuration.visitDuration)
    machine = VisitMachine(
      backend: configuration.visitsURL.absoluteString, windowMilliseconds: configuration.windowMilliseconds)
  }

  deinit { board.finish() }

  // MARK: Visits

  /// Registers the visit of this moment, and returns it once the server has confirmed it.
  ///
  /// While a visit is current, the same one is registered again, which the server ignores: what is told of a visit is fixed
  /// by its first registration. While a registration is in flight, its outcome is awaited, and these parameters are not
  /// sent.
  ///
  /// - Parameter additionalParams: What is told of this visit, over the ``Configuration/visitParams``.
  /// - Throws: An ``AhoyError``, or what the request handler throws. The next attempt is made with the same tokens.
  @discardableResult
  public func trackVisit(additionalParams: [String: any Encodable & Sendable]? = nil) async throws -> Visit {
    try await registered(additionalParams: additionalParams ?? [:], evenIfCurrent: true)
  }

  /// Registers a visit unless one is current.
  ///
  /// Events do this by themselves while ``Configuration/automaticVisitRenewal`` is on. Call it where a visit should begin
  /// without an event, for instance when the program starts.
  ///
  /// - Returns: The visit that is current now.
  /// - Throws: As ``trackVisit(additionalParams:)``.
  @discardableResult
  public func ensureCurrentVisit() async throws -> Visit {
    try await registered(additionalParams: [:], evenIfCurrent: false)
  }

  /// The visit that the server has confirmed to this client and that has not ended; nil when there is none.
  ///
  /// While ``Configuration/automaticVisitRenewal`` is off, a visit stays the current one until the next is registered.
  public var currentVisit: Visit? { currentEntry?.visit }

  /// The fields `Ahoy-Visitor` and `Ahoy-Visit` of the ``currentVisit`` for requests of your own to the site; empty when
  /// there is none. Replace fields of these names, do not add to them.
  public var headers: [String: String] {
    guard let visit = currentEntry?.visit else { return [:] }
    return [VisitTokens.visitorField: visit.visitorToken, VisitTokens.visitField: visit.visitToken]
  }

  /// The visits as they are registered, beginning with the current one if there is one.
  ///
  /// Each call gives a sequence of its own. It ends when nobody holds the client any more.
  public nonisolated var visits: AsyncStream<Visit> { board.stream(isCurrent: isCurrent) }

  // MARK: Events

  /// Sends events of one visit, which is registered first when need be.
  ///
  /// A server takes 10 events and 8192 bytes in one request and ignores or refuses what is more; so more events, or larger
  /// ones, are sent in several requests, one after the other, all in the same visit. When one of these fails, the events
  /// before it are stored. When the server refuses one for what is in it (400, 413), those behind it are sent all the same.
  /// Nothing is repeated: give events an `id` if you repeat the call.
  ///
  /// - Throws: ``AhoyError/noVisit`` when there is no visit and ``Configuration/automaticVisitRenewal`` is off, another
  ///   ``AhoyError``, what the request handler throws, or what the encoder throws, in which case nothing was sent.
  public func track(events: [Event]) async throws {
    guard !events.isEmpty else { return }
    let user = userId
    let prepared = try events.map { try $0.prepared(userID: user) }
    let tokens = try await tokensForEvents()
    try await send(prepared, tokens)
  }

  /// Hands an event over and returns at once, on any thread. It is delivered in the background, in the visit of the moment
  /// in which it is sent, and together with others that wait.
  ///
  /// The event gets an id and its time now. When it cannot be delivered, it is tried again with growing pauses for some
  /// minutes, always with the same id and, once it was sent, in the same visit. It does not survive the end of the program;
  /// ``flush()`` waits for it. At most 1000 events wait, the oldest go first. Which event was given up, and why,
  /// ``Configuration/undeliveredEventHandler`` is told.
  public nonisolated func track(_ name: String, properties: [String: any Encodable & Sendable] = [:]) {
    let event = Event(
      id: seams.tokens.uuidVersion4(), name: name, properties: properties,
      time: Date(timeIntervalSince1970: Double(seams.clock.millisecondsSinceEpoch()) / 1000))
    let prepared: PreparedEvent
    do {
      prepared = try event.prepared(userID: userId)
    } catch {
      giveUp(event, error)
      return
    }
    let dropped = queue.append(EventQueue.Entry(event: event, prepared: prepared)) {
      Task { await self.deliverQueue() }
    }
    if let dropped { giveUp(dropped.event, EventQueueOverflow()) }
  }

  /// Waits until every event that was handed to ``track(_:properties:)`` so far is delivered or given up: for programs that
  /// are about to end.
  public nonisolated func flush() async {
    while let delivery = queue.delivery { await delivery.value }
  }

  // MARK: User

  /// Adds a `user_id` to each event from now on, also in later visits, until ``detachUser()``.
  ///
  /// It does not sign the user in: the gem itself takes users only from a request's credentials, which an interceptor can
  /// add.
  public func attach(userId: String) { user.withLock { $0 = userId } }

  /// Adds no `user_id` any more.
  public func detachUser() { user.withLock { $0 = nil } }

  nonisolated var userId: String? { user.withLock { $0 } }

  // MARK: Requests

  /// Replaces the interceptors, for requests from now on.
  public func setRequestInterceptors(_ interceptors: [RequestInterceptor]) { requestInterceptors = interceptors }
}
