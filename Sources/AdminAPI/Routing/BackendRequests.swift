import Effects

/// The body of `POST /visit`: `{"params": {"utm_source": "news"}}`.
enum VisitRequest {
  static let example = #"{"params": {"utm_source": "news", "referrer": "https://example.com/"}}"#

  /// Names that mean something else in the body of a visit (contract: Ahoy, facts 12 and 13).
  static let reserved = [
    "visit_token", "visitor_token", "name", "events", "events_json", "started_at", "ip", "user_id",
  ]

  static func params(in body: JSONValue) throws(AdminError) -> [JSONMember] {
    try AdminBody.refuseMembers(of: body, except: ["params"])
    guard let params = body["params"] else { return [] }
    guard let members = params.members, members.count <= 32 else {
      throw AdminError(
        .invalidParameter, "The member params is no object of at most 32 members.", hint: "Send \(example).")
    }
    for member in members {
      let letters = member.name.utf8
      guard let first = letters.first, isLetter(first), letters.count <= 64,
        letters.allSatisfy({ isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") })
      else {
        throw AdminError(
          .invalidParameter, "A name in params is not made of small letters, digits and \"_\".",
          hint: "Write utm_source, utm_medium, utm_term, utm_content, utm_campaign, referrer, landing_page.")
      }
      guard !reserved.contains(member.name) else {
        throw AdminError(
          .invalidParameter, "\"\(member.name)\" is no parameter of a visit.",
          hint: "The proxy and the backend set it themselves.")
      }
      switch member.value {
      case .string(let text) where text.unicodeScalars.count <= 1024: continue
      case .integer, .double, .bool: continue
      default:
        throw AdminError(
          .invalidParameter, "\"\(member.name)\" is no short text, number, true or false.", hint: "Send \(example).")
      }
    }
    return members
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }
  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}

/// The body of `POST /track`: `{"name": "Signed up", "properties": {"plan": "pro"}}`.
enum TrackRequest {
  static let example = #"{"name": "Signed up", "properties": {"plan": "pro"}}"#

  static func event(in body: JSONValue) throws(AdminError) -> (name: String, properties: [JSONMember]) {
    try AdminBody.refuseMembers(of: body, except: ["name", "properties"])
    guard let name = body["name"]?.string, AdminBody.isShortText(name, atMost: 255) else {
      throw AdminError(
        .missingParameter, "The member name is missing, or no text of 1 to 255 characters.", hint: "Send \(example).")
    }
    guard let properties = (body["properties"] ?? [:]).members else {
      throw AdminError(.invalidParameter, "The member properties is no object.", hint: "Send \(example).")
    }
    return (name, properties)
  }
}

/// The body of `POST /attach`: `{"userId": "42"}`.
enum AttachRequest {
  static let example = #"{"userId": "42"}"#

  static func userID(in body: JSONValue) throws(AdminError) -> String {
    try AdminBody.identifier("userId", in: body, example: example)
  }
}

/// The body of `POST /deadletters/requeue`: `{"all": true}` or `{"ids": ["…"]}`, either with `"backend": "ahoy"`.
enum RequeueRequest {
  static let example = #"{"all": true}"#

  /// The ids of the events, nil for all.
  static func choice(in body: JSONValue) throws(AdminError) -> (ids: [String]?, backend: String?) {
    try AdminBody.refuseMembers(of: body, except: ["ids", "all", "backend"])
    let hint = "Send \(example), or {\"ids\": [\"…\"]} with the ids of events."
    var backend: String?
    if let value = body["backend"], value != .null {
      guard let name = value.string, !name.isEmpty else {
        throw AdminError(.invalidParameter, "The member backend is no name.", hint: "Send \"backend\": \"ahoy\".")
      }
      backend = name
    }
    switch (body["ids"], body["all"]) {
    case (nil, .bool(true)): return (nil, backend)
    case (.array(let values), nil) where (1...1000).contains(values.count):
      let ids = values.compactMap(\.string)
      guard ids.count == values.count, !ids.contains("") else {
        throw AdminError(.invalidParameter, "The array ids holds something else than ids.", hint: hint)
      }
      return (ids, backend)
    default:
      throw AdminError(
        .missingParameter, "Neither \"all\": true nor 1 to 1000 ids are given, or both.", hint: hint)
    }
  }
}
