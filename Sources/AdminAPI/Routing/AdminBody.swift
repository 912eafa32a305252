import Effects

/// Reads JSON bodies.
enum AdminBody {
  /// The most bytes a body may have.
  static let limit = 64 << 10

  /// The object in the body.
  ///
  /// - Parameter example: a body that would do, for the hint.
  static func object(of request: AdminRequest, example: String) throws(AdminError) -> JSONValue {
    guard !request.body.isEmpty else {
      throw AdminError(.bodyNotJSON, "The body is empty.", hint: "Send \(example).")
    }
    var limits = JSONReader.Limits()
    limits.bytes = limit
    limits.depth = 16
    limits.issues = 1
    let value: JSONValue
    do throws(JSONSyntaxIssue) {
      value = try JSONReader(limits: limits, subject: "the body").value(request.body)
    } catch {
      let place = "line \(error.position.line), column \(error.position.column)"
      let remedy = error.hint.isEmpty ? "" : "; \(error.hint)"
      throw AdminError(
        .bodyNotJSON, "The body is no JSON: \(place): \(error.message)\(remedy).", hint: "Send \(example).")
    }
    guard value.members != nil else {
      throw AdminError(.bodyNotJSON, "The body is JSON but no object.", hint: "Send \(example).")
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

  /// The text or whole number in the only member of an object, which is somebody's id.
  static func identifier(_ member: String, in body: JSONValue, example: String) throws(AdminError) -> String {
    try refuseMembers(of: body, except: [member])
    // Numbers are what most sites have.
    let text = body[member].flatMap { $0.string ?? $0.integer.map { "\($0)" } }
    guard let text, isShortText(text, atMost: 255) else {
      throw AdminError(
        .missingParameter, "The member \(member) is missing, or no text of 1 to 255 characters.",
        hint: "Send \(example).")
    }
    return text
  }

  /// Whether the text has so many characters, and none that steers a terminal.
  static func isShortText(_ text: String, atMost most: Int) -> Bool {
    (1...most).contains(text.unicodeScalars.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }
}
