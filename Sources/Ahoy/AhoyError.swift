public import Foundation

/// Why a visit or events did not reach the server. Errors of the network are thrown as the request handler throws them.
public enum AhoyError: Error, Sendable, Hashable {
  /// The server confirmed a visit with other tokens than the ones it was sent.
  ///
  /// Tokens are letters, digits and `-`, at most 64; a server removes the rest. Trying again does not help.
  case mismatchingVisit
  /// There is no visit that events could belong to, and ``Configuration/automaticVisitRenewal`` is off: call
  /// ``Ahoy/trackVisit(additionalParams:)`` or ``Ahoy/ensureCurrentVisit()`` first.
  case noVisit
  /// The server answered with another status than 2xx, or with a 2xx that no Ahoy server gives.
  ///
  /// A redirect is not followed, since it would lose what the request carries. `code` is 0 for an answer without status.
  case unacceptableResponse(code: Int, data: Data)
}

extension AhoyError: CustomStringConvertible, LocalizedError {
  /// What went wrong, in words.
  public var description: String {
    switch self {
    case .mismatchingVisit: "the server confirmed a visit with other tokens than ours"
    case .noVisit: "no visit is registered, and automatic renewal is off"
    case .unacceptableResponse(let code, let data):
      "status \(code) with \(data.count) bytes is no answer that the server gives to what it has taken"
    }
  }

  /// The same words.
  public var errorDescription: String? { description }
}
