import Effects

/// The body of `POST /identify`: `{"distinctId": "user-42"}`.
enum IdentifyRequest {
  static let example = #"{"distinctId": "user-42"}"#

  static func distinctID(in body: JSONValue) throws(AdminError) -> String {
    try AdminBody.identifier("distinctId", in: body, example: example)
  }
}

/// The body of `POST /people`: `{"set": {"plan": "pro"}, "unset": ["trial"]}`.
enum PeopleRequest {
  static let example = #"{"set": {"plan": "pro"}, "increment": {"logins": 1}}"#

  static let members = ["set", "setOnce", "increment", "unset", "delete"]
  static let longestName = 255
  static let mostNames = 1000

  /// The changes in the order in which they are made.
  static func changes(in body: JSONValue) throws(AdminError) -> [PeopleChange] {
    try AdminBody.refuseMembers(of: body, except: members)
    var changes: [PeopleChange] = []
    if let set = try properties("set", in: body) { changes.append(.set(set)) }
    if let set = try properties("setOnce", in: body) { changes.append(.setOnce(set)) }
    if let amounts = try properties("increment", in: body) {
      for amount in amounts where !isNumber(amount.value) {
        throw AdminError(
          .invalidParameter, "\"\(amount.name)\" in increment is no number.",
          hint: "Send \"increment\": {\"logins\": 1}."
        )
      }
      changes.append(.increment(amounts))
    }
    if let names = body["unset"] { changes.append(.unset(try self.names(names))) }
    if let delete = body["delete"] {
      guard delete == true else {
        throw AdminError(
          .invalidParameter, "The member delete is not true.", hint: "Send \"delete\": true, or leave it out.")
      }
      // In a profile that is deleted nothing else can change.
      guard changes.isEmpty else {
        throw AdminError(
          .invalidParameter, "A profile is deleted and changed at once.", hint: "Send \"delete\": true alone.")
      }
      changes.append(.delete)
    }
    guard !changes.isEmpty else {
      throw AdminError(
        .missingParameter, "The body names no change.",
        hint: "Send \(example); known members: \(members.joined(separator: ", ")).")
    }
    return changes
  }

  private static func properties(_ member: String, in body: JSONValue) throws(AdminError) -> [JSONMember]? {
    guard let value = body[member] else { return nil }
    guard let properties = value.members, (1...mostNames).contains(properties.count) else {
      throw AdminError(
        .invalidParameter, "The member \(member) is no object of 1 to \(mostNames) properties.",
        hint: "Send \"\(member)\": {\"name\": value}.")
    }
    for property in properties { try check(property.name, of: member) }
    return properties
  }

  private static func names(_ value: JSONValue) throws(AdminError) -> [String] {
    let names = value.array?.compactMap(\.string) ?? []
    guard let all = value.array, names.count == all.count, (1...mostNames).contains(names.count) else {
      throw AdminError(
        .invalidParameter, "The member unset is no array of 1 to \(mostNames) names.",
        hint: "Send \"unset\": [\"name\"].")
    }
    for name in names { try check(name, of: "unset") }
    return names
  }

  private static func check(_ name: String, of member: String) throws(AdminError) {
    guard AdminBody.isShortText(name, atMost: longestName) else {
      throw AdminError(
        .invalidParameter, "A name in \(member) is no text of 1 to \(longestName) characters.",
        hint: "Name a property of the profile.")
    }
  }

  private static func isNumber(_ value: JSONValue) -> Bool {
    switch value {
    case .integer, .double: true
    default: false
    }
  }
}
