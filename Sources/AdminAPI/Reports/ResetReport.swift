package import Effects

/// What `POST /reset` can reset.
package enum ResetTarget: String, Sendable, CaseIterable {
  case visitorID
  /// The visit of Ahoy: the next one begins, with the same visitor.
  case visit
  /// The identity of Cohorly: a new anonymous one begins, and what is not sent of the old one is discarded.
  case cohorly
}

/// What came of resetting one target.
package struct ResetResult: Sendable, Hashable {
  package enum Outcome: Sendable, Hashable {
    /// A new identifier is in force and stored.
    case renewed(id: String)
    /// The feature is off: what was stored is gone.
    case cleared
    /// The store refused; the old state stays in force.
    case failed(reason: String)
  }

  package var target: ResetTarget
  package var outcome: Outcome
  /// Records that were not sent and never will be; nil where none can be.
  package var discarded: UInt64?

  package init(_ target: ResetTarget, _ outcome: Outcome, discarded: UInt64? = nil) {
    self.target = target
    self.outcome = outcome
    self.discarded = discarded
  }

  /// One element of the answer.
  package func json(ids: IDDisclosure) -> JSONValue {
    let (word, id, reason): (String, String?, String?) =
      switch outcome {
      case .renewed(let id): ("renewed", ids.text(id), nil)
      case .cleared: ("cleared", nil, nil)
      case .failed(let reason): ("failed", nil, reason)
      }
    return .object([
      JSONMember("what", .string(target.rawValue)),
      JSONMember("outcome", .string(word)),
      JSONMember("id", id.map { .string($0) } ?? .null),
      JSONMember("reason", reason.map { .string($0) } ?? .null),
      JSONMember("discarded", discarded.map { .integer(Int64(clamping: $0)) } ?? .null),
    ])
  }
}
