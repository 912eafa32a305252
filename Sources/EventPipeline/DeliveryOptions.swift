/// How a delivery behaves; the defaults are those of the product.
package struct DeliveryOptions: Sendable, Hashable {
  /// An event waits at most this long for company.
  package var flushIntervalMilliseconds = 5_000
  /// So many waiting events are sent at once.
  package var flushAt = 20
  /// Requests under way at a time. After a failure one, until something is delivered again.
  package var maximumInFlight = 4
  /// Events read from the store and not acknowledged yet.
  package var windowRows = 1_000
  /// The same in bytes.
  package var windowBytes = 2 << 20
  /// The pause after the first failure; each further one doubles it.
  package var backoffMilliseconds = 1_000
  /// What chance makes of the pauses.
  package var jitter = Jitter.full
  /// The longest pause: a backend that is back gets what waited soon, and one that is away gets two requests a minute.
  package var maximumBackoffMilliseconds = 30_000
  /// The pause when the backend is misconfigured.
  package var slowRetryMilliseconds = 300_000
  /// A `Retry-After` counts for no more than this.
  package var maximumRetryAfterMilliseconds = 3_600_000
  /// Whether a pause that the backend asked for holds for a `flush()`, too.
  package var flushWaitsForRetryAfter = true
  /// Whether a `Retry-After` of 0 is taken at its word: the events go again with the next ones that are due. Else it
  /// says nothing.
  package var honoursRetryAfterZero = false
  /// Whether an event is sent only when all before it are dealt with: a failure holds up those behind it. For more than
  /// one request at a time it says nothing.
  package var keepsOrder = false
  /// Answers such as 500 to the same events before they are halved; a single event becomes a dead letter after so many,
  /// counted only when the backend took others between them.
  package var maximumTries = 5
  /// Single events refused in a row, none delivered between them, before the backend counts as misconfigured: then the
  /// events are kept.
  package var refusalsInARow = 100
  /// Progress is saved at most this often.
  package var saveIntervalMilliseconds = 100
  /// A `flush()` reports after this time at the latest.
  package var flushTimeoutMilliseconds = 30_000
  /// Events the store keeps at most: the queue is never shown deeper.
  package var queueCapacity: Int64 = 1_000_000

  package init() {}

  /// How chance spreads pauses, so that many senders do not come back at the same moment.
  package enum Jitter: Sendable, Hashable {
    /// Evenly between a tenth of the first pause and the doubled one. What a backend asks for, and the pause of a
    /// misconfigured one, is prolonged by up to a tenth, at most five seconds.
    case full
    /// The doubled pause, up to so many hundredths shorter or longer, never above the longest. What a backend asks for
    /// is kept to the millisecond.
    case around(percent: Int)
  }
}
