import Effects

extension CommandOption {
  fileprivate static let backend = CommandOption("backend", value: "NAME", "Those of one backend only.")
  fileprivate static let limit = CommandOption(
    "limit", short: "n", value: "COUNT", "Show so many at most; 100 unless given.")
  fileprivate static let all = CommandOption("all", "All of them.")
}

extension CommandNode {
  static let flush = CommandNode(
    name: "flush",
    summary: "Send the stored events now.",
    discussion: "Ends when all that was stored is delivered, or something is in the way.",
    options: [.json, .adminListen],
    examples: [.init("footfall flush", "Send what waits, and tell what is in the way.")],
    exitCodes: [.noInput, .unavailable, .temporary, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let client = try AdminClient(invocation, deadlineMilliseconds: backendDeadline)
      let answer = try client.post("/flush", [:])
      let backends = answer["backends"]?.array ?? []
      try invocation.show(answer) { backends.map(flushText).joined(separator: "; ") }
      return backends.allSatisfy { $0["complete"] == true } ? .ok : .unavailable
    })

  private static func flushText(_ outcome: JSONValue) -> String {
    func count(_ name: String) -> Int64 { outcome[name]?.integer ?? 0 }
    var text = "\(outcome["backend"]?.string ?? "?"): \(QuantityText.count(count("sent"))) sent"
    if count("dead") > 0 { text += ", \(QuantityText.count(count("dead"))) dead" }
    text += ", \(QuantityText.count(count("remaining"))) waiting"
    if let obstacle = outcome["obstacle"]?.string { text += ": \(obstacle)" }
    return text
  }

  static let deadLetters = CommandNode(
    name: "deadletters", summary: "Show events that a backend will never take, or send them again.",
    children: [list, requeue])

  private static let list = CommandNode(
    name: "list",
    summary: "Show events that a backend will never take, the oldest first.",
    options: [.backend, .limit, .json, .adminListen],
    examples: [.init("footfall deadletters list --json", "The events with the reasons and all they hold.")],
    exitCodes: [.noInput, .unavailable, .inputOutput, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      var parts = ["limit=\(try limit(invocation.arguments))"]
      if let backend = invocation.arguments.value(of: .backend) { parts.append("backend=\(try name(backend))") }
      let answer = try AdminClient(invocation).get("/deadletters?\(parts.joined(separator: "&"))")
      if invocation.arguments.has(.json) {
        try invocation.show(answer) { "" }
        return .ok
      }
      let letters = answer["deadLetters"]?.array ?? []
      guard !letters.isEmpty else {
        try invocation.console.print("there are no dead letters")
        return .ok
      }
      var table = TextTable([("EVENT", .left), ("BACKEND", .left), ("GIVEN UP", .left), ("REASON", .left)])
      for letter in letters {
        let reason = (letter["reason"]?.string ?? "?") + (letter["queued"] == true ? " (queued again)" : "")
        table.append([
          PrintableText.line(letter["id"]?.string ?? "?"), PrintableText.line(letter["backend"]?.string ?? "?"),
          PrintableText.line(letter["diedAt"]?.string ?? "?"), PrintableText.line(reason),
        ])
      }
      for line in table.lines { try invocation.console.print(line) }
      let total = answer["total"]?.integer ?? 0
      if total > Int64(letters.count) {
        invocation.console.note("\(QuantityText.count(total)) in all; --limit shows more.")
      }
      return .ok
    })

  private static let requeue = CommandNode(
    name: "requeue",
    summary: "Queue dead letters again; their events keep their ids.",
    operands: .init("[EVENT...]", minimum: 0, maximum: 1000),
    options: [.all, .backend, .json, .adminListen],
    examples: [
      .init("footfall deadletters requeue --all", "Try all of them again."),
      .init("footfall deadletters requeue 0199f0c2-5d3a-7e11-8a55-0123456789ab", "Try one event again."),
    ],
    exitCodes: [.noInput, .unavailable, .inputOutput, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let ids = invocation.arguments.operands
      let isAll = invocation.arguments.has(.all)
      guard isAll != !ids.isEmpty else {
        throw CommandFailure(
          .usage, isAll ? "--all and events are given both" : "neither events nor --all are given",
          hint: "`footfall deadletters list` shows the events.")
      }
      var members = isAll ? [JSONMember("all", true)] : [JSONMember("ids", .array(ids.map { .string($0) }))]
      if let backend = invocation.arguments.value(of: .backend) {
        members.append(JSONMember("backend", .string(backend)))
      }
      let answer = try AdminClient(invocation).post("/deadletters/requeue", .object(members))
      try invocation.show(answer) {
        "\(QuantityText.counted(answer["requeued"]?.integer ?? 0, "event")) queued again"
      }
      return .ok
    })

  private static func limit(_ arguments: ParsedArguments) throws(CommandFailure) -> Int {
    guard let text = arguments.value(of: .limit) else { return 100 }
    guard let number = Int(text), (1...1000).contains(number) else {
      throw CommandFailure(.usage, "--limit \"\(text)\" is not a number from 1 to 1000")
    }
    return number
  }

  /// A name that needs no escapes in a query.
  private static func name(_ text: String) throws(CommandFailure) -> String {
    guard !text.isEmpty, text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }) else {
      throw CommandFailure(.usage, "--backend \"\(text)\" is not the name of a backend")
    }
    return text
  }
}
