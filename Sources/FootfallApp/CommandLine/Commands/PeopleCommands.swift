import Effects

extension CommandOption {
  fileprivate static let set = CommandOption(
    "set", short: "s", value: "NAME=TEXT", "A property of the profile; may be given several times.")
  fileprivate static let setOnce = CommandOption(
    "set-once", value: "NAME=TEXT", "A property, unless the profile has it already.")
  fileprivate static let increment = CommandOption(
    "increment", short: "i", value: "NAME=NUMBER", "Add the number to a property; it may be negative.")
  fileprivate static let unset = CommandOption("unset", short: "u", value: "NAME", "Remove a property.")
  fileprivate static let delete = CommandOption("delete", "Remove the whole profile.")
  fileprivate static let changes = CommandOption(
    "changes", value: "JSON", "All changes as the JSON object that POST /people takes.")
}

extension CommandNode {
  static let identify = CommandNode(
    name: "identify",
    summary: "Make somebody the identity of Cohorly.",
    discussion: """
      What follows belongs to this id, and the flags are evaluated for it. It stays until another one or
      `footfall reset cohorly`. This authenticates nobody.
      """,
    operands: .init("ID", minimum: 1, maximum: 1),
    options: [.json, .ids, .adminListen],
    examples: [.init("footfall identify user-42", "What follows belongs to user-42.")],
    exitCodes: [.dataError, .noInput, .unavailable, .inputOutput, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let target = invocation.arguments.has(.ids) ? "/identify?ids=full" : "/identify"
      let id = invocation.arguments.operands.first ?? ""
      let answer = try AdminClient(invocation).post(target, ["distinctId": .string(id)])
      try invocation.show(answer) {
        let id = answer["distinctID"]?.string ?? "?"
        return answer["changed"] == false ? "the identity is \(id) already" : "the identity is \(id) now"
      }
      return .ok
    })

  static let people = CommandNode(
    name: "people",
    summary: "Queue changes of the profile of the identity of Cohorly.",
    discussion: """
      Ends once they are stored; they are sent with the events, or at once by `footfall flush`. A server
      may refuse --unset and --delete for a project's token: `footfall status` counts what it refused.
      """,
    options: [.set, .setOnce, .increment, .unset, .delete, .changes, .json, .adminListen],
    examples: [
      .init("footfall people --set plan=pro --increment logins=1", "Set a property, add to another."),
      .init("footfall people --changes '{\"set\": {\"seats\": 5}}'", "Values that are no texts."),
    ],
    exitCodes: [.dataError, .noInput, .unavailable, .inputOutput, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let answer = try AdminClient(invocation).post("/people", .object(try changes(invocation.arguments)))
      try invocation.show(answer) {
        "\(QuantityText.counted(answer["queued"]?.integer ?? 0, "change")) of the profile stored"
      }
      return .ok
    })

  private static func changes(_ arguments: ParsedArguments) throws(CommandFailure) -> [JSONMember] {
    var members: [JSONMember] = []
    for (option, name) in [(CommandOption.set, "set"), (.setOnce, "setOnce"), (.increment, "increment")] {
      var pairs = try PairText.members(arguments.values(of: option), option: "--\(option.long)")
      if option == .increment { pairs = try pairs.map { (pair) throws(CommandFailure) in try amount(pair) } }
      if !pairs.isEmpty { members.append(JSONMember(name, .object(pairs))) }
    }
    let names = arguments.values(of: .unset)
    if !names.isEmpty { members.append(JSONMember("unset", .array(names.map { .string($0) }))) }
    if arguments.has(.delete) { members.append(JSONMember("delete", true)) }
    guard let text = arguments.value(of: .changes) else {
      guard !members.isEmpty else {
        throw CommandFailure(.usage, "no change is given", hint: "Such as --set plan=pro.")
      }
      return members
    }
    guard members.isEmpty else {
      throw CommandFailure(.usage, "--changes is given beside other changes", hint: "Write them all into it.")
    }
    return try PairText.object(text, option: "--changes", example: "'{\"set\": {\"seats\": 5}}'")
  }

  private static func amount(_ pair: JSONMember) throws(CommandFailure) -> JSONMember {
    let text = pair.value.string ?? ""
    if let number = Int64(text) { return JSONMember(pair.name, .integer(number)) }
    if let number = Double(text), number.isFinite { return JSONMember(pair.name, .double(number)) }
    throw CommandFailure(
      .usage, "--increment \(pair.name) is not given a number", hint: "Such as --increment logins=1.")
  }
}
