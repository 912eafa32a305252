import Effects

extension CommandOption {
  static let ids = CommandOption("ids", "Show identifiers in full instead of their first eight characters.")
}

extension CommandNode {
  static let status = CommandNode(
    name: "status",
    summary: "Show the state of the running proxy.",
    options: [.json, .ids, .adminListen],
    examples: [
      .init("footfall status", "Show listeners, traffic, visitor id, rules and stored events."),
      .init("footfall status --json --ids", "The same as JSON, with the visitor id in full."),
    ],
    exitCodes: [.noInput, .unavailable, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let target = invocation.arguments.has(.ids) ? "/status?ids=full" : "/status"
      let answer = try AdminClient(invocation).get(target)
      if invocation.arguments.has(.json) {
        try invocation.console.print(PrintableText.json(JSONWriter.text(answer, indentation: 2)))
      } else {
        for line in StatusText.lines(answer, invocation.console) { try invocation.console.print(line) }
      }
      return .ok
    })
}
