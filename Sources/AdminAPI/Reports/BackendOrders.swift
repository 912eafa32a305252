package import Effects

/// What the admin endpoint can ask of the backends and of the delivery of events: one closure per order.
///
/// The closures are called on the admin endpoint's own loop and return at once; each calls the closure handed to it once,
/// on any thread, when the result is there.
package struct BackendOrders: Sendable {
  /// Takes the result of an order.
  package typealias Reply<Value: Sendable> = @Sendable (Result<Value, OrderRefusal>) -> Void

  /// Ahoy: registers the current visit, or the next one when there is none, with these parameters beside those of the
  /// configuration.
  package var trackVisit: @Sendable (_ params: [JSONMember], _ reply: @escaping Reply<VisitReport>) -> Void
  /// Queues an event for every backend; the result is its id.
  package var track: @Sendable (_ name: String, _ properties: [JSONMember], _ reply: @escaping Reply<String>) -> Void
  /// Ahoy: attaches the user to events to come; nil detaches. Returns once that is stored.
  package var attach: @Sendable (_ userID: String?, _ reply: @escaping Reply<Void>) -> Void
  /// Sends what waits; one report for each backend.
  package var flush: @Sendable (_ reply: @escaping Reply<[FlushOutcome]>) -> Void
  /// Events that a backend will never take, the oldest first, those behind a number.
  package var deadLetters: @Sendable (DeadLetterQuery, _ reply: @escaping Reply<DeadLetterPage>) -> Void
  /// Queues dead letters again: those with the ids of these events, or all. The result is how many.
  package var requeue: @Sendable (_ ids: [String]?, _ backend: String?, _ reply: @escaping Reply<UInt64>) -> Void

  /// What only Cohorly takes; nil when it is not configured.
  package var cohorly: CohorlyOrders?

  package init(
    trackVisit: @escaping @Sendable ([JSONMember], @escaping Reply<VisitReport>) -> Void,
    track: @escaping @Sendable (String, [JSONMember], @escaping Reply<String>) -> Void,
    attach: @escaping @Sendable (String?, @escaping Reply<Void>) -> Void,
    flush: @escaping @Sendable (@escaping Reply<[FlushOutcome]>) -> Void,
    deadLetters: @escaping @Sendable (DeadLetterQuery, @escaping Reply<DeadLetterPage>) -> Void,
    requeue: @escaping @Sendable ([String]?, String?, @escaping Reply<UInt64>) -> Void,
    cohorly: CohorlyOrders? = nil
  ) {
    self.trackVisit = trackVisit
    self.track = track
    self.attach = attach
    self.flush = flush
    self.deadLetters = deadLetters
    self.requeue = requeue
    self.cohorly = cohorly
  }

  /// The orders of a proxy without any backend: each is refused.
  package static let notConfigured = BackendOrders(
    trackVisit: { $1(.failure(.notConfigured)) }, track: { $2(.failure(.noBackend)) },
    attach: { $1(.failure(.notConfigured)) }, flush: { $0(.failure(.noBackend)) },
    deadLetters: { $1(.failure(.noBackend)) }, requeue: { $2(.failure(.noBackend)) })
}

/// Why an order of ``BackendOrders`` was not carried out.
package enum OrderRefusal: Error, Sendable, Hashable {
  /// The configuration has no section `ahoy`.
  case notConfigured
  /// The configuration has no section `cohorly`.
  case cohorlyNotConfigured
  /// The configuration has neither of them.
  case noBackend
  /// The process is ending.
  case stopping
  /// The backend did not do its part.
  case backend(reason: String)
  /// The store does not take it now: it waits in memory, is stored when that is possible, and lost if the process ends
  /// before.
  case waits(reason: String)
  /// The store did not do its part; nothing changed.
  case store(reason: String)
  /// What was asked for can never be done, such as an event larger than a request.
  case unacceptable(reason: String)

  var error: AdminError {
    switch self {
    case .notConfigured:
      AdminError(
        .ahoyNotConfigured, "Ahoy is not configured.",
        hint: "Add the section \"ahoy\" with a baseURL to the configuration, then reload.")
    case .cohorlyNotConfigured:
      AdminError(
        .cohorlyNotConfigured, "Cohorly is not configured.",
        hint: "Add the section \"cohorly\" with a tokenFile to the configuration, then reload.")
    case .noBackend:
      AdminError(
        .noBackendConfigured, "Neither Ahoy nor Cohorly is configured.",
        hint: "Add the section \"ahoy\" or \"cohorly\" to the configuration, then reload.")
    case .stopping:
      AdminError(.draining, "The proxy is ending and takes no orders.", hint: "Ask the process that replaces it.")
    case .backend(let reason):
      AdminError(
        .backendFailed, "The backend did not do its part: \(reason)",
        hint:
          "What is stored stays there and is tried again; look at the backend, and at what the configuration says of it."
      )
    case .waits(let reason):
      AdminError(
        .storeFailed, "It waits in memory: \(reason)",
        hint:
          "Do not send it again: it is stored as soon as the store takes it. Look at the disk under state.directory.")
    case .store(let reason):
      AdminError(
        .storeFailed, "The store did not do its part: \(reason)",
        hint: "Nothing changed. Look at the disk under state.directory, then try again.")
    case .unacceptable(let reason):
      AdminError(.invalidParameter, "That cannot be done: \(reason)", hint: "Send something else.")
    }
  }
}
