package import Effects

/// Why a request to the admin endpoint was refused or failed: what went wrong and what to do about it.
package struct AdminError: Error, Sendable, Hashable {
  /// The kind of refusal; stable, part of every error answer.
  package enum Code: String, Sendable, CaseIterable {
    case hostNotAllowed, originNotAllowed, crossSiteRequest
    case tokenMissing, tokenWrong
    case notFound, methodNotAllowed
    case contentTypeNotJSON, bodyTooLarge, bodyNotJSON
    case malformedQuery, missingParameter, invalidParameter
    case unknownMember, unknownTarget
    case configurationInvalid, draining, resetFailed
    case ahoyNotConfigured, cohorlyNotConfigured, noBackendConfigured, backendFailed, storeFailed
    /// What was ordered takes longer than the endpoint waits; it goes on.
    case unfinished
    /// The bytes were no acceptable HTTP request; found before there is a request to route.
    case malformedRequest
    case requestTimeout

    /// The status that goes with the code.
    package var status: Int {
      switch self {
      case .hostNotAllowed, .originNotAllowed, .crossSiteRequest: 403
      case .tokenMissing, .tokenWrong: 401
      case .notFound: 404
      case .methodNotAllowed: 405
      case .contentTypeNotJSON: 415
      case .bodyTooLarge: 413
      case .bodyNotJSON, .malformedQuery, .missingParameter, .invalidParameter, .unknownMember, .unknownTarget,
        .malformedRequest:
        400
      case .requestTimeout: 408
      case .draining, .ahoyNotConfigured, .cohorlyNotConfigured, .noBackendConfigured: 409
      case .configurationInvalid: 422
      case .resetFailed, .storeFailed: 500
      case .backendFailed: 502
      case .unfinished: 504
      }
    }
  }

  package let code: Code
  /// What is wrong, one sentence.
  package let message: String
  /// What to do about it, one sentence.
  package let hint: String
  /// Members beside code, message and hint that this code brings along.
  package var details: [JSONMember]
  /// Response fields that this code brings along.
  package var fields: [AdminResponse.Field]

  package init(
    _ code: Code, _ message: String, hint: String, details: [JSONMember] = [], fields: [AdminResponse.Field] = []
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.details = details
    self.fields = fields
  }

  /// Two errors are equal when their codes are.
  package static func == (one: AdminError, other: AdminError) -> Bool { one.code == other.code }

  package func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// The answer that tells the client.
  package var response: AdminResponse {
    var members = [
      JSONMember("code", .string(code.rawValue)), JSONMember("message", .string(message)),
      JSONMember("hint", .string(hint)),
    ]
    members.append(contentsOf: details)
    var response = AdminResponse.json(.object([JSONMember("error", .object(members))]), status: code.status)
    response.fields.append(contentsOf: fields)
    return response
  }
}
