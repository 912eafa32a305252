import Effects

/// The question for all flags of an identity: `POST /flags/evaluate` (contract cohorly.md, section 1.3).
package enum FlagEvaluation {
  /// The path below the API host.
  package static let path = "/flags/evaluate"

  /// The body of the request.
  ///
  /// - Parameter token: the project's; without one the member is left out, for null is no token.
  package static func body(distinctID: String, token: String?) -> [UInt8] {
    var members = [JSONMember("distinct_id", .string(distinctID))]
    if let token { members.append(JSONMember("token", .string(token))) }
    var writer = JSONWriter()
    writer.write(.object(members))
    return writer.bytes
  }
}
