import Effects

extension CommandOption {
  fileprivate static let param = CommandOption(
    "param", short: "p", value: "NAME=TEXT", "A parameter of the visit, such as utm_source; may be given several times."
  )
  fileprivate static let property = CommandOption(
    "property", short: "p", value: "NAME=TEXT", "A property of the event; may be given several times.")
  fileprivate static let properties = CommandOption(
    "properties", value: "JSON", "The properties of the event as a JSON object.")
}

extension CommandNode {
  /// How long the proxy may take for what it asks its backend for; longer than the endpoint itself waits.
  static let backendDeadline = 65_000

  static let visit = CommandNode(
    name: "visit",
    summary: "Register the visit of Ahoy, with parameters.",
    discussion: """
      Ends once the application has confirmed the visit. What is told of a visit counts when it is first
      registered: for other parameters begin another visit with `footfall reset visit` first.
      """,
    options: [.param, .json, .ids, .adminListen],
    examples: [
      .init("footfall visit", "Register the current visit."),
      .init("footfall visit -p utm_source=news -p referrer=https://example.com/", "Say where the visitor came from."),
    ],
    exitCodes: [.dataError, .noInput, .unavailable, .temporary, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let params = try PairText.members(invocation.arguments.values(of: .param), option: "--param")
      let target = invocation.arguments.has(.ids) ? "/visit?ids=full" : "/visit"
      let client = try AdminClient(invocation, deadlineMilliseconds: backendDeadline)
      let visit = try client.post(target, ["params": .object(params)])
      try invocation.show(visit) {
        "the visit \(visit["visit"]?.string ?? "?") is registered (until \(visit["expiresAt"]?.string ?? "?"))"
      }
      return .ok
    })

  static let track = CommandNode(
    name: "track",
    summary: "Queue an event for every backend.",
    discussion: "Ends once the event is stored; it is sent with others, or at once by `footfall flush`.",
    operands: .init("NAME", minimum: 1, maximum: 1),
    options: [.property, .properties, .json, .adminListen],
    examples: [
      .init("footfall track \"Signed up\" -p plan=pro", "An event with a property."),
      .init("footfall track Sold --properties '{\"price\": 12.5}'", "Properties that are no texts."),
    ],
    exitCodes: [.dataError, .noInput, .unavailable, .temporary, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      var properties: [JSONMember] = []
      if let text = invocation.arguments.value(of: .properties) {
        properties = try PairText.object(text, option: "--properties", example: "'{\"price\": 12.5}'")
      }
      properties += try PairText.members(invocation.arguments.values(of: .property), option: "--property")
      let name = invocation.arguments.operands.first ?? ""
      let answer = try AdminClient(invocation).post(
        "/track", ["name": .string(name), "properties": .object(properties)])
      try invocation.show(answer) { "the event \(answer["id"]?.string ?? "?") is stored" }
      return .ok
    })

  static let attach = CommandNode(
    name: "attach",
    summary: "Attach a user to the events to come.",
    discussion: "The user stays attached until `footfall detach`. This authenticates nobody.",
    operands: .init("USER", minimum: 1, maximum: 1),
    options: [.json, .ids, .adminListen],
    examples: [.init("footfall attach 42", "Events to come belong to user 42.")],
    exitCodes: [.dataError, .noInput, .unavailable, .inputOutput, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let target = invocation.arguments.has(.ids) ? "/attach?ids=full" : "/attach"
      let user = invocation.arguments.operands.first ?? ""
      let answer = try AdminClient(invocation).post(target, ["userId": .string(user)])
      try invocation.show(answer) { "the user \(answer["userID"]?.string ?? "?") is attached" }
      return .ok
    })

  static let detach = CommandNode(
    name: "detach",
    summary: "Detach the user from the events to come.",
    options: [.json, .adminListen],
    examples: [.init("footfall detach", "Events to come belong to nobody.")],
    exitCodes: [.noInput, .unavailable, .inputOutput, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let answer = try AdminClient(invocation).post("/detach", [:])
      try invocation.show(answer) { "no user is attached" }
      return .ok
    })
}

/// Options of the form NAME=TEXT.
enum PairText {
  /// The members of a JSON object that is the value of an option.
  static func object(_ text: String, option: String, example: String) throws(CommandFailure) -> [JSONMember] {
    let value: JSONValue
    do {
      value = try JSONReader(subject: "the value of \(option)").value(Array(text.utf8))
    } catch {
      throw CommandFailure(
        .usage, "\(option) is no JSON: column \(error.position.column): \(error.message)",
        hint: "Such as \(option) \(example).")
    }
    guard let members = value.members else {
      throw CommandFailure(.usage, "\(option) is no JSON object", hint: "Such as \(option) \(example).")
    }
    return members
  }

  static func members(_ texts: [String], option: String) throws(CommandFailure) -> [JSONMember] {
    var members: [JSONMember] = []
    for text in texts {
      guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals > text.startIndex else {
        throw CommandFailure(.usage, "\(option) \"\(text)\" is not of the form NAME=TEXT")
      }
      let name = String(text[..<equals])
      guard !members.contains(where: { $0.name == name }) else {
        throw CommandFailure(.usage, "\(option) \(name) is given twice")
      }
      members.append(JSONMember(name, .string(String(text[equals...].dropFirst()))))
    }
    return members
  }
}

extension Invocation {
  /// Prints an answer as JSON when asked to, else what it means.
  func show(_ answer: JSONValue, _ text: () -> String) throws(CommandFailure) {
    if arguments.has(.json) {
      try console.print(PrintableText.json(JSONWriter.text(answer, indentation: 2)))
    } else {
      try console.print(PrintableText.line(text()))
    }
  }
}
