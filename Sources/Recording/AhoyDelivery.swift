package import AhoyTracker
package import Effects
package import EventPipeline

/// What is known of a visit that queued events belong to.
package enum VisitStanding: Sendable, Hashable {
  /// The server knows it; the fields travel with its events all the same (contract ahoy.md, fact 8).
  case registered(fields: [JSONMember])
  /// It is being registered, or will be tried again: its events wait.
  case pending
  /// The server will never take it, and so none of its events.
  case refused(reason: String)
}

/// Delivers queued events to an Ahoy server: events of one visit in each request, as many as it takes.
package struct AhoyDelivery: DeliveryFormat {
  private let endpoint: AhoyEndpoint
  private let shape: AhoyEventShape
  private let limits: EventLimits
  private let standing: @Sendable (VisitTokens) -> VisitStanding

  /// - Parameter standing: asked before events of a visit are sent; sees to it that a visit gets registered.
  package init(
    endpoint: AhoyEndpoint, shape: AhoyEventShape, limits: EventLimits,
    standing: @escaping @Sendable (VisitTokens) -> VisitStanding
  ) {
    self.endpoint = endpoint
    self.shape = shape
    self.limits = limits
    self.standing = standing
  }

  package func cut(_ events: ArraySlice<QueuedEvent>) -> DeliveryCut {
    var visit: (tokens: VisitTokens, fields: [JSONMember])?
    var prepared: [PreparedEvent] = []
    var indices: [Int] = []
    var skipped: [Int] = []
    // Visits whose events wait; those of others need not wait for them.
    var pending: Set<VisitTokens> = []
    scan: for (offset, event) in events.enumerated() {
      switch shape.read(event) {
      case .other:
        guard prepared.isEmpty else { break scan }
        skipped.append(offset)
      case .unreadable(let reason):
        guard prepared.isEmpty else { break scan }
        return skipped.isEmpty ? .undeliverable(offset, reason: reason) : .skip(skipped)
      case .event(let tokens, let json):
        guard skipped.isEmpty else { return .skip(skipped) }
        guard !pending.contains(tokens) else { continue }
        if visit == nil {
          switch standing(tokens) {
          case .registered(let fields): visit = (tokens, fields)
          case .refused(let reason): return .undeliverable(offset, reason: "its visit was refused: \(reason)")
          case .pending:
            pending.insert(tokens)
            continue
          }
        }
        guard visit?.tokens == tokens else { break scan }
        prepared.append(json)
        indices.append(offset)
        if prepared.count >= limits.maximumEvents { break scan }
      }
    }
    guard let visit else { return skipped.isEmpty ? .wait : .skip(skipped) }
    let fit = EventsRequest.fit(prepared, tokens: visit.tokens, fields: visit.fields, limits: limits)
    guard fit.count > 0 else {
      return .undeliverable(indices[0], reason: "larger than the \(limits.maximumBytes) bytes of a request")
    }
    let request = EventsRequest(
      tokens: visit.tokens, events: Array(prepared.prefix(fit.count)), fields: fit.hasFields ? visit.fields : [])
    return .request(endpoint.request(request), indices: Array(indices.prefix(fit.count)))
  }

  /// The visit: the gem makes a visit of the first event of one that it does not know, and when several requests bring
  /// such events at once, all but one lose theirs.
  package func group(of event: QueuedEvent) -> String? {
    shape.visit(of: event)
  }

  package func judge(
    _ outcome: Result<OutboundResponse, TransportError>, attempt: Int, events: Int
  ) -> DeliveryVerdict {
    switch AhoyAnswer.judge(events: outcome) {
    case .delivered: .delivered
    case .retry(let milliseconds, let reason): .retry(afterMilliseconds: milliseconds, reason: reason)
    case .split(let reason): .split(reason: reason)
    case .misconfigured(let reason): .misconfigured(reason: reason)
    }
  }
}
