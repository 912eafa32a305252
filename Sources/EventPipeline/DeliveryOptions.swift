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
  /// The pause after the first failure; each further one doubles it. The real pause is random, between a tenth of the
  /// first and the whole.
  package var backoffMilliseconds = 1_000
  /// The longest pause: a backend that is back gets what waited soon, and one that is away gets two requests a minute.
  package var maximumBackoffMilliseconds = 30_000
  /// The pause when the backend is misconfigured.
  package var slowRetryMilliseconds = 300_000
  /// A `Retry-After` counts for no more than this.
  package var maximumRetryAfterMilliseconds = 3_600_000
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
}
