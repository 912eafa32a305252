/// What an answer, or its absence, means for the events of a request.
package enum DeliveryVerdict: Sendable, Hashable {
  /// The backend has them.
  case delivered
  /// Again later, after a growing pause with jitter, or after the time that the backend asks for. A `Retry-After` of the
  /// response holds also when no time is given here. When the tries are used up, as ``split(reason:)``.
  case retry(afterMilliseconds: Int?, reason: String)
  /// Again at once, in two halves; a single event becomes a dead letter.
  case split(reason: String)
  /// Again at once, in smaller requests: from now on none holds more than half as many events. A single event becomes a
  /// dead letter.
  case tooLarge(reason: String)
  /// The backend will never take them: all of them become dead letters.
  case dead(reason: String)
  /// Nothing is wrong with the events, but with the backend or its configuration: all are kept, tried now and then, and
  /// the reason is shown.
  case misconfigured(reason: String)

  /// Why the events were not delivered; nil when they were.
  var reason: String? {
    switch self {
    case .delivered: nil
    case .retry(_, let reason), .split(let reason), .tooLarge(let reason), .dead(let reason),
      .misconfigured(let reason):
      reason
    }
  }
}
