import Effects

/// Reads JSON bodies.
enum AdminBody {
  /// The most bytes a body may have.
  static let limit = 64 << 10

  /// The object in the body.
  static func object(of request: AdminRequest) throws(AdminError) -> JSONValue {
    var limits = JSONReader.Limits()
    limits.bytes = limit
    limits.depth = 16
    limits.issues = 1
    let value: JSONValue
    do throws(JSONSyntaxIssue) {
      value = try JSONReader(limits: limits).value(request.body)
    } catch {
      throw AdminError(.bodyNotJSON, "The body is no JSON: \(error.description).", hint: "Send one JSON object.")
    }
    guard value.members != nil else {
      throw AdminError(.bodyNotJSON, "The body is JSON but no object.", hint: "Send one JSON object.")
    }
    return value
  }

  /// Refuses an object with other members than those named: a misspelt one must not pass unseen.
  static func refuseMembers(of body: JSONValue, except known: [String]) throws(AdminError) {
    for member in body.members ?? [] where !known.contains(member.name) {
      throw AdminError(
        .unknownMember, "The body has an unknown member \"\(member.name)\".",
        hint: known.isEmpty ? "Send {} or no body." : "Known members: \(known.joined(separator: ", ")).")
    }
  }
}
